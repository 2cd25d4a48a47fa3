/** Limits how often something is done. */

export interface Limiter<T> {
	/** Calls the action, or defers it if it ran for this kind within the last pause. */
	call(kind: string, value: T): void;
}

/** The calls for one kind that were left out since the action last ran. */
interface LeftOutCalls<T> {
	count: number;
	newest: T;
}

/**
 * Calls `act` at most once per `pauseMs` milliseconds and kind: at once, and at the end of a pause in which calls were
 * left out, with the newest of their values and their number. The timer does not keep the process alive.
 */
export function createLimiter<T>(
	act: (value: T, leftOut: number, kind: string) => void,
	pauseMs: number,
): Limiter<T> {
	const kinds = new Map<string, LeftOutCalls<T>>();

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
