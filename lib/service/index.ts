/** The only client of the service: the exports that nodes, credentials and other folders of lib use. */
export { processAccessTokens } from './tokens/accessTokens';
export { createApiClient } from './client';
export { testCredential } from './testCredential';
export { DELIVERY_STATUS_FIELD, SERVICE_INTERFACE } from './common/defaults';
export { endpointHealth } from './endpointHealth';
export { ApiError, FIELD_LABELS, IN_INTERFACE } from './common/errors';
export { withoutSecret } from './errors/redaction';
export { readBoundedBody } from './http/boundedBody';
export { idInPath } from './http/paths';
export { helperTransport } from './http/helperTransport';
export { undiciTransport } from './http/undiciTransport';
export { isLoopback, isPrivate } from './credential/hosts';
export { flattener } from './lists/flatten';
export { newest } from './lists/newest';
export { LISTED_RESOURCES, LISTS } from './common/lists';
export type { ListedResource, ListFilters, ListRow, Shape } from './common/lists';
export { createdAtOf } from './common/record';
export { parseApiSettings, plainHttpWarning } from './credential/apiSettings';
export type {
	ApiClient,
	ApiRecord,
	ApiSettings,
	ListOptions,
	Transport,
	TransportRequest,
	TransportResponse,
} from './common/types';
