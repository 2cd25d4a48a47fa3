/** The client of the service: its operations, the request of each with the texts for its errors, and the test of its credential. */
import { KnownIds } from '../shared/knownIds';
import { timeOf } from '../shared/time';
import { isRecord, own, valueAt } from '../shared/values';
import { parse, safeParse } from '../vendor/zod';
import { parseApiSettings, plainHttpWarning } from './credential';
import { type ServiceInterface, FIELDS } from './defaults';
import { pageIn } from './envelope';
import { ApiError, IN_CREDENTIAL, IN_INTERFACE } from './errors';
import { type ListedResource, type ApiRecord, LISTS, type ListRow } from './lists';
import {
	type ListOptions,
	type ListedPage,
	checkListOptions,
	walkPages,
	type WarnOfList,
} from './paging';
import { eventShaper } from './paths';
import { jsonOf } from './response';
import { createdEndpoint, inData } from './schemas';
import { createSender, pathWith, type ApiCall, type Reply } from './sender';
import { createAccessTokens } from './tokens';
import { type RetryLimits, type Transport, systemRuntime } from './transport';

/** The client of the service. It handles tokens, paging, retries and errors. */
export interface ApiClient {
	readonly serviceInterface: ServiceInterface;
	/** The pages of a list; `recordsOf` has their records. */
	list(resource: ListedResource, options: ListOptions): AsyncIterable<ListedPage>;
	resendDelivery(endpointId: string, deliveryId: string): Promise<ApiRecord>;
	createWebhookEndpoint(input: {
		url: string;
		events: readonly string[];
	}): Promise<{ id?: string; secret?: string; record: ApiRecord }>;
	/** Whether the endpoint exists at the service. */
	webhookEndpointExists(endpointId: string): Promise<boolean>;
	/** Whether the endpoint existed: deleting one that no longer exists is not an error. */
	deleteWebhookEndpoint(endpointId: string): Promise<boolean>;
}

/** Creates a client with these settings. Every method throws an `ApiError`, or the signal's reason when cancelled. */
export function createApiClient(
	options: Parameters<typeof createSender>[0] & {
		/** Called with warnings although nothing failed, such as a list that may be incomplete. */
		readonly warn?: WarnOfList;
		/** What earlier clients have left out of lists; each record is named once. */
		readonly known?: KnownIds;
	},
): ApiClient {
	const { warn = () => undefined, known = new KnownIds() } = options;
	const service = options.settings.serviceInterface;
	const send = createSender(options);
	const shape = eventShaper(service);

	const list: ApiClient['list'] = (resource, wanted) => {
		const call = listCall(resource, wanted.endpointId);
		checkListOptions(wanted, service);
		const pageSize = Math.min(wanted.pageSize ?? Infinity, service.pageSize || Infinity);
		const itemsPath = wanted.itemsPath?.trim() ?? '';
		const isEvents = resource === 'event';
		const idPath = isEvents ? service.eventIdPath : FIELDS.id;
		const fetchPage: Parameters<typeof walkPages>[0] = async (limit, startingAfter) => {
			const query = {
				...wanted.query,
				...limitQuery(service, limit),
				...(startingAfter !== undefined && { [service.cursorParameter]: startingAfter }),
			};
			const page = startingAfter === undefined ? { ...call, query } : nextPage(call, query);
			const reply = await send(page);
			const date = timeOf(reply.headers['date']);
			if (date !== undefined) wanted.onDate?.(date);
			return pageIn(reply, { ...service, ...(itemsPath !== '' && { itemsPath }) }, idPath);
		};
		const { records } = LISTS[resource];
		const kind = { resource, records, idPath, shape: isEvents ? shape : undefined };
		return walkPages(fetchPage, { ...wanted, ...kind, pageSize, known }, warn);
	};

	return {
		serviceInterface: service,
		list,
		resendDelivery: async (endpointId, deliveryId) => {
			const call: ApiCall = {
				method: 'POST',
				path: pathWith(service.resendPath, { endpointId, deliveryId }),
				purpose: 'resend deliveries',
				hints: notFound(
					'Check the endpoint ID and the delivery ID: the service does not know this delivery. It keeps deliveries for 30 days.',
				),
				mayBeDone: mayBeDone(
					'check the attempts of this delivery with Delivery > Get Many before you repeat it.',
				),
			};
			return recordOf(await send(call), call);
		},
		createWebhookEndpoint: async ({ url, events }) => {
			const call: ApiCall = {
				method: 'POST',
				path: service.endpointsPath,
				body: { [service.endpointUrlField]: url, [service.endpointEventsField]: events },
				purpose: 'create webhook endpoints',
				mayBeDone: mayBeDone(
					'before you repeat it, look for an endpoint with this URL at the service and delete it if you do not have its secret.',
				),
			};
			const reply = await send(call);
			const record = recordOf(reply, call);
			const endpoint = endpointIn(jsonOf(reply), service);
			if (endpoint.secret !== undefined) reply.destination.redactor.add(endpoint.secret);
			return { ...endpoint, record };
		},
		webhookEndpointExists: async (endpointId) => {
			// The specification has no request for the endpoint itself.
			const deliveries = listCall('delivery', endpointId);
			const query = limitQuery(service, 1);
			return (await send({ ...deliveries, query, accepted: GONE })).isSuccess;
		},
		deleteWebhookEndpoint: async (endpointId) => {
			const call: ApiCall = {
				method: 'DELETE',
				path: pathWith(`${service.endpointsPath}/{endpointId}`, { endpointId }),
				purpose: 'delete webhook endpoints',
				mayBeDone: mayBeDone(
					'look for the endpoint at the service, or repeat the request. Deleting twice does no harm.',
				),
				accepted: GONE,
			};
			const reply = await send(call);
			// A 2xx response can still report an error.
			if (reply.isSuccess) recordOf(reply, call);
			return reply.isSuccess;
		},
	};
}

