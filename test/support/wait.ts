/** Waits for a condition, so that no test sleeps for a guessed time. */
import { setTimeout as sleep } from 'node:timers/promises';

interface WaitOptions {
	/** The condition, as it reads after "Waited 5 s for ". */
	readonly what: string;
	/** Milliseconds; 30,000 by default. */
	readonly timeoutMs?: number;
	/** Milliseconds between two checks; 100 by default. */
	readonly everyMs?: number;
	/** What has been reached so far: the time begins again whenever it changes. */
	readonly progress?: () => unknown;
	/** Text to add to the error when the time is over. */
	readonly detail?: () => string;
}

/**
 * Calls `look` until it returns something other than undefined or false, and returns that.
 * An error thrown by `look` ends the wait at once; when the time is over, throws an Error that names `what`.
 */
export async function waitFor<T>(
	look: () => T | undefined | false | Promise<T | undefined | false>,
	options: WaitOptions,
): Promise<T> {
	const { what, timeoutMs = 30_000, everyMs = 100, progress, detail } = options;
	let deadline = performance.now() + timeoutMs;
	let reached = progress?.();
	for (;;) {
		const seen = await look();
		if (seen !== undefined && seen !== false) return seen;
		const now = progress?.();
		if (now !== reached) deadline = performance.now() + timeoutMs;
		reached = now;
		if (performance.now() >= deadline) {
			const more = detail ? `\n${detail()}` : '';
			throw new Error(`Waited ${timeoutMs / 1000} s for ${what}, in vain.${more}`);
		}
		await sleep(everyMs);
	}
}

/** Code that waits for `opened` continues once `open` is called. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
	let open = (): void => undefined;
	const opened = new Promise<void>((resolve) => {
		open = resolve;
	});
	return { opened, open };
}
