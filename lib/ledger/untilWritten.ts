/** Writes in the background what the ledger could not take at once. */
import { jittered, sleep } from '../shared/sleep';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Calls `write` for each key until it has resolved with true for every one of them, for as long as the process lives:
 * what is written here keeps an event from being lost or started twice. Its timers keep no process alive.
 */
export async function untilWritten(
	keys: readonly string[],
	write: (key: string) => Promise<boolean>,
): Promise<void> {
	let left = keys;
	for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
		const written = await Promise.all(left.map((key) => write(key).catch(() => false)));
		left = left.filter((_key, n) => !written[n]);
		if (left.length === 0) return;
		await sleep(jittered(pauseMs), { keepAlive: false });
	}
}
