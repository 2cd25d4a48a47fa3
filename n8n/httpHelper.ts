/** Sends requests of the API client through n8n's own HTTP helpers, and brings their answers into its shape. */
import { addAbortSignal, Readable } from 'node:stream';
import type { IHttpRequestOptions } from 'n8n-workflow';
import {
	isError,
	readBoundedBody,
	type TransportRequest,
	type TransportResponse,
} from '../lib/service';

type Send = (request: TransportRequest) => Promise<TransportResponse>;

/** Through `helpers.httpRequest`, which every context but the credential test has. */
export function throughHttpRequest(
	httpRequest: (options: IHttpRequestOptions) => Promise<unknown>,
): Send {
	return async (request) =>
		await settled(
			httpRequest({
				url: request.url,
				method: request.method,
				headers: request.headers,
				...(request.body !== undefined && { body: request.body }),
				...(request.signal && { abortSignal: request.signal }),
				// A stream, since the helper itself reads bodies of any size.
				encoding: 'stream',
				returnFullResponse: true,
				ignoreHttpStatusErrors: true,
				disableFollowRedirect: true,
			}),
			request.signal,
		);
}

/** Through the older `helpers.request`, the only one that a credential test has. */
export function throughLegacyRequest(request: (options: object) => Promise<unknown>): Send {
	return async ({ url, method, headers, body, signal }) =>
		await settled(
			request({
				uri: url,
				method,
				headers,
				...(body !== undefined && { body }),
				useStream: true,
				resolveWithFullResponse: true,
				simple: false,
				followRedirect: false,
			}),
			signal,
		);
}

async function settled(
	answer: Promise<unknown>,
	signal: AbortSignal | undefined,
): Promise<TransportResponse> {
	// For a refusal by status the helper may throw all the same, as it does when n8n evaluates with mocks.
	const full = await answer.catch(
		(error: unknown) => answerIn(error) ?? Promise.reject(asError(error)),
	);
	const status = field(full, 'statusCode');
	// A bare body, which a mock may give, stands for success.
	if (typeof status !== 'number') return { status: 200, headers: {}, body: asText(full) };
	const headers = textHeaders(field(full, 'headers'));
	const body = field(full, 'body');
	if (!(body instanceof Readable)) return { status, headers, body: asText(body) };
	if (signal) addAbortSignal(signal, body);
	return { status, headers, body: await readBoundedBody(body, headers) };
}

function asError(error: unknown): Error {
	return isError(error) ? error : new Error('The request failed.');
}

function answerIn(error: unknown): object | undefined {
	const response = field(error, 'response');
	const statusCode = field(response, 'status');
	if (typeof statusCode !== 'number') return undefined;
	return { statusCode, headers: field(response, 'headers'), body: field(response, 'data') };
}

function textHeaders(headers: unknown): Record<string, string> {
	if (typeof headers !== 'object' || headers === null) return {};
	return Object.fromEntries(
		Object.entries(headers).flatMap(([name, value]: [string, unknown]) =>
			value === undefined || value === null
				? []
				: [[name.toLowerCase(), Array.isArray(value) ? value.join(', ') : asText(value)]],
		),
	);
}

function asText(body: unknown): string {
	if (body === undefined || body === null) return '';
	if (typeof body === 'string') return body;
	return Buffer.isBuffer(body) ? body.toString('utf8') : JSON.stringify(body);
}

function field(value: unknown, name: string): unknown {
	return typeof value === 'object' && value !== null
		? (value as Readonly<Record<string, unknown>>)[name]
		: undefined;
}
