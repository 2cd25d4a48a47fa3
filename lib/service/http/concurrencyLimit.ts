/** Limits how many tasks run at the same time; the others wait, first come, first served. */
import { abortReason } from './runtime';

/** Runs the work as soon as the limit allows. Rejects with the signal's reason if the caller gives up before that. */
export type ConcurrencyLimit = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

export function createConcurrencyLimit(most: number): ConcurrencyLimit {
	const waiting = new Set<() => void>();
	let going = 0;

	const place = (signal: AbortSignal) =>
		new Promise<void>((resolve, reject) => {
			const go = () => {
				signal.removeEventListener('abort', giveUp);
				resolve();
			};
			const giveUp = () => {
				waiting.delete(go);
				reject(abortReason(signal));
			};
			signal.addEventListener('abort', giveUp, { once: true });
			waiting.add(go);
		});

	return async (work, signal) => {
		if (signal.aborted) throw abortReason(signal);
		if (going < most) going++;
		else await place(signal);
		try {
			return await work();
		} finally {
			// The place goes to the next in line, so that no newcomer takes it first.
			const [next] = waiting;
			if (next === undefined) going--;
			else {
				waiting.delete(next);
				next();
			}
		}
	};
}
