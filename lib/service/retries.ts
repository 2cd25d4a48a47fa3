/** Adds retries to a sender, for requests that change nothing, with growing, jittered waits and within limits. */
import { timeOf } from '../shared/time';
import { numberOf } from '../shared/values';
import { RETRIES } from './defaults';
import {
	TransportError,
	type Transport,
	type TransportRequest,
	type TransportResponse,
	createDeadline,
	systemRuntime,
	type Runtime,
} from './transport';

export interface RetryLimits {
	/** Attempts after the first one. */
	maxRetries: number;
	/** Milliseconds from the start of the first attempt; no attempt begins or continues after that. */
	totalMs: number;
	/** Milliseconds: the longest wait before the first retry. */
	baseDelayMs: number;
}

interface RetryOptions {
	retries?: RetryLimits;
	runtime?: Runtime;
	/** The methods to retry, since they change nothing. */
	methods?: readonly TransportRequest['method'][];
}

const MAX_JITTER_MS = 250;

/**
 * Sends a request until its response is final, or the limits are reached (4 retries, 60 s in total).
 *
 * Retries the statuses 408, 425, 429, 500, 502, 503, 504 and network failures. Honors `Retry-After`.
 * @throws {TransportError} of the last attempt, or the signal's reason if the caller cancelled.
 */
export function withRetries(send: Transport, options: RetryOptions = {}): Transport {
	const { retries = RETRIES, runtime = systemRuntime, methods = ['GET'] } = options;
	return async (request) => {
		if (!methods.includes(request.method)) return await send(request);
		const end = runtime.now() + retries.totalMs;
		for (let retry = 0; ; retry++) {
			const attempt = await tryOnce(send, request, end - runtime.now());
			if (!attempt.again) return attempt.response;
			const asked = attempt.response && retryAfterMs(attempt.response.headers, runtime.now());
			const left = end - runtime.now();
			// Callers that are refused together get the same time: a random part keeps them from retrying together.
			const delay =
				asked === undefined
					? retries.baseDelayMs * 2 ** retry * (1 - runtime.random() / 2)
					: Math.min(asked + runtime.random() * MAX_JITTER_MS, Math.max(asked, left));
			if (retry >= retries.maxRetries || delay >= left) return giveUp(attempt, asked);
			await runtime.sleep(delay, request.signal);
		}
	};
}

type HttpAttempt =
	| { again: false; response: TransportResponse }
	| { again: true; response: TransportResponse; error?: never }
	| { again: true; error: TransportError; response?: never };

async function tryOnce(
	send: Transport,
	request: TransportRequest,
	withinMs: number,
): Promise<HttpAttempt> {
	const deadline = createDeadline(request.signal);
	try {
		deadline.restart(withinMs, 'the response took too long');
		const response = await send({ ...request, signal: deadline.signal });
		return { again: RETRIES.statuses.has(response.status), response };
	} catch (error) {
		if (error instanceof TransportError && error.retryable) return { again: true, error };
		throw error;
	} finally {
		deadline.end();
	}
}

function giveUp(
	attempt: HttpAttempt & { again: true },
	waitMs: number | undefined,
): TransportResponse {
	if (attempt.error) throw attempt.error;
	return waitMs ? { ...attempt.response, waitSeconds: Math.ceil(waitMs / 1000) } : attempt.response;
}

/**
 * The wait that a `Retry-After` header asks for (RFC 9110, 10.2.3: seconds or an HTTP date), in milliseconds from
 * `now`. Undefined without the header, or if it is neither.
 */
function retryAfterMs(headers: Readonly<Record<string, string>>, now: number): number | undefined {
	const value = headers['retry-after'] ?? '';
	const seconds = numberOf(value);
	if (seconds !== undefined) return seconds < 0 ? undefined : seconds * 1000;
	// Only the three forms of an HTTP date begin with a weekday; other texts are not a wait.
	const date = /^[A-Z][a-z]{2,8},? /.test(value) ? timeOf(value) : undefined;
	return date && Math.max(0, date - now);
}
