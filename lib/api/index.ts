/** The one client of the service: what the nodes and credentials may use of it. */
export {
	createAccessTokens,
	processAccessTokens,
	type AccessTokens,
	type AccessTokensOptions,
} from './accessTokens';
export { createApiClient, type ApiClientOptions } from './client';
export { checkConnection } from './connection';
export { readBoundedBody } from './boundedBody';
export {
	ASSET_FILTERS,
	DELIVERY_STATUS_FIELD,
	ENDPOINT_FIELDS,
	KNOWN_EVENT_TYPES,
	PATHS,
} from './defaults';
export { ApiError, FIELD_LABELS, TransportError } from './errors';
export { helperTransport, type HelperTransportOptions } from './helperTransport';
export { createRedactor, type Redactor } from './redaction';
export { systemRuntime, type Runtime } from './runtime';
export { isLoopback, parseApiSettings } from './settings';
export { isError } from './thrown';
export { fetchAccessToken, type AccessToken, type TokenRequestOptions } from './tokenRequest';
export type {
	ApiClient,
	ApiRecord,
	ApiSettings,
	ListOptions,
	Transport,
	TransportRequest,
	TransportResponse,
} from './types';
export { undiciTransport, type UndiciTransportOptions } from './undiciTransport';
