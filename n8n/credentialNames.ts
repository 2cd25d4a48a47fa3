/** The names that n8n knows our credentials by. */
/** With the service's addresses and the API client. */
export const API_CREDENTIAL = 'assetServiceApi';
export const SIGNING_SECRET_CREDENTIAL = 'assetServiceSigningSecretApi';
