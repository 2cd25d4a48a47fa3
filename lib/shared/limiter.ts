/** Limits how often something is done. */

export interface Limiter<T> {
	/** Does it, or leaves it for later when it was done for this kind within the last pause. */
	call(kind: string, value: T): void;
}

/** The calls for one kind that were left out since it was done. */
interface LeftOut<T> {
	count: number;
	newest: T;
}

/**
 * Calls `act` at most once each `pauseMs` milliseconds for each kind: at once, and when a pause with calls that were left
 * out is over, with the newest of their values and their number, by a timer that does not keep the process alive.
 */
export function createLimiter<T>(
	act: (value: T, leftOut: number, kind: string) => void,
	pauseMs: number,
): Limiter<T> {
	const kinds = new Map<string, LeftOut<T>>();

	const pause = (kind: string, value: T) => {
		const leftOut = { count: 0, newest: value };
		kinds.set(kind, leftOut);
		setTimeout(() => {
			const { count, newest } = leftOut;
			if (count === 0) {
				kinds.delete(kind);
				return;
			}
			pause(kind, newest);
			act(newest, count, kind);
		}, pauseMs).unref();
	};

	return {
		call(kind, value) {
			const leftOut = kinds.get(kind);
			if (leftOut === undefined) {
				pause(kind, value);
				act(value, 0, kind);
				return;
			}
			leftOut.count += 1;
			leftOut.newest = value;
		},
	};
}
