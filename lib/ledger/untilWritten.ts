/** Writes in the background what the ledger could not accept at once. */
import { jittered, sleep } from '../shared/sleep';

/** As short as the longest retry pause of a commit: until it is written, a copy is rejected as a duplicate. */
const PAUSE_MS = 1_000;

/**
 * Calls `write` for each key until it has resolved for all of them, as long as the process lives: these writes prevent
 * an event from being lost or started twice. Its timers do not keep the process alive.
 */
export async function untilWritten(
	keys: readonly string[],
	write: (key: string) => Promise<void>,
): Promise<void> {
	for (let left = keys; ;) {
		const written = await Promise.allSettled(left.map(write));
		left = left.filter((_key, n) => written[n]?.status === 'rejected');
		if (left.length === 0) return;
		await sleep(jittered(PAUSE_MS), { keepAlive: false });
	}
}
