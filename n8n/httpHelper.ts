/** Sends requests of the API client through n8n's own HTTP helpers, and makes its kind of answer out of theirs. */
import { addAbortSignal, Readable } from 'node:stream';
import type { IHttpRequestOptions } from 'n8n-workflow';
import { readBoundedBody, type TransportRequest, type TransportResponse } from '../lib/service';
import { isError } from '../lib/shared/thrown';
import {
	number,
	object,
	parse,
	pipe,
	safeParse,
	transform,
	union,
	unknown,
} from '../lib/vendor/zod';

const helperAnswer = union([
	object({ statusCode: number(), headers: unknown(), body: unknown() }),
	// A mock may return only the body, which means success.
	pipe(
		unknown(),
		transform((body) => ({ statusCode: 200, headers: {}, body })),
	),
]);
const thrownRefusal = pipe(
	object({ response: object({ status: number(), headers: unknown(), data: unknown() }) }),
	transform(({ response: { status, headers, data } }) => ({
		statusCode: status,
		headers,
		body: data,
	})),
);

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
	answer: Promise<unknown>,
	signal: AbortSignal | undefined,
): Promise<TransportResponse> {
	const given = await answer.then(
		(whole) => parse(helperAnswer, whole),
		(error: unknown) => {
			// The helper may still throw for a refusal by status, as it does when n8n evaluates with mocks.
			const refusal = safeParse(thrownRefusal, error);
			if (refusal.success) return refusal.data;
			throw isError(error) ? error : new Error('The request failed.');
		},
	);
	const { statusCode: status, body } = given;
	const headers = textHeaders(given.headers);
	if (!(body instanceof Readable)) return { status, headers, body: bodyText(body) };
	if (signal) addAbortSignal(signal, body);
	return { status, headers, body: await readBoundedBody(body, headers) };
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
