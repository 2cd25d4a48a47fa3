/** Begins events for an attempt, and gives back those that it cannot run. */
import { jittered, sleep } from '../shared/pace';
import { LedgerUnavailableError } from './common/errors';
import { untilWritten } from './later';
import type { Beginning, Ledger } from './types';

const WAIT_MS = 30_000;
const PAUSE_MS = 500;
/** Longer than a call to the ledger needs to take effect. */
const SETTLED_MS = 3_000;

interface BeginOptions {
	/** How long to retry while the ledger is not available, in milliseconds. Default 30,000. */
	readonly waitMs?: number;
	/** Ends the waiting: the promise rejects with the signal's reason. */
	readonly signal?: AbortSignal | undefined;
}

/**
 * Like `Ledger.begin`. Throws the ledger's last error if it could not be opened or asked for `waitMs`. The events are
 * then given back in the background, so that the next delivery of each starts it.
 */
export async function beginOrWait(
	openLedger: () => Promise<Ledger>,
	keys: readonly string[],
	beginning: Beginning,
	{ waitMs = WAIT_MS, signal }: BeginOptions = {},
): Promise<boolean[]> {
	const giveUpAt = performance.now() + waitMs;
	try {
		for (;;) {
			signal?.throwIfAborted();
			try {
				return await (await openLedger()).begin(keys, beginning);
			} catch (error) {
				const isOver = performance.now() + PAUSE_MS >= giveUpAt;
				if (isOver || !(error instanceof LedgerUnavailableError)) throw error;
			}
			await sleep(jittered(PAUSE_MS), { signal });
		}
	} catch (error) {
		const isOver = error instanceof LedgerUnavailableError || signal?.aborted === true;
		if (isOver) for (const key of keys) void giveBack(openLedger, key, beginning.run);
		throw error;
	}
}

/**
 * Each event by itself: one whose node of a cluster is down must not have the others given back again and again. Twice: a `begin` that was
 * in progress when the attempt gave up may have arrived after the first time.
 */
async function giveBack(
	openLedger: () => Promise<Ledger>,
	key: string,
	run: string,
): Promise<void> {
	const write = async (isRunningOnly: boolean) => {
		const [isOver] = await (await openLedger()).giveBack([key], run, isRunningOnly);
		if (!isOver) throw new Error('The event is still being handed over');
	};
	await untilWritten(() => write(false));
	await sleep(SETTLED_MS, { keepAlive: false });
	await untilWritten(() => write(true));
}
