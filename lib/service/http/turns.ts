/** Lets so many go at once; the others wait, first come, first served. */
import { abortReason } from './runtime';

/** Does the work when it is its turn. Rejects with the signal's reason when the caller gives up before that. */
export type Turns = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

export function createTurns(most: number): Turns {
	const waiting = new Set<() => void>();
	let going = 0;

	const turn = (signal: AbortSignal) =>
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
		else await turn(signal);
		try {
			return await work();
		} finally {
			// The turn is handed on; nobody who comes now can take it first.
			const [next] = waiting;
			if (next === undefined) going--;
			else {
				waiting.delete(next);
				next();
			}
		}
	};
}
