/** The client of the service: its operations, made of paging and exchange. */
import { isRecord } from '../shared/values';
import * as calls from './calls';
import { RETRIES } from './defaults';
import { createRedactor } from './errors/redaction';
import { jsonOf } from './errors/serverText';
import { toldError } from './errors/toldError';
import { exchange, isSuccess, jsonAnswer, destinationOf, type ExchangeContext } from './exchange';
import type { RetryLimits } from './http/retry';
import { systemRuntime, type Runtime } from './http/runtime';
import { pageOf } from './lists/envelope';
import { checkListOptions } from './lists/listOptions';
import { walkPages, type FetchPage } from './lists/paging';
import { createdEndpoint, dataOf } from './schemas';
import { processAccessTokens, type AccessTokens } from './tokens/accessTokens';
import type {
	ApiClient,
	ApiRecord,
	ApiSettings,
	ListOptions,
	Transport,
	TransportResponse,
} from './types';

export interface ApiClientOptions {
	settings: ApiSettings;
	transport: Transport;
	/** Cancels requests under way, and those that are made later. */
	signal?: AbortSignal | undefined;
	/** Told what a person should know although nothing failed, such as a list that may be incomplete. */
	warn?: (message: string) => void;
	/** Where access tokens are kept; the store of the process when left out. */
	tokens?: AccessTokens;
	runtime?: Runtime;
	/** Bounds of the retries of a GET. */
	retries?: RetryLimits;
}

/** A client with these settings. Every method throws an `ApiError`, or the signal's reason when cancelled. */
export function createApiClient(options: ApiClientOptions): ApiClient {
	const { settings, transport, signal, warn = () => undefined } = options;
	const service = settings.serviceInterface;
	const context: ExchangeContext = {
		settings,
		transport,
		signal,
		tokens: options.tokens ?? processAccessTokens,
		redactor: createRedactor(settings.clientSecret),
		runtime: options.runtime ?? systemRuntime,
		retries: options.retries ?? RETRIES,
	};

	const walk = (call: calls.Call, list: ListOptions): AsyncIterable<ApiRecord> => {
		checkListOptions(list, service);
		const pageSize = Math.min(list.pageSize ?? Infinity, service.pageSize || Infinity);
		const fetchPage: FetchPage = async (limit, startingAfter) => {
			const query = {
				...list.query,
				...calls.limitQuery(service, limit),
				...(startingAfter !== undefined && { [service.cursorParameter]: startingAfter }),
			};
			const page = startingAfter === undefined ? { ...call, query } : calls.nextPage(call, query);
			const response = await exchange(page, context);
			const date = Date.parse(response.headers['date'] ?? '');
			if (!Number.isNaN(date)) list.onDate?.(date);
			const answer = jsonAnswer(response, call, context);
			return pageOf(answer, list.itemsPath, destinationOf(call, context));
		};
		return walkPages(fetchPage, { ...list, pageSize }, warn);
	};

	return {
		list: (resource, options) => walk(calls.list(resource, options.endpointId), options),
		resendDelivery: async (endpointId, deliveryId) => {
			const call = calls.resendDelivery(service, endpointId, deliveryId);
			return recordOf(await exchange(call, context), call, context);
		},
		createWebhookEndpoint: async ({ url, events }) => {
			const call = calls.createEndpoint(service, url, events);
			const response = await exchange(call, context);
			const record = recordOf(response, call, context);
			const endpoint = createdEndpoint(jsonOf(response), service);
			if (endpoint.secret !== undefined) context.redactor.add(endpoint.secret);
			return { ...endpoint, record };
		},
		webhookEndpointExists: async (endpointId) =>
			isSuccess((await exchange(calls.findEndpoint(service, endpointId), context)).status),
		deleteWebhookEndpoint: async (endpointId) => {
			const call = calls.deleteEndpoint(service, endpointId);
			const response = await exchange(call, context);
			const existed = isSuccess(response.status);
			return { existed, record: existed ? recordOf(response, call, context) : { success: true } };
		},
	};
}

/**
 * The answer's `data`, else the answer, else `{ success: true }`; an answer that is not an object becomes `{ value }`.
 * @throws {ApiError} when it is no JSON, and when it tells of an error instead.
 */
function recordOf(
	response: TransportResponse,
	call: calls.Call,
	context: ExchangeContext,
): ApiRecord {
	if (response.body.trim() === '') return { success: true };
	const answer = jsonAnswer(response, call, context);
	const data = dataOf(answer);
	if (isRecord(data)) return data;
	const failure = toldError(answer, destinationOf(call, context), call.mayBeDone);
	if (failure !== undefined) throw failure;
	return isRecord(answer) ? answer : { value: answer };
}
