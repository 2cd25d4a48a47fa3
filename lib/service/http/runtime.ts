/** The clock, randomness and waiting, passed in so that tests are fast and deterministic. */
import { isError } from '../../shared/errors';
import { sleep } from '../../shared/pace';

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
