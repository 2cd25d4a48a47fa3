/** The only client of the service: the exports that nodes, credentials and other folders of lib use. */
export { type ApiClient, createApiClient, testCredential } from './client';
export { type ApiSettings, networkOf, parseApiSettings, plainHttpWarning } from './credential';
export { DELIVERY, SERVICE_INTERFACE, type ServiceInterface } from './defaults';
export { ApiError, FIELD_LABELS, IN_INTERFACE } from './errors';
export {
	type ApiRecord,
	assetFilter,
	createdAtOf,
	endpointHealth,
	flattener,
	LISTED_RESOURCES,
	type ListedResource,
	type ListRow,
	LISTS,
	newest,
	statusWords,
} from './lists';
export {
	type ListedPage,
	type ListedRecord,
	type ListOptions,
	recordsOf,
	type WarnOfList,
} from './paging';
export { eventShaper } from './paths';
export { readBoundedBody, withoutSecret } from './response';
export { idInPath } from './sender';
export { processAccessTokens } from './tokens';
export type { Transport, TransportRequest, TransportResponse } from './transport';
export { helperTransport, undiciTransport } from './transports';
