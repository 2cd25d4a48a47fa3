/** The one client of the service: what nodes, credentials and other rooms may use of it. */
export { processAccessTokens } from './tokens/accessTokens';
export { createApiClient } from './client';
export { checkConnection } from './connection';
export { DELIVERY_STATUS_FIELD, KNOWN_EVENT_TYPES, SERVICE_INTERFACE } from './defaults';
export { endpointHealth } from './endpointHealth';
export { ApiError } from './errors/errors';
export { withoutSecret } from './errors/redaction';
export { readBoundedBody } from './http/boundedBody';
export { idInPath } from './http/paths';
export { helperTransport } from './http/helperTransport';
export { undiciTransport } from './http/undiciTransport';
export { isLoopback, isPrivate } from './hosts';
export { newest } from './lists/newest';
export { createdAtOf } from './lists/createdAt';
export { LISTED_RESOURCES, LISTS } from './lists/table';
export type { ListedResource, ListFilters, ListRow, Shape } from './lists/table';
export { parseApiSettings, plainHttpWarning } from './settings';
export type {
	ApiClient,
	ApiRecord,
	ApiSettings,
	ListOptions,
	Transport,
	TransportRequest,
	TransportResponse,
} from './types';
