/** Limits a flood of similar log lines: beyond a rate they are only counted, and one line gives the sum. */

export interface LogLimiter {
	/** Writes the line, or counts it when the source has already written its share of this second. */
	write(source: string, reason: string, line: () => string): void;
}

interface Window {
	startedAt: number;
	written: number;
	/** How many lines were left out, by reason. */
	suppressed: Map<string, number>;
}

const WINDOW_MS = 1000;

/**
 * A limiter of `perSecond` lines for each source.
 * The sum is written when the second is over, by a timer that does not keep the process alive.
 */
export function createLogLimiter(
	warn: (line: string) => void,
	{ perSecond = 100, now = Date.now }: { perSecond?: number; now?: () => number } = {},
): LogLimiter {
	const windows = new Map<string, Window>();

	const close = (source: string, window: Window) => {
		if (windows.get(source) === window) windows.delete(source);
		if (window.suppressed.size === 0) return;
		const counts = [...window.suppressed].map(([reason, count]) => `${reason}: ${count}`);
		warn(`${source}: more lines of the same second left out (${counts.join(', ')})`);
		window.suppressed.clear();
	};

	const open = (source: string): Window => {
		const window = { startedAt: now(), written: 0, suppressed: new Map<string, number>() };
		windows.set(source, window);
		return window;
	};

	return {
		write(source, reason, line) {
			let window = windows.get(source);
			if (window !== undefined && now() - window.startedAt >= WINDOW_MS) {
				close(source, window);
				window = undefined;
			}
			window ??= open(source);
			if (window.written < perSecond) {
				window.written += 1;
				warn(line());
				return;
			}
			if (window.suppressed.size === 0) {
				const ended = window;
				setTimeout(() => {
					close(source, ended);
				}, WINDOW_MS).unref();
			}
			window.suppressed.set(reason, (window.suppressed.get(reason) ?? 0) + 1);
		},
	};
}
