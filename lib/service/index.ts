/** The only client of the service: the exports that nodes, credentials and other folders of lib use. */
export { type ApiClient, createApiClient, testCredential } from './client';
export { type ApiSettings, networkOf, parseApiSettings, plainHttpWarning } from './credential';
export { DELIVERY, SERVICE_INTERFACE } from './defaults';
export { ApiError, FIELD_LABELS, IN_INTERFACE } from './errors';
export { helperTransport } from './helperTransport';
export {
	type ApiRecord,
	createdAtOf,
	endpointHealth,
	flattener,
	LISTED_RESOURCES,
	type ListedResource,
	type ListRow,
	LISTS,
	newest,
} from './lists';
export type { ListOptions } from './paging';
export { withoutSecret } from './responseText';
export { idInPath } from './sender';
export { processAccessTokens } from './tokens';
export {
	readBoundedBody,
	type Transport,
	type TransportRequest,
	type TransportResponse,
} from './transport';
export { undiciTransport } from './undiciTransport';
