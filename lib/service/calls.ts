/** What each operation sends: method, path, body, and the words for its errors. */
import { LISTS, PATHS } from './defaults';
import { pathWith } from './http/paths';
import type { ServiceInterface } from './serviceInterface';
import type { ListedResource, TransportRequest } from './types';

/** One call of the API, without settings, token or query. */
export interface Call {
	method: TransportRequest['method'];
	path: string;
	query?: Readonly<Record<string, string>>;
	headers?: Readonly<Record<string, string>>;
	/** Sent as JSON. */
	body?: unknown;
	/** What the call is for, in the error about a missing scope, such as `list assets`. */
	purpose: string;
	/** What to do about a 404 where the path holds ids; without it, the base URL is most likely wrong. */
	notFoundHint?: string;
	/** Statuses besides 2xx that are not an error here. */
	accepted?: readonly number[];
}

const GONE = [404, 410];

const UNKNOWN_ENDPOINT =
	'Check the endpoint ID: the service does not know it. If it is right, check Base URL in the Asset Service API credential.';

/** The query that asks for so many records; empty where the service is to choose. */
export const limitQuery = (
	{ pageSize, limitParameter }: ServiceInterface,
	limit: number,
): Record<string, string> => (pageSize === 0 ? {} : { [limitParameter]: String(limit) });

export const list = (resource: ListedResource): Call => ({
	method: 'GET',
	...LISTS[resource],
});

export const listDeliveries = (endpointId: string): Call => ({
	method: 'GET',
	path: pathWith(PATHS.deliveries, { endpointId }),
	purpose: 'list deliveries',
	notFoundHint: UNKNOWN_ENDPOINT,
});

export const resendDelivery = (
	{ resendPath }: ServiceInterface,
	endpointId: string,
	deliveryId: string,
): Call => ({
	method: 'POST',
	path: pathWith(resendPath, { endpointId, deliveryId }),
	purpose: 'resend deliveries',
	notFoundHint:
		'Check the endpoint ID and the delivery ID: the service knows no such delivery. It keeps deliveries for 30 days.',
});

export const createEndpoint = (
	{ endpointsPath, endpointUrlField, endpointEventsField }: ServiceInterface,
	url: string,
	events: readonly string[],
): Call => ({
	method: 'POST',
	path: endpointsPath,
	body: { [endpointUrlField]: url, [endpointEventsField]: events },
	purpose: 'create webhook endpoints',
});

/** Asks for the endpoint's deliveries: the specification has no way to ask for the endpoint itself. */
export const findEndpoint = (service: ServiceInterface, endpointId: string): Call => ({
	...listDeliveries(endpointId),
	query: limitQuery(service, 1),
	accepted: GONE,
});

export const deleteEndpoint = ({ endpointsPath }: ServiceInterface, endpointId: string): Call => ({
	method: 'DELETE',
	path: pathWith(`${endpointsPath}/{endpointId}`, { endpointId }),
	purpose: 'delete webhook endpoints',
	accepted: GONE,
});
