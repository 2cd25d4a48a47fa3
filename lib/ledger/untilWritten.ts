/**
 * Writes in the background what the ledger could not accept at once: the outcome of a claim, and events that are given
 * back. Each of these writes keeps an event from being lost, doubled or stuck.
 */
import { jittered, sleep } from '../shared/pace';
import { OtherFormatError } from './common/format';
import { LedgerUnavailableError } from './common/store';
import type { Beginning, Claim, Ledger } from './types';

/** Until it is written, a redelivery may be rejected as a duplicate. */
const AGAIN_AFTER_MS = 1_000;
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
		if (hasFailed) await sleep(jittered(AGAIN_AFTER_MS), { keepAlive: false });
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

/** The response to the service waits for the commit, but no longer than this. */
const ANSWER_WITHIN_MS = 2_000;

/** One or several events that n8n gets as one execution. */
export interface Hold {
	readonly claims: readonly Claim[];
	readonly ledger: Ledger;
}

/**
 * n8n stored an execution for the claims. Resolves when that is written, after 2 s at the latest; it is then written in
 * the background. Never rejects.
 */
export async function commitHold({ ledger, claims }: Hold, retentionMs: number): Promise<void> {
	await withinLimit(untilWritten(() => ledger.commit(claims, retentionMs)));
}

/** The same for an execution that n8n could not store. */
export async function releaseHold({ ledger, claims }: Hold): Promise<void> {
	await withinLimit(untilWritten(() => ledger.release(claims)));
}

async function withinLimit(written: Promise<void>): Promise<void> {
	let timer: NodeJS.Timeout | undefined;
	const limit = new Promise<void>((resolve) => {
		timer = setTimeout(resolve, ANSWER_WITHIN_MS).unref();
	});
	await Promise.race([written, limit]);
	clearTimeout(timer);
}

const WAIT_MS = 30_000;
/**
 * Others see that an execution has begun before that is durable, and if it never is, the events are given back. Not after so
 * long, in milliseconds: one and a half times as long as `begin` is retried.
 */
export const BEGUN_FOR_GOOD_MS = 1.5 * WAIT_MS;
const PAUSE_MS = 500;
/** A try that takes longer than any store does was held up by the process itself, which had no core: the rest does not count. */
const LONGEST_TRY_MS = 10_000;
/** Longer than a call to the ledger needs to take effect. */
const SETTLED_MS = 3_000;

interface BeginOptions {
	/** How long to retry while the ledger is not available, in milliseconds in which the process could run. Default 30,000. */
	readonly waitMs?: number;
	/** Ends the waiting: the promise rejects with the signal's reason. */
	readonly signal?: AbortSignal | undefined;
}

/**
 * Like `Ledger.begin`. Throws the ledger's last error if it could not be opened or asked for `waitMs`. The events are
 * then given back in the background, so that the next delivery of each starts it. Throws at once if a newer version wrote the entry.
 */
export async function beginOrWait(
	openLedger: () => Promise<Ledger>,
	keys: readonly string[],
	beginning: Beginning,
	{ waitMs = WAIT_MS, signal }: BeginOptions = {},
): Promise<boolean[]> {
	// What the ledger did, not what the clock says: a process that is suspended, or without a core, is not waiting for the ledger.
	let leftMs = waitMs;
	try {
		for (;;) {
			signal?.throwIfAborted();
			const triedAt = performance.now();
			try {
				return await (await openLedger()).begin(keys, beginning);
			} catch (error) {
				leftMs -= Math.min(performance.now() - triedAt, LONGEST_TRY_MS);
				if (error instanceof OtherFormatError) throw error;
				if (leftMs <= PAUSE_MS || !(error instanceof LedgerUnavailableError)) throw error;
			}
			const pauseMs = jittered(PAUSE_MS);
			leftMs -= pauseMs;
			await sleep(pauseMs, { signal });
		}
	} catch (error) {
		const isOpen = error instanceof LedgerUnavailableError || signal?.aborted === true;
		if (isOpen && !(error instanceof OtherFormatError))
			for (const key of keys) void giveBack(openLedger, key, beginning.run);
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
