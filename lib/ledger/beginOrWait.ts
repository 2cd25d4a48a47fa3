/** Asks the ledger which events a run goes on with, again and again while the ledger is away. */
import { LedgerUnavailableError } from './errors';
import { jittered, sleep } from '../shared/sleep';
import type { Ledger } from './types';

const WAIT_MS = 30_000;
const PAUSE_MS = 500;

interface BeginOptions {
	/** How long to ask again while the ledger is away, in milliseconds. Default 30,000. */
	readonly waitMs?: number;
	/** Ends the waiting: the promise rejects with the signal's reason. */
	readonly signal?: AbortSignal | undefined;
}

/** As `Ledger.begin`; throws the ledger's last error when it could not be opened or asked for `waitMs`. */
export async function beginOrWait(
	openLedger: () => Promise<Ledger>,
	keys: readonly string[],
	run: string,
	retentionMs: number,
	{ waitMs = WAIT_MS, signal }: BeginOptions = {},
): Promise<boolean[]> {
	const giveUpAt = performance.now() + waitMs;
	for (;;) {
		signal?.throwIfAborted();
		try {
			return await (await openLedger()).begin(keys, run, retentionMs);
		} catch (error) {
			const isOver = performance.now() + PAUSE_MS >= giveUpAt;
			if (isOver || !(error instanceof LedgerUnavailableError)) throw error;
		}
		await sleep(jittered(PAUSE_MS), { signal });
	}
}
