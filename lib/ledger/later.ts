/** Writes in the background what the ledger could not accept at once: each of these writes keeps an event from being lost, doubled or stuck. */
import { jittered, sleep } from '../shared/pace';

/** Until it is written, a redelivery may be rejected as a duplicate. */
const PAUSE_MS = 1_000;
/** How many are tried at a time: all of them would be a burst, and of one node of a cluster the others must not wait for it. */
const AT_ONCE = 100;

interface WaitingWrite {
	readonly write: () => Promise<void>;
	readonly resolve: () => void;
}

let waiting: WaitingWrite[] = [];
let isTrying = false;

/**
 * Resolves when `write` has succeeded: it is called until then, as long as the process lives. Its timers do not keep the
 * process alive.
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
	for (let hasFailed = true; waiting.length > 0;) {
		if (hasFailed) await sleep(jittered(PAUSE_MS), { keepAlive: false });
		const some = waiting.slice(0, AT_ONCE);
		const results = await Promise.allSettled(some.map(({ write }) => write()));
		const failed = some.filter((_each, n) => results[n]?.status === 'rejected');
		for (const each of some) if (!failed.includes(each)) each.resolve();
		// The others first: one that always fails must not hold them up.
		waiting = [...waiting.slice(some.length), ...failed];
		hasFailed = failed.length > 0;
	}
	isTrying = false;
}
