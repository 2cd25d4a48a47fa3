/** Begins a run: asks the ledger which events the run continues with, and gives back those that it cannot use. */
import { jittered, sleep } from '../shared/sleep';
import { LedgerUnavailableError } from './common/errors';
import type { Ledger } from './common/types';
import { untilWritten } from './untilWritten';

const WAIT_MS = 30_000;
const PAUSE_MS = 500;
/** Longer than a call to the ledger needs to take effect. */
const SETTLED_MS = 3_000;

interface BeginOptions {
	/** How long to retry while the ledger is not available, in milliseconds. Default 30,000. */
	readonly waitMs?: number;
	/** Ends the waiting: the promise rejects with the signal's reason. */
	readonly signal?: AbortSignal | undefined;
	/** As in `Ledger.begin`. */
	readonly tokens?: readonly (string | undefined)[];
}

/**
 * Like `Ledger.begin`. Throws the ledger's last error if it could not be opened or asked for `waitMs`. The events are
 * then given back in the background, so that the next copy of each starts it.
 */
export async function beginOrWait(
	openLedger: () => Promise<Ledger>,
	keys: readonly string[],
	run: string,
	retentionMs: number,
	{ waitMs = WAIT_MS, signal, tokens }: BeginOptions = {},
): Promise<boolean[]> {
	const giveUpAt = performance.now() + waitMs;
	try {
		for (;;) {
			signal?.throwIfAborted();
			try {
				return await (await openLedger()).begin(keys, run, retentionMs, tokens);
			} catch (error) {
				const isOver = performance.now() + PAUSE_MS >= giveUpAt;
				if (isOver || !(error instanceof LedgerUnavailableError)) throw error;
			}
			await sleep(jittered(PAUSE_MS), { signal });
		}
	} catch (error) {
		const isOver = error instanceof LedgerUnavailableError || signal?.aborted === true;
		if (isOver) void giveBack(openLedger, keys, run, retentionMs);
		throw error;
	}
}

/** Twice: a `begin` that was in progress when the run gave up may have arrived after the first time. */
async function giveBack(
	openLedger: () => Promise<Ledger>,
	keys: readonly string[],
	run: string,
	retentionMs: number,
): Promise<void> {
	const write = async (key: string) => {
		await (await openLedger()).giveBack([key], run, retentionMs);
	};
	await untilWritten(keys, write);
	await sleep(SETTLED_MS, { keepAlive: false });
	await untilWritten(keys, write);
}

/**
 * Marks the events of a retry as begun, whatever the ledger says. Does not wait for a ledger that is not available:
 * throws its error, and marks the events in the background once the ledger is back.
 */
export async function markBegun(
	openLedger: () => Promise<Ledger>,
	keys: readonly string[],
	run: string,
	retentionMs: number,
): Promise<void> {
	const begin = async (some: readonly string[]) => {
		await (await openLedger()).begin(some, run, retentionMs);
	};
	try {
		await begin(keys);
	} catch (error) {
		if (error instanceof LedgerUnavailableError) {
			void untilWritten(keys, (key) => begin([key]));
		}
		throw error;
	}
}
