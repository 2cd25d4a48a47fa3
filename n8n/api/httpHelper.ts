/** Sends requests of the API client through n8n's own HTTP helpers, and converts their responses. */
import { addAbortSignal, Readable } from 'node:stream';
import type { IHttpRequestOptions } from 'n8n-workflow';
import { readBoundedBody, type TransportRequest, type TransportResponse } from '../../lib/service';
import { isError } from '../../lib/shared/errors';
import { isRecord } from '../../lib/shared/values';

type Send = (request: TransportRequest) => Promise<TransportResponse>;

/** Through `helpers.httpRequest`, which every context except the credential test has. */
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
				...(request.allowUnauthorizedCerts && { skipSslCertificateValidation: true }),
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
	return async ({ url, method, headers, body, signal, allowUnauthorizedCerts }) =>
		await settled(
			request({
				uri: url,
				method,
				headers,
				...(body !== undefined && { body }),
				...(allowUnauthorizedCerts && { rejectUnauthorized: false }),
				useStream: true,
				resolveWithFullResponse: true,
				simple: false,
				followRedirect: false,
			}),
			signal,
		);
}

async function settled(
	response: Promise<unknown>,
	signal: AbortSignal | undefined,
): Promise<TransportResponse> {
	const { status, headers: given, body } = await response.then(wholeResponse, thrownResponse);
	const headers = textHeaders(given);
	if (!(body instanceof Readable)) return { status, headers, body: bodyText(body) };
	if (signal) addAbortSignal(signal, body);
	return { status, headers, body: await readBoundedBody(body, headers) };
}

interface HelperResponse {
	readonly status: number;
	readonly headers: unknown;
	readonly body: unknown;
}

function wholeResponse(given: unknown): HelperResponse {
	const { statusCode: status, headers, body } = isRecord(given) ? given : {};
	// A mock may return only the body, which means success.
	return typeof status === 'number'
		? { status, headers, body }
		: { status: 200, headers: {}, body: given };
}

/** The helper may still throw for an error status, as it does when n8n evaluates with mocks. */
function thrownResponse(error: unknown): HelperResponse {
	const response = isRecord(error) ? error['response'] : undefined;
	const { status, headers, data: body } = isRecord(response) ? response : {};
	if (typeof status === 'number') return { status, headers, body };
	throw isError(error) ? error : new Error('The request failed');
}

function textHeaders(headers: unknown): Record<string, string> {
	if (typeof headers !== 'object' || headers === null) return {};
	return Object.fromEntries(
		Object.entries(headers).flatMap(([name, value]: [string, unknown]) =>
			value === undefined || value === null
				? []
				: [[name.toLowerCase(), Array.isArray(value) ? value.join(', ') : bodyText(value)]],
		),
	);
}

function bodyText(body: unknown): string {
	if (body === undefined || body === null) return '';
	if (typeof body === 'string') return body;
	return Buffer.isBuffer(body) ? body.toString('utf8') : JSON.stringify(body);
}
