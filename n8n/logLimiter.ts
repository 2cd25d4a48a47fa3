/** Limits a flood of similar log lines: one per pause, with the number of those left out. */

export interface LogLimiter {
	/** Writes the line, or counts it when one of its kind was written within the last pause. */
	write(kind: string, line: () => string): void;
}

/** The lines of one kind that were left out since one was written. */
interface LeftOut {
	count: number;
	newest: () => string;
}

const SECOND_MS = 1000;

/**
 * A limiter of one line each `pauseMs` milliseconds for each kind. When they are over, the newest line that was left out is written
 * with the number of all, by a timer that does not keep the process alive.
 */
export function createLogLimiter(warn: (line: string) => void, pauseMs = SECOND_MS): LogLimiter {
	const kinds = new Map<string, LeftOut>();

	const pause = (kind: string) => {
		const leftOut: LeftOut = { count: 0, newest: () => '' };
		kinds.set(kind, leftOut);
		setTimeout(() => {
			if (leftOut.count === 0) {
				kinds.delete(kind);
				return;
			}
			pause(kind);
			warn(`${leftOut.newest()} (${leftOut.count} of this kind since the line before)`);
		}, pauseMs).unref();
	};

	return {
		write(kind, line) {
			const leftOut = kinds.get(kind);
			if (leftOut === undefined) {
				pause(kind);
				warn(line());
				return;
			}
			leftOut.count += 1;
			leftOut.newest = line;
		},
	};
}
