/** The request of each operation: method, path, body, and the texts for its errors. */
import type { ServiceInterface } from './common/defaults';
import { IN_CREDENTIAL, IN_INTERFACE } from './common/errors';
import { LISTS, type ListedResource, type ListRow } from './common/lists';
import type { ApiCall } from './common/types';
import { pathWith } from './http/paths';

const GONE = [404, 410];

const notFound = (hint: string) => ({ 404: hint, 410: hint });
const UNKNOWN_ENDPOINT = notFound(
	`Check the endpoint ID: the service does not know it. If it is right, check 'Base URL'${IN_CREDENTIAL}.`,
);
const mayBeDone = (whereToLook: string) =>
	`The service may have processed the request anyway: ${whereToLook}`;

/** The query that asks for this many records; empty if the service is to choose. */
export const limitQuery = (
	{ pageSize, limitParameter }: ServiceInterface,
	limit: number,
): Record<string, string> => (pageSize === 0 ? {} : { [limitParameter]: String(limit) });

/** The list of a resource; `endpointId` if its path contains it. */
export const list = (resource: ListedResource, endpointId = ''): ApiCall => {
	const { path, headers = {}, records }: ListRow = LISTS[resource];
	return {
		method: 'GET',
		path: pathWith(path, { endpointId }),
		headers,
		purpose: `list ${records}`,
		...(path.includes('{endpointId}') && { hints: UNKNOWN_ENDPOINT }),
	};
};

/** The next page of a list: the URL and the other values worked for the previous page. */
export const nextPage = (call: ApiCall, query: Readonly<Record<string, string>>): ApiCall => {
	const hint = `The previous page loaded, but the service did not accept the cursor for the next one. Try again. If it keeps happening, check 'Cursor Parameter'${IN_INTERFACE}.`;
	return { ...call, query, hints: { 400: hint, 404: hint, 405: hint, 410: hint, 422: hint } };
};

export const resendDelivery = (
	{ resendPath }: ServiceInterface,
	endpointId: string,
	deliveryId: string,
): ApiCall => ({
	method: 'POST',
	path: pathWith(resendPath, { endpointId, deliveryId }),
	purpose: 'resend deliveries',
	hints: notFound(
		'Check the endpoint ID and the delivery ID: the service does not know this delivery. It keeps deliveries for 30 days.',
	),
	mayBeDone: mayBeDone(
		'check the attempts of this delivery with Delivery > Get Many before you repeat it.',
	),
});

export const createEndpoint = (
	{ endpointsPath, endpointUrlField, endpointEventsField }: ServiceInterface,
	url: string,
	events: readonly string[],
): ApiCall => ({
	method: 'POST',
	path: endpointsPath,
	body: { [endpointUrlField]: url, [endpointEventsField]: events },
	purpose: 'create webhook endpoints',
	mayBeDone: mayBeDone(
		'before you repeat it, look for an endpoint with this URL at the service and delete it if you do not have its secret.',
	),
});

/** Requests the endpoint's deliveries: the specification has no request for the endpoint itself. */
export const findEndpoint = (service: ServiceInterface, endpointId: string): ApiCall => ({
	...list('delivery', endpointId),
	query: limitQuery(service, 1),
	accepted: GONE,
});

export const deleteEndpoint = (
	{ endpointsPath }: ServiceInterface,
	endpointId: string,
): ApiCall => ({
	method: 'DELETE',
	path: pathWith(`${endpointsPath}/{endpointId}`, { endpointId }),
	purpose: 'delete webhook endpoints',
	mayBeDone: mayBeDone(
		'look for the endpoint at the service, or repeat the request. Deleting twice does no harm.',
	),
	accepted: GONE,
});
