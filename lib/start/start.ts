/** Starts the workflow for items, in the given order, and commits the ones that n8n has stored. */
import { setImmediate } from 'node:timers/promises';
import { type Item, MAX_BATCH_BYTES, withReplay } from '../event';
import {
	type Account,
	type Claim,
	claimOrWait,
	commitHold,
	type Ledger,
	releaseHold,
	type EntryState,
	MOST_ATTEMPTS,
} from '../ledger';
import { chunksOf, sleep } from '../shared/pace';
import { DAY_MS } from '../shared/time';

/** The service lists an event for 30 days (specification 6.6); an event that is forgotten while listed would run again. */
export const RETENTION_MS = 35 * DAY_MS;
/**
 * The next execution starts when the previous one has begun, or after this long: a full queue of n8n does not delay the
 * claims of the others. An item does not count as stored because of it.
 */
const NEXT_AFTER_MS = 1000;
/**
 * An execution that has not begun by then counts as stored: n8n never reports a queued execution that a user stopped. If it
 * has not begun after the grace of its item, the item can be started again.
 */
const COUNTS_AS_STORED_AFTER_MS = 30_000;

export interface Start {
	readonly ledger: Ledger;
	readonly batchSize: number;
	readonly handOver: (items: readonly Item[]) => Promise<boolean>;
	/** Items share an execution with others that have begun as often, if that is less than this; 1 by default. */
	readonly sharedAttempts?: number;
	/** Called before each hand-over with the pairs of its batch, and the first earlier one that n8n may not have stored. */
	readonly onProgress?: (batch: readonly Startable[], unsettled: Startable | undefined) => void;
}

/** An item with its key in the ledger. */
export interface Startable {
	readonly key: string;
	readonly item: Item;
}

interface Claimed {
	readonly pair: Startable;
	readonly claim: Claim;
	/** The number of executions that have begun with this item. */
	readonly attempts: number;
	readonly reopenedAt?: number;
}

/**
 * Claims the items and hands them over, in executions of at most the batch size. If n8n cannot store a batch, its items
 * are tried one by one; an item that n8n cannot store by itself is given back and does not delay the others.
 *
 * Returns what the ledger knows of each key by then: an execution shows as soon as it has begun.
 * Throws `LedgerUnavailableError`.
 */
export async function start(
	options: Start,
	pairs: readonly Startable[],
): Promise<Map<string, Account>> {
	await startBatches(options, pairs, new Set());
	const accounts = new Map<string, Account>();
	await atOnce(pairs, async ({ key }) => {
		accounts.set(key, await options.ledger.look(key));
	});
	return accounts;
}

/** `open` holds the items of hand-overs that are not known to be settled, in their order. */
async function startBatches(
	options: Start,
	pairs: readonly Startable[],
	open: Set<Startable>,
): Promise<void> {
	for (const batch of batchesOf(pairs, options.batchSize)) {
		const claimed = await claimAll(options, batch);
		const [unsettled] = open;
		if (claimed.length > 0) options.onProgress?.(batch, unsettled);
		for (const { pair } of claimed) open.add(pair);
		for (const together of executionsOf(claimed, options.sharedAttempts)) {
			const outcome = handOver(options, together);
			void outcome.then((isSettled) => {
				if (isSettled) for (const { pair } of together) open.delete(pair);
			});
			const first = await Promise.race([outcome, sleep(NEXT_AFTER_MS, { keepAlive: false })]);
			if (first !== false || together.length === 1) continue;
			const oneByOne = together.map(({ pair }) => pair);
			await startBatches({ ...options, batchSize: 1 }, oneByOne, open);
		}
	}
}

/** An item that has failed runs by itself at the latest from `shared` attempts on: it may be why its batch failed. */
function executionsOf(claimed: readonly Claimed[], shared = 1): (readonly Claimed[])[] {
	const together = Map.groupBy(claimed, (each) => (each.attempts < shared ? each.attempts : each));
	return [...together.values()];
}

