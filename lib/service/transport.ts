/** What a transport takes and returns, why no response arrived, and the bounds of every response in time and size. */
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { isError, codeOf } from '../shared/errors';
import { sleep } from '../shared/pace';
import { LIMITS } from './defaults';

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

interface TransportErrorDetails {
	/** Node's or undici's error code, or one of ours, to search for. */
	code?: string | undefined;
	/** Whether the same request may succeed a moment later. */
	retryable: boolean;
	/** What to do, if the transport knows better advice than checking the address. */
	hint?: string | undefined;
	/** Whether it is certain that no part of the request left this machine, so that the service has changed nothing. */
	neverSent?: boolean;
}

/** No complete response arrived. The message is half a sentence that says why, such as "the connection was refused". */
export class TransportError extends Error {
	override readonly name = 'TransportError';
	readonly code?: string | undefined;
	readonly retryable: boolean;
	readonly hint?: string | undefined;
	readonly neverSent: boolean;

	constructor(message: string, details: TransportErrorDetails) {
		super(message);
		this.code = details.code;
		this.retryable = details.retryable;
		this.hint = details.hint;
		this.neverSent = details.neverSent ?? false;
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

interface Deadline {
	/** Aborted when the time is up or the caller cancels. */
	readonly signal: AbortSignal;
	/** Restarts the timer with `ms` milliseconds; `message` is the error when they are over. */
	restart(ms: number, message: string): void;
	/** Stops the timer; nothing is aborted afterwards. */
	end(): void;
}

/** A deadline that has not started yet; the caller's own signal applies at once. */
export function createDeadline(caller: AbortSignal | undefined): Deadline {
	const controller = new AbortController();
	let timer: NodeJS.Timeout | undefined;
	const cancel = () => {
		if (caller) controller.abort(abortReason(caller));
	};
	if (caller?.aborted) cancel();
	else caller?.addEventListener('abort', cancel);
	const end = () => {
		clearTimeout(timer);
		caller?.removeEventListener('abort', cancel);
	};
	return {
		signal: controller.signal,
		restart: (ms, message) => {
			clearTimeout(timer);
			timer = setTimeout(() => {
				controller.abort(new TransportError(message, { code: 'ETIMEDOUT', retryable: true }));
			}, ms);
		},
		end,
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

/** The encodings that a request asks for. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br';

const DECODERS: Readonly<
	Record<string, (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>>
> = {
	gzip: promisify(gunzip),
	'x-gzip': promisify(gunzip),
	deflate: promisify(inflate),
	br: promisify(brotliDecompress),
};

/**
 * The whole body as text.
 * @throws {TransportError} if it is longer than `maxBytes`, before or after decoding, has an encoding that was not
 * requested, or has more values or levels than JSON may have here.
 */
export async function readBoundedBody(
	chunks: AsyncIterable<Uint8Array>,
	headers: Readonly<Record<string, string>>,
	maxBytes = LIMITS.bodyBytes,
): Promise<string> {
	const parts: Uint8Array[] = [];
	const declared = Number(headers['content-length']);
	let length = 0;
	// Thrown inside the loop, which then closes the connection.
	for await (const chunk of chunks) {
		length += chunk.byteLength;
		if (length > maxBytes || declared > maxBytes) throw tooLongError(maxBytes);
		parts.push(chunk);
	}
	const bytes = await decode(Buffer.concat(parts), headers['content-encoding'], maxBytes);
	checkJsonBounds(bytes);
	return bytes.toString('utf8');
}

async function decode(bytes: Buffer, encoding: string | undefined, maxBytes: number) {
	const name = encoding?.trim().toLowerCase() ?? '';
	if (name === '' || name === 'identity' || bytes.length === 0) return bytes;
	const decoder = DECODERS[name];
	if (!decoder) throw unreadableError();
	try {
		return await decoder(bytes, { maxOutputLength: maxBytes });
	} catch (error) {
		throw codeOf(error) === 'ERR_BUFFER_TOO_LARGE' ? tooLongError(maxBytes) : unreadableError();
	}
}

export function tooLongError(maxBytes: number): TransportError {
	const megabytes = Math.round((maxBytes / 1024 / 1024) * 10) / 10;
	return new TransportError(`the response is larger than ${megabytes} MB`, {
		code: 'RESPONSE_TOO_LARGE',
		retryable: false,
		hint: 'Request fewer records at once: set a limit or filter the list.',
	});
}

function unreadableError(): TransportError {
	return new TransportError('the response has an encoding that cannot be read', {
		code: 'RESPONSE_UNREADABLE',
		retryable: false,
	});
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
/** Of brackets and braces, which differ in one bit. */
const OPEN = 0x7b;
const CLOSE = 0x7d;
const EITHER = 0x20;

/**
 * Reads the bytes once, by hand since this runs for every response. Invalid JSON is left to the parser.
 * @throws {TransportError} for more than `LIMITS.values` values or `LIMITS.depth` levels.
 */
function checkJsonBounds(bytes: Uint8Array): void {
	// Each value and each level takes at least two bytes.
	if (bytes.length < 2 * LIMITS.depth) return;
	let values = 0;
	let depth = 0;
	for (let at = 0; at < bytes.length; at++) {
		const byte = bytes[at] ?? 0;
		if (byte === QUOTE) {
			at++;
			while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
		} else if (byte === COMMA) {
			values++;
		} else if ((byte | EITHER) === OPEN) {
			values++;
			if (++depth > LIMITS.depth) {
				throw boundError(
					`the response is nested more than ${LIMITS.depth} levels deep`,
					'RESPONSE_TOO_DEEP',
				);
			}
		} else if ((byte | EITHER) === CLOSE) {
			depth--;
		}
	}
	if (values > LIMITS.values) {
		const millions = LIMITS.values / 1_000_000;
		throw boundError(
			`the response contains more than ${millions} million values`,
			'RESPONSE_TOO_LARGE',
		);
	}
}

function boundError(message: string, code: string): TransportError {
	return new TransportError(message, {
		code,
		retryable: false,
		hint: 'Request fewer records at once: set a limit or filter the list. If it keeps happening, report it to the provider of the service.',
	});
}
