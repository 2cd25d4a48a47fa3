/** The names of our credentials in n8n. */
/** With the service's URLs and the API client. */
export const API_CREDENTIAL = 'assetServiceApi';
export const SIGNING_SECRET_CREDENTIAL = 'assetServiceSigningSecretApi';