/** The items that no other holder has claimed or stored. */
async function claimAll({ ledger }: Start, pairs: readonly Startable[]): Promise<Claimed[]> {
	const claimed = new Map<Startable, Claimed>();
	try {
		await atOnce(pairs, async (pair) => {
			const outcome = await claimOrWait(ledger, pair.key, 0);
			if (outcome.state === 'claimed') claimed.set(pair, { pair, ...outcome });
		});
	} catch (error) {
		await releaseHold({ ledger, claims: [...claimed.values()].map(({ claim }) => claim) });
		throw error;
	}
	return pairs.flatMap((pair) => claimed.get(pair) ?? []);
}

/** The first or last one may be empty. */
function* batchesOf(pairs: readonly Startable[], most: number): Generator<Startable[]> {
	let batch: Startable[] = [];
	let bytes = 0;
	for (const pair of pairs) {
		const size = most === 1 ? 0 : Buffer.byteLength(JSON.stringify(pair.item.record));
		if (batch.length >= most || bytes + size > MAX_BATCH_BYTES) {
			yield batch;
			batch = [];
			bytes = 0;
		}
		batch.push(pair);
		bytes += size;
	}
	yield batch;
}

/**
 * Whether n8n has stored the execution. The ledger says it as soon as the execution begins, in whatever process; what n8n
 * reports counts only if it could not store the execution.
 */
async function handOver(
	{ ledger, ...options }: Start,
	claimed: readonly Claimed[],
): Promise<boolean> {
	const claims = claimed.map(({ claim }) => claim);
	if (claims.length === 0) return true;
	const items = claimed.map(({ pair, reopenedAt }) => ({
		record: withReplay(pair.item.record, reopenedAt),
	}));
	const reported = options.handOver(items).catch(() => false);
	const settled = new AbortController();
	const begun = untilAllBegun(ledger, claims, settled.signal).then(() => true);
	const isStored = await Promise.race([reported, begun]);
	settled.abort();
	for (const [n, some] of chunksOf(claims).entries()) {
		if (n > 0) await setImmediate();
		const hold = { ledger, claims: some };
		await (isStored ? commitHold(hold, RETENTION_MS) : releaseHold(hold));
	}
	// n8n may still say that it could not store what counts as stored by now.
	if (isStored) {
		void reported.then((isReported) => (isReported ? undefined : releaseHold({ ledger, claims })));
	}
	return isStored;
}

/** An earlier execution, which was thought lost, can begin some of the items: that says nothing about the others. */
async function untilAllBegun(
	ledger: Ledger,
	claims: readonly Claim[],
	signal: AbortSignal,
): Promise<void> {
	const until = performance.now() + COUNTS_AS_STORED_AFTER_MS;
	let pending = claims;
	for (let [first] = pending; first !== undefined; [first] = pending) {
		await ledger.untilBegun(first, until - performance.now(), signal);
		if (signal.aborted || performance.now() >= until) return;
		const left = new Set<Claim>();
		await atOnce(pending, async (claim) => {
			const state = await ledger.look(claim.key).then(
				(account) => account.state,
				() => undefined,
			);
			if (state === undefined || state === 'pending') left.add(claim);
		});
		pending = pending.filter((claim) => left.has(claim));
	}
}

/** Calls `work` for each, a few at a time. Waits for those in progress after a failure. */
async function atOnce<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
	for (const [n, some] of chunksOf(all).entries()) {
		if (n > 0) await setImmediate();
		const settled = await Promise.allSettled(some.map(work));
		for (const each of settled) if (each.status === 'rejected') throw each.reason as Error;
	}
}

// When an entry of the ledger has to be looked at again, because it has not begun or may have to be repeated.

const NOT_BEGUN: ReadonlySet<EntryState> = new Set(['free', 'pending', 'stored', 'overdue']);

export function hasBegun({ state }: Account): boolean {
	return !NOT_BEGUN.has(state);
}

/** Whether a poll has to read it again. */
export function isUnsettled(account: Account): boolean {
	const { attempts, dueInMs, repeats } = account;
	const mayRepeat = repeats === true || dueInMs !== undefined;
	return !hasBegun(account) || (mayRepeat && attempts < MOST_ATTEMPTS);
}

/** Whether a start would be of use now. */
export function isDue(account: Account): boolean {
	const { state, dueInMs } = account;
	return state === 'free' || state === 'overdue' || (dueInMs === 0 && isUnsettled(account));
}
