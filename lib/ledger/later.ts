/** Writes in the background what the ledger could not accept at once: each of these writes keeps an event from being lost, doubled or stuck. */
import { jittered, sleep } from '../shared/sleep';

/** Until it is written, a redelivery may be rejected as a duplicate. */
const PAUSE_MS = 1_000;
/** How many are tried at a time. */
const AT_ONCE = 100;

interface Waiting {
	readonly write: () => Promise<void>;
	readonly resolve: () => void;
}

let waiting: Waiting[] = [];
let isTrying = false;

/**
 * Resolves when `write` has succeeded: it is called until then, as long as the process lives. While the ledger is down, one of
 * all waiting writes is tried per second. Its timers do not keep the process alive.
 */
export async function untilWritten(write: () => Promise<void>): Promise<void> {
	try {
		await write();
	} catch {
		await new Promise<void>((resolve) => {
			waiting.push({ write, resolve });
			if (!isTrying) void tryAll();
		});
	}
}

async function tryAll(): Promise<void> {
	isTrying = true;
	for (let atOnce = 1; waiting.length > 0;) {
		if (atOnce === 1) await sleep(jittered(PAUSE_MS), { keepAlive: false });
		const some = waiting.slice(0, atOnce);
		const results = await Promise.allSettled(some.map(({ write }) => write()));
		const written = some.filter((_each, n) => results[n]?.status === 'fulfilled');
		for (const { resolve } of written) resolve();
		const failed = some.filter((each) => !written.includes(each));
		// The others first: one that always fails must not hold them up.
		waiting = [...waiting.slice(some.length), ...failed];
		atOnce = failed.length === 0 ? AT_ONCE : 1;
	}
	isTrying = false;
}
