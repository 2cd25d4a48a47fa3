/** Sends one call to the API with the bearer token (specification section 5), and turns a bad status into an error. */
import type { Call } from './calls';
import { USER_AGENT } from './defaults';
import {
	notTheServiceError,
	redirectError,
	statusError,
	unreachableError,
	unreadableError,
	type Destination,
} from './errors/answerFailure';
import { ApiError, FIELD_LABELS, TransportError } from './errors/errors';
import type { Redactor } from './errors/redaction';
import { jsonOf, serverText, statusText } from './errors/serverText';
import { urlOf } from './http/paths';
import { sendWithRetries, type RetryLimits } from './http/retry';
import type { Runtime } from './http/runtime';
import type { AccessTokens } from './tokens/accessTokens';
import type { ApiSettings, Outcome, Transport, TransportRequest, TransportResponse } from './types';

export interface ExchangeContext {
	settings: ApiSettings;
	transport: Transport;
	tokens: AccessTokens;
	redactor: Redactor;
	runtime: Runtime;
	retries: RetryLimits;
	signal?: AbortSignal | undefined;
}

/**
 * The answer to a call: a 2xx, or one of the accepted statuses.
 *
 * Only GET is retried. A 401 drops the token and sends the call once more with a new one, if there may be one.
 * @throws {ApiError} for every other answer, and when none came; the signal's reason when the caller cancelled.
 */
export async function exchange(call: Call, context: ExchangeContext): Promise<TransportResponse> {
	const destination = destinationOf(call, context);
	let outcome = await sendWithToken(call, context, destination);
	if (outcome.mayRenew) outcome = await sendWithToken(call, context, destination);
	const { status } = outcome.response;
	if (isSuccess(status) || call.accepted?.includes(status)) return outcome.response;
	throw failure(outcome, call, destination);
}

/** The answer's JSON. @throws {ApiError} when it is not JSON. */
export function jsonAnswer(
	response: TransportResponse,
	call: Call,
	context: ExchangeContext,
): unknown {
	const json = jsonOf(response);
	if (json === undefined) throw unreadableError(response, destinationOf(call, context));
	return json;
}

export function isSuccess(status: number): boolean {
	return status >= 200 && status < 300;
}

export function destinationOf(call: Call, { settings, redactor }: ExchangeContext): Destination {
	return { address: settings.baseUrl + call.path, field: 'baseUrl', redactor };
}

async function sendWithToken(
	call: Call,
	context: ExchangeContext,
	destination: Destination,
): Promise<Outcome & { mayRenew: boolean }> {
	const { settings, transport, tokens, signal, runtime, retries } = context;
	const { accessToken } = await tokens.get(settings, transport, signal);
	context.redactor.add(accessToken);
	const request: TransportRequest = {
		method: call.method,
		url: urlOf(settings.baseUrl, call.path, call.query ?? {}),
		headers: {
			accept: 'application/json',
			'user-agent': USER_AGENT,
			...call.headers,
			...(call.body !== undefined && { 'content-type': 'application/json' }),
			authorization: `Bearer ${accessToken}`,
		},
		...(call.body !== undefined && { body: JSON.stringify(call.body) }),
		...(signal && { signal }),
		...(settings.allowUnauthorizedCerts && { allowUnauthorizedCerts: true }),
	};
	const safe = call.method === 'GET';
	try {
		const outcome = safe
			? await sendWithRetries(transport, request, { limits: retries, runtime })
			: { response: await transport(request) };
		const mayRenew = outcome.response.status === 401 && tokens.drop(settings, accessToken);
		return { ...outcome, mayRenew };
	} catch (error) {
		throw unreachableError(error, destination, whatBecameOf(call, error));
	}
}

/** Of a request that changes something and got no answer. */
function whatBecameOf({ mayBeDone }: Call, error: unknown): string | undefined {
	const isUnsent = error instanceof TransportError && error.neverSent;
	return mayBeDone !== undefined && isUnsent
		? 'The request was never sent, so nothing has changed: you can repeat it.'
		: mayBeDone;
}

/** After these, nobody knows how far the service came with a request that changes something. */
const UNCERTAIN_STATUSES: ReadonlySet<number> = new Set([500, 502, 504]);

function failure(outcome: Outcome, call: Call, destination: Destination): ApiError {
	const { response } = outcome;
	const { status } = response;
	const says = serverText(response, destination.redactor);
	const answered = `${destination.address} answered ${statusText(status)}${says === '' ? '' : `: ${says}`}`;
	if (status >= 300 && status < 400) return redirectError(response, destination);
	if (status === 401) {
		return new ApiError(
			`${FIELD_LABELS.audience} is probably wrong: ${answered}, although the access token is fresh.`,
			{
				field: 'audience',
				status,
				hint: `Check Audience in the Asset Service API credential: it must be the API audience value that the service documents. Base URL and Auth URL must belong to the same service.`,
			},
		);
	}
	if (status === 403) {
		return new ApiError(`The API client is not allowed to ${call.purpose}: ${answered}.`, {
			status,
			hint: `The API client probably lacks the scope to ${call.purpose}. Give it that scope in the developers area of the service, or enter another API client in the Asset Service API credential.`,
		});
	}
	const hint =
		call.hints?.[status] ?? (UNCERTAIN_STATUSES.has(status) ? call.mayBeDone : undefined);
	if (hint !== undefined) return new ApiError(`${answered}.`, { status, hint });
	return status === 404 || status === 405 || status === 410
		? notTheServiceError(response, destination)
		: statusError(outcome, destination);
}
