/** Limits a flood of similar log lines: one per pause, with the number of those left out. */
import { createLimiter } from '../../lib/shared/pace';

export interface LogLimiter {
	/** Writes the line, or counts it if one of its kind was written within the last pause. */
	write(kind: string, line: () => string): void;
}

const SECOND_MS = 1000;

/** A limiter of one line per `pauseMs` milliseconds and kind. */
export function createLogLimiter(warn: (line: string) => void, pauseMs = SECOND_MS): LogLimiter {
	const limiter = createLimiter<() => string>((line, leftOut) => {
		warn(leftOut === 0 ? line() : `${line()} (${leftOut} of this kind since the line before)`);
	}, pauseMs);
	return {
		write: (kind, line) => {
			limiter.call(kind, line);
		},
	};
}
