/** Retries while another process holds the lock, without blocking the event loop. */
import { jittered, sleep } from '../../shared/sleep';
import { isBusy } from './errors';

const STANDSTILL_MS = 250;
const LONGEST_MS = 5_000;
const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 20;

/**
 * Returns the result of `work`. Throws its error if it is not about a lock, if the lock was held for 250 ms without a
 * change of `progress`, or after 5 s. So it waits for other processes that each write for a moment.
 */
export async function retryWhileBusy<T>(work: () => T, progress: () => string): Promise<T> {
	const startedAt = performance.now();
	let seen: string | undefined;
	let seenAt = startedAt;
	for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
		try {
			return work();
		} catch (error) {
			if (!isBusy(error)) throw error;
			const now = performance.now();
			const seenNow = progress();
			if (seenNow !== seen) [seen, seenAt] = [seenNow, now];
			if (now - seenAt >= STANDSTILL_MS || now - startedAt >= LONGEST_MS) throw error;
		}
		await sleep(jittered(pauseMs));
	}
}
