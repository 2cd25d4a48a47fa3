/**
 * What a transport takes and returns, why no response arrived, and how long a request may take: its deadline, and its retries
 * if it changes nothing, with growing, jittered waits and within limits.
 */
import { isError } from '../shared/errors';
import { sleep } from '../shared/pace';
import { timeOf } from '../shared/time';
import { numberOf } from '../shared/values';
import { RETRIES } from './defaults';

export interface TransportRequest {
	method: 'GET' | 'POST' | 'DELETE';
	url: string;
	/** By lowercase name. */
	headers: Record<string, string>;
	body?: string;
	signal?: AbortSignal;
	allowUnauthorizedCerts?: boolean;
}

export interface TransportResponse {
	status: number;
	/** By lowercase name; a repeated header is joined with `, `. */
	headers: Record<string, string>;
	body: string;
	/** Set by the retries if the service asks to wait for longer than they may. */
	waitSeconds?: number;
}

/** Sends one request once and resolves with any status. Throws a `TransportError` if no complete response arrives. */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;

/** No complete response arrived, or one that cannot be read. The message is half a sentence that says why, such as "the connection was refused". */
export class TransportError extends Error {
	override readonly name = 'TransportError';
	/** Node's or undici's error code, or one of ours, to search for. */
	readonly code?: string | undefined;
	/** Whether the same request may succeed a moment later. */
	readonly retryable: boolean;
	/** What to do, if the transport knows better advice than checking the address. */
	readonly hint?: string | undefined;
	/** Whether it is certain that no part of the request left this machine, so that the service has changed nothing. */
	readonly neverSent: boolean;
	/** Whether a response arrived, and the message says what is wrong with it. */
	readonly hasResponse: boolean;

	constructor(
		message: string,
		details: Pick<TransportError, 'retryable' | 'code' | 'hint'> &
			Partial<Pick<TransportError, 'neverSent' | 'hasResponse'>>,
	) {
		super(message);
		this.code = details.code;
		this.retryable = details.retryable;
		this.hint = details.hint;
		this.neverSent = details.neverSent ?? false;
		this.hasResponse = details.hasResponse ?? false;
	}
}

export interface Runtime {
	/** Unix milliseconds. */
	now(): number;
	/** From 0 up to but not including 1. */
	random(): number;
	/** Resolves after `ms` milliseconds; rejects with the signal's reason if it is aborted before that. */
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemRuntime: Runtime = {
	now: () => Date.now(),
	random: () => Math.random(),
	sleep: (ms, signal) => sleep(ms, { signal }),
};

/** The reason of an aborted signal, always as an error. */
export function abortReason(signal: AbortSignal): Error {
	const reason: unknown = signal.reason;
	return isError(reason) ? reason : new Error('The operation was cancelled.');
}

/** A deadline that has not started yet; the caller's own signal applies at once. */
export function createDeadline(caller: AbortSignal | undefined) {
	const controller = new AbortController();
	let timer: NodeJS.Timeout | undefined;
	const cancel = () => {
		if (caller) controller.abort(abortReason(caller));
	};
	if (caller?.aborted) cancel();
	else caller?.addEventListener('abort', cancel);
	return {
		/** Aborted when the time is up or the caller cancels. */
		signal: controller.signal,
		/** Restarts the timer with `ms` milliseconds; `message` is the error when they are over. */
		restart: (ms: number, message: string) => {
			clearTimeout(timer);
			timer = setTimeout(() => {
				controller.abort(new TransportError(message, { code: 'ETIMEDOUT', retryable: true }));
			}, ms);
		},
		/** Stops the timer; nothing is aborted afterwards. */
		end: () => {
			clearTimeout(timer);
			caller?.removeEventListener('abort', cancel);
		},
	};
}

/** The work, or a rejection with the signal's reason as soon as it is aborted, for work that may ignore signals and continue. */
export function raceSignal<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
	if (!signal) return work;
	return new Promise<T>((resolve, reject) => {
		const stop = () => {
			reject(abortReason(signal));
		};
		if (signal.aborted) stop();
		else signal.addEventListener('abort', stop);
		work.then(resolve, reject).finally(() => {
			signal.removeEventListener('abort', stop);
		});
	});
}

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
