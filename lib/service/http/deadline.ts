/** Ends work that takes too long or is cancelled, and says which of the two happened. */
import { TransportError } from '../common/errors';
import { abortReason } from './runtime';

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
