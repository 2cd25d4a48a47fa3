/** The request of each operation: method, path, body, and the texts for its errors. IDs cannot change the path. */
import type { ApiSettings } from './credential';
import { type ServiceInterface, USER_AGENT } from './defaults';
import { IN_CREDENTIAL, IN_INTERFACE, ApiError } from './errors';
import { LISTS, type ListedResource, type ListRow } from './lists';
import type { TransportRequest } from './transport';

/** One API call, without settings, token or query. */
export interface ApiCall {
	method: TransportRequest['method'];
	path: string;
	query?: Readonly<Record<string, string>>;
	headers?: Readonly<Record<string, string>>;
	/** Sent as JSON. */
	body?: unknown;
	/** The purpose of the call, for the error about a missing scope, such as `list assets`. */
	purpose: string;
	/** Advice by status, where the default would blame the URL or the values of the request. */
	hints?: Readonly<Record<number, string>>;
	/** For a call that changes something: where to check if it is unknown whether the service carried it out. */
	mayBeDone?: string;
	/** Statuses other than 2xx that are not errors here. */
	accepted?: readonly number[];
}

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

const LABELS = { endpointId: 'Endpoint ID', deliveryId: 'Delivery ID' } as const;
type IdName = keyof typeof LABELS;

/**
 * The path with its IDs filled in, encoded and trimmed.
 * @throws {ApiError} for an ID that is missing, empty, `.` or `..`, which would change the path itself.
 */
function pathWith(template: string, ids: Readonly<Partial<Record<IdName, string>>>): string {
	return Object.entries(LABELS).reduce((path, [name, label]) => {
		const placeholder = `{${name}}`;
		if (!path.includes(placeholder)) return path;
		return path.split(placeholder).join(idInPath(ids[name as IdName] ?? '', label));
	}, template);
}

/**
 * The ID as a path segment.
 * @throws {ApiError} for one that is empty, `.` or `..`, which would change the path itself.
 */
export function idInPath(given: string, label: string): string {
	const id = encoded(given.trim());
	if (id === undefined || id === '' || id === '.' || id === '..') {
		throw new ApiError(id === '' ? `'${label}' is empty` : `'${label}' is not an ID`, {
			hint: `Enter the ID as the service shows it.`,
		});
	}
	return id;
}

/** Undefined for a text that cannot be encoded, such as half a surrogate pair. */
function encoded(id: string): string | undefined {
	try {
		return encodeURIComponent(id);
	} catch {
		return undefined;
	}
}

export function requestOf(
	{ method, path, query = {}, headers, body }: ApiCall,
	{ baseUrl, allowUnauthorizedCerts }: ApiSettings,
	signal: AbortSignal | undefined,
): TransportRequest {
	const hasBody = body !== undefined;
	const search = new URLSearchParams(query).toString();
	return {
		method,
		url: `${baseUrl}${path}${search && `?${search}`}`,
		headers: {
			accept: 'application/json',
			'user-agent': USER_AGENT,
			...headers,
			...(hasBody && { 'content-type': 'application/json' }),
		},
		...(hasBody && { body: JSON.stringify(body) }),
		...(signal && { signal }),
		...(allowUnauthorizedCerts && { allowUnauthorizedCerts }),
	};
}
