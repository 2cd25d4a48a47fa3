/** Retries a request that changes nothing, after growing, jittered waits and within bounds. */
import { RETRIED_STATUSES, RETRIES } from '../defaults';
import { TransportError } from '../errors/errors';
import type { Outcome, Transport, TransportRequest, TransportResponse } from '../types';
import { createDeadline } from './deadline';
import { systemRuntime, type Runtime } from './runtime';

export interface RetryLimits {
	/** Attempts after the first one. */
	maxRetries: number;
	/** Milliseconds from the start of the first attempt; no attempt begins or goes on after them. */
	totalMs: number;
	/** Milliseconds: the longest wait before the first retry. */
	baseDelayMs: number;
}

export interface RetryOptions {
	limits?: RetryLimits;
	runtime?: Runtime;
}

const MAX_JITTER_MS = 250;

/**
 * Sends the request until its answer is one that will not change, or the bounds are reached (4 retries, 60 s in all).
 *
 * Retried are the statuses 408, 425, 429, 500, 502, 503, 504 and failures of the network. `Retry-After` is honoured.
 * @throws {TransportError} of the last attempt, or the signal's reason when the caller cancelled.
 */
export async function sendWithRetries(
	transport: Transport,
	request: TransportRequest,
	options: RetryOptions = {},
): Promise<Outcome> {
	const { limits = RETRIES, runtime = systemRuntime } = options;
	const end = runtime.now() + limits.totalMs;
	for (let retry = 0; ; retry++) {
		const attempt = await tryOnce(transport, request, end - runtime.now());
		if (!attempt.again) return { response: attempt.response };
		const asked = attempt.response && retryAfterMs(attempt.response.headers, runtime.now());
		const left = end - runtime.now();
		// Callers that are refused together are told the same time: a random part keeps them from coming back together.
		const delay =
			asked === undefined
				? limits.baseDelayMs * 2 ** retry * (1 - runtime.random() / 2)
				: Math.min(asked + runtime.random() * MAX_JITTER_MS, Math.max(asked, left));
		if (retry >= limits.maxRetries || delay >= left) return giveUp(attempt, asked);
		await runtime.sleep(delay, request.signal);
	}
}

type Attempt =
	| { again: false; response: TransportResponse }
	| { again: true; response: TransportResponse; error?: never }
	| { again: true; error: TransportError; response?: never };

async function tryOnce(
	transport: Transport,
	request: TransportRequest,
	withinMs: number,
): Promise<Attempt> {
	const deadline = createDeadline(request.signal);
	try {
		deadline.restart(withinMs, 'the answer took too long');
		const response = await transport({ ...request, signal: deadline.signal });
		return { again: RETRIED_STATUSES.has(response.status), response };
	} catch (error) {
		if (error instanceof TransportError && error.retryable) return { again: true, error };
		throw error;
	} finally {
		deadline.end();
	}
}

function giveUp(attempt: Attempt & { again: true }, waitMs: number | undefined): Outcome {
	if (attempt.error) throw attempt.error;
	return waitMs === undefined || waitMs === 0
		? { response: attempt.response }
		: { response: attempt.response, waitSeconds: Math.ceil(waitMs / 1000) };
}

/**
 * What a `Retry-After` header asks for (RFC 9110, 10.2.3: seconds or an HTTP date), in milliseconds from `now`.
 * Undefined without the header, or with one that is neither.
 */
export function retryAfterMs(
	headers: Readonly<Record<string, string>>,
	now: number,
): number | undefined {
	const value = headers['retry-after']?.trim() ?? '';
	if (/^\d+(?:\.\d+)?$/.test(value)) return Number(value) * 1000;
	// Only the three forms of an HTTP date begin with a day's name; Date.parse would take far more. One of them leaves
	// out the time zone, which is GMT in all of them.
	const date = /^[A-Z][a-z]{2,8},? /.test(value) ? Date.parse(`${value} GMT`) : Number.NaN;
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
