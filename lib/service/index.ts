/** The one client of the service: what the nodes and credentials may use of it. */
export {
	createAccessTokens,
	processAccessTokens,
	type AccessTokens,
	type AccessTokensOptions,
} from './tokens/accessTokens';
export { createApiClient, type ApiClientOptions } from './client';
export { checkConnection } from './connection';
export { readBoundedBody } from './http/boundedBody';
export {
	ASSET_FILTERS,
	DELIVERY_STATUS_FIELD,
	ENDPOINT_FIELDS,
	KNOWN_EVENT_TYPES,
	PATHS,
} from './defaults';
export { ApiError, FIELD_LABELS, TransportError } from './errors/errors';
export { helperTransport, type HelperTransportOptions } from './http/helperTransport';
export { createRedactor, type Redactor } from './errors/redaction';
export { systemRuntime, type Runtime } from './http/runtime';
export { isLoopback, parseApiSettings } from './settings';
export { isError } from '../shared/thrown';
export {
	fetchAccessToken,
	type AccessToken,
	type TokenRequestOptions,
} from './tokens/tokenRequest';
export type {
	ApiClient,
	ApiRecord,
	ApiSettings,
	ListOptions,
	Transport,
	TransportRequest,
	TransportResponse,
} from './types';
export { undiciTransport, type UndiciTransportOptions } from './http/undiciTransport';