/**
 * The response's `data`, otherwise the response, otherwise `{ success: true }`. A response that is not an object
 * becomes `{ value }`.
 * @throws {ApiError} when it is not JSON, and when it contains an error instead.
 */
function recordOf(reply: Reply, { mayBeDone }: ApiCall): ApiRecord {
	if (reply.body.trim() === '') return { success: true };
	const json = reply.json();
	if (safeParse(inData, json).success) return own(json, FIELDS.data) as ApiRecord;
	const error = reply.destination.errorIn(json, mayBeDone);
	if (error !== undefined) throw error;
	return isRecord(json) ? json : { value: json };
}

/** Each is returned if the response has it, in `data` or next to it. */
function endpointIn(
	json: unknown,
	{ endpointIdField, endpointSecretField }: ServiceInterface,
): { id?: string; secret?: string } {
	const [inside, outside] = [own(json, FIELDS.data), json].map((place) =>
		parse(createdEndpoint, {
			id: valueAt(place, endpointIdField),
			secret: valueAt(place, endpointSecretField),
		}),
	);
	const id = inside?.id ?? outside?.id;
	const secret = inside?.secret ?? outside?.secret;
	return { ...(id !== undefined && { id }), ...(secret !== undefined && { secret }) };
}

/** Milliseconds. A person waits for the result: including n8n's own work, it arrives within 15 s. */
const PATIENCE_MS = 14_000;

/** One retry, and the rest of the total time for each request in turn. */
function patience(): RetryLimits {
	const end = systemRuntime.now() + PATIENCE_MS;
	return {
		maxRetries: 1,
		baseDelayMs: 500,
		get totalMs() {
			return Math.max(0, end - systemRuntime.now());
		},
	};
}

const NO_SCOPE =
	'The token response has no scope, so permissions that the API client lacks show only when a node needs them.';

/**
 * Whether the service can be reached and used with these settings. Requests a new token, whatever tokens are kept, so that an
 * old one never hides a wrong secret. The message distinguishes a wrong URL, a rejected client, a wrong audience and a missing
 * scope; it names the field to correct and contains no secret. The warnings are about URLs with plain http and a token response without a scope.
 */
export async function testCredential(
	values: unknown,
	transport: Transport,
): Promise<{ ok: true; warning?: string } | { ok: false; message: string }> {
	try {
		const settings = parseApiSettings(values);
		const retries = patience();
		const tokens = createAccessTokens({ retries });
		const send = createSender({ settings, transport, tokens, retries });
		const query = limitQuery(settings.serviceInterface, 1);
		pageIn(await send({ ...listCall('asset'), query }), settings.serviceInterface, FIELDS.id);
		// The same token, since these tokens are only for this test.
		const { scope = '' } = await tokens.get(settings, transport);
		const warnings = [plainHttpWarning(settings) ?? '', scope.trim() === '' ? NO_SCOPE : ''];
		const warning = warnings.filter((text) => text !== '').join(' ');
		return { ok: true, ...(warning !== '' && { warning }) };
	} catch (error) {
		if (!(error instanceof ApiError)) throw error;
		// A person reads this in the form of the credential itself.
		return { ok: false, message: `${error.message}. ${error.hint.replaceAll(IN_CREDENTIAL, '')}` };
	}
}

const GONE = [404, 410];

const notFound = (hint: string) => ({ 404: hint, 410: hint });
const UNKNOWN_ENDPOINT = notFound(
	`Check the endpoint ID: the service does not know it. If it is right, check 'Base URL'${IN_CREDENTIAL}.`,
);
const mayBeDone = (whereToLook: string) =>
	`The service may have processed the request anyway: ${whereToLook}`;

/** The query that asks for this many records; empty if the service is to choose. */
const limitQuery = (
	{ pageSize, limitParameter }: ServiceInterface,
	limit: number,
): Record<string, string> => (pageSize === 0 ? {} : { [limitParameter]: String(limit) });

/** The list of a resource; `endpointId` if its path contains it. */
const listCall = (resource: ListedResource, endpointId = ''): ApiCall => {
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
const nextPage = (call: ApiCall, query: Readonly<Record<string, string>>): ApiCall => {
	const hint = `The previous page loaded, but the service did not accept the cursor for the next one. Try again. If it keeps happening, check 'Cursor Parameter'${IN_INTERFACE}.`;
	return { ...call, query, hints: { 400: hint, 404: hint, 405: hint, 410: hint, 422: hint } };
};
