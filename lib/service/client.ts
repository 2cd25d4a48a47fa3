/** The client of the service: its operations, built from calls and paging. */
import { timeOf } from '../shared/time';
import { isRecord, own, valueAt } from '../shared/values';
import * as calls from './calls';
import { ENVELOPE, type ServiceInterface } from './common/defaults';
import { asId } from './common/record';
import type { ApiClient, ApiRecord, ApiCall, ListOptions } from './common/types';
import { errorInSuccess } from './errors/errorInSuccess';
import { isSuccess, readJson, type Reply } from './errors/withErrors';
import { jsonOf } from './http/json';
import { pageOf } from './lists/envelope';
import { checkListOptions, walkPages, type FetchPage } from './lists/paging';
import { createSender, type SenderOptions } from './sender';

export interface ApiClientOptions extends SenderOptions {
	/** Called with warnings although nothing failed, such as a list that may be incomplete. */
	warn?: (message: string) => void;
}

/** Creates a client with these settings. Every method throws an `ApiError`, or the signal's reason when cancelled. */
export function createApiClient(options: ApiClientOptions): ApiClient {
	const { warn = () => undefined } = options;
	const service = options.settings.serviceInterface;
	const send = createSender(options);

	const walk = (call: ApiCall, list: ListOptions): AsyncIterable<ApiRecord> => {
		checkListOptions(list, service);
		const pageSize = Math.min(list.pageSize ?? Infinity, service.pageSize || Infinity);
		const fetchPage: FetchPage = async (limit, startingAfter) => {
			const query = {
				...list.query,
				...calls.limitQuery(service, limit),
				...(startingAfter !== undefined && { [service.cursorParameter]: startingAfter }),
			};
			const page = startingAfter === undefined ? { ...call, query } : calls.nextPage(call, query);
			const reply = await send(page);
			const date = timeOf(reply.headers['date']);
			if (date !== undefined) list.onDate?.(date);
			return pageOf(readJson(reply), list.itemsPath, reply.destination);
		};
		return walkPages(fetchPage, { ...list, pageSize }, warn);
	};

	return {
		serviceInterface: service,
		list: (resource, options) => walk(calls.list(resource, options.endpointId), options),
		resendDelivery: async (endpointId, deliveryId) => {
			const call = calls.resendDelivery(service, endpointId, deliveryId);
			return recordOf(await send(call), call);
		},
		createWebhookEndpoint: async ({ url, events }) => {
			const call = calls.createEndpoint(service, url, events);
			const reply = await send(call);
			const record = recordOf(reply, call);
			const endpoint = createdEndpoint(jsonOf(reply), service);
			if (endpoint.secret !== undefined) reply.destination.redactor.add(endpoint.secret);
			return { ...endpoint, record };
		},
		webhookEndpointExists: async (endpointId) =>
			isSuccess((await send(calls.findEndpoint(service, endpointId))).status),
		deleteWebhookEndpoint: async (endpointId) => {
			const call = calls.deleteEndpoint(service, endpointId);
			const reply = await send(call);
			const existed = isSuccess(reply.status);
			// A 2xx response can still report an error.
			if (existed) recordOf(reply, call);
			return existed;
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
	const json = readJson(reply);
	const data = own(json, ENVELOPE.data);
	if (isRecord(data)) return data;
	const error = errorInSuccess(json, reply.destination, mayBeDone);
	if (error !== undefined) throw error;
	return isRecord(json) ? json : { value: json };
}

/** Each is returned if the response has it, in `data` or next to it. */
function createdEndpoint(
	json: unknown,
	{ endpointIdField, endpointSecretField }: ServiceInterface,
): { id?: string; secret?: string } {
	const places = [own(json, ENVELOPE.data), json];
	const id = places.map((place) => asId(valueAt(place, endpointIdField))).find(isPresent);
	const secret = places.map((place) => valueAt(place, endpointSecretField)).find(isText);
	return { ...(id !== undefined && { id }), ...(secret !== undefined && { secret }) };
}

const isPresent = (id: string | undefined) => id !== undefined;
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
