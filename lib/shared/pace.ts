/** When work runs: pauses, several tasks at the same time, pieces of long lists, and limits on how often something is done. */

/** Resolves after `ms` milliseconds, or rejects with the signal's reason if it is aborted before that. */
export function sleep(
	ms: number,
	options: { readonly signal?: AbortSignal | undefined; readonly keepAlive?: boolean } = {},
): Promise<void> {
	const { signal, keepAlive = true } = options;
	return new Promise((resolve, reject) => {
		const timer = setTimeout(() => {
			signal?.removeEventListener('abort', abort);
			resolve();
		}, ms);
		const abort = () => {
			clearTimeout(timer);
			// The reason is the caller's own; without one, AbortSignal gives an AbortError.
			reject(signal?.reason as Error);
		};
		if (!keepAlive) timer.unref();
		if (signal?.aborted) abort();
		else signal?.addEventListener('abort', abort, { once: true });
	});
}

/** Between half of `ms` and all of it, so that those who wait for the same thing do not retry together. */
export function jittered(ms: number): number {
	return ms * (0.5 + Math.random() / 2);
}

const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 250;

/** Returns one pause after the other, in milliseconds, for those who wait for the work of another process: jittered, and longer each time. */
export function growingPause(): () => number {
	let nextMs = FIRST_PAUSE_MS;
	return () => {
		const pauseMs = jittered(nextMs);
		nextMs = Math.min(1.5 * nextMs, LONGEST_PAUSE_MS);
		return pauseMs;
	};
}

/**
 * Calls `work` for each index below `count`, at most `atOnce` at the same time, each started after the ones before it.
 * After a failure no further call starts; the ones in progress are waited for.
 * @throws the rejection of the call with the lowest index.
 */
export async function inParallel<T>(
	count: number,
	atOnce: number,
	work: (index: number) => Promise<T>,
): Promise<T[]> {
	const results: T[] = [];
	const failures = new Map<number, unknown>();
	let next = 0;
	const lane = async () => {
		while (next < count && failures.size === 0) {
			const index = next++;
			try {
				results[index] = await work(index);
			} catch (error) {
				failures.set(index, error);
			}
		}
	};
	await Promise.all(Array.from({ length: Math.min(atOnce, count) }, lane));
	if (failures.size > 0) throw failures.get(Math.min(...failures.keys()));
	return results;
}

/** Entries of the ledger that are handled in parallel: one round trip to Redis. Other work of the process runs in between. */
const ENTRIES_AT_ONCE = 100;

/** Pieces of `size` entries each, in order; the last one may be shorter. */
export function chunksOf<T>(all: readonly T[], size = ENTRIES_AT_ONCE): T[][] {
	const count = Math.ceil(all.length / size);
	return Array.from({ length: count }, (_, n) => all.slice(n * size, (n + 1) * size));
}

interface Limiter<T> {
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
