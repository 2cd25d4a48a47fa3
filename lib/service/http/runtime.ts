/** The clock, randomness and waiting, handed in so that tests neither wait nor guess. */
import { sleep } from '../../shared/sleep';
import { isError } from '../../shared/thrown';

export interface Runtime {
	/** Milliseconds since 1970. */
	now(): number;
	/** From 0 up to but not including 1. */
	random(): number;
	/** Resolves after `ms` milliseconds; rejects with the signal's reason when it is aborted before that. */
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemRuntime: Runtime = {
	now: () => Date.now(),
	random: () => Math.random(),
	sleep: (ms, signal) => sleep(ms, { signal }),
};

/** The reason of an aborted signal, as an error whatever it is. */
export function abortReason(signal: AbortSignal): Error {
	const reason: unknown = signal.reason;
	return isError(reason) ? reason : new Error('The operation was cancelled.');
}
