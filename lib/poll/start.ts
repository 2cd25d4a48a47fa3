/** Starts the workflow for events, oldest first, and commits the ones that n8n has stored. */
import { setImmediate } from 'node:timers/promises';
import { createdAt, type Item, MAX_BATCH_BYTES, type ParsedEvent, withReplay } from '../event';
import {
	type Claim,
	claimOrWait,
	commitHold,
	type Ledger,
	ledgerKey,
	releaseHold,
} from '../ledger';
import { sleep } from '../shared/sleep';
import { RETENTION_MS } from './bounds';
import { isUnsettled } from './knowledge';

/**
 * The next execution starts when the previous one has begun, or after this long: a full queue of n8n does not delay the
 * claims of the others. An event does not count as stored because of it.
 */
const NEXT_AFTER_MS = 1000;
/**
 * An execution that has not begun by then counts as stored: n8n never reports a queued execution that a user stopped. If it
 * has not begun after the grace of its event, a poll starts the event again.
 */
const COUNTS_AS_STORED_AFTER_MS = 30_000;
/** Entries looked up in parallel; other work of the process runs in between. */
const LOOKED_AT_ONCE = 100;

export interface Start {
	readonly ledger: Ledger;
	readonly workflowId: string;
	/** The most events per execution. */
	readonly batchSize: number;
	/** Starts an execution. Resolves to false if n8n could not store it, and to true when n8n reports anything else, if ever. */
	readonly handOver: (items: readonly Item[]) => Promise<boolean>;
	/** Called before each hand-over with the time of its newest event, as long as all earlier ones are stored. */
	readonly onProgress?: (at: number) => void;
}

interface Claimed {
	readonly event: ParsedEvent;
	readonly claim: Claim;
	/** The number of executions that have begun with this event. */
	readonly attempts: number;
	readonly reopenedAt?: number;
}

/**
 * Claims the events and hands them over, in executions of at most the batch size. If n8n cannot store a batch, its
 * events are tried one by one; an event that n8n cannot store by itself is given back and does not delay the others.
 *
 * Returns the events that are not settled: they have not begun so far, or may have to be repeated.
 * Throws `LedgerUnavailableError`.
 */
export async function startEvents(
	start: Start,
	events: readonly ParsedEvent[],
): Promise<ParsedEvent[]> {
	await startBatches(start, events, new Set());
	const open: ParsedEvent[] = [];
	for (let from = 0; from < events.length; from += LOOKED_AT_ONCE) {
		const some = events.slice(from, from + LOOKED_AT_ONCE);
		const looked = some.map(async (event) => {
			const account = await start.ledger.look(ledgerKey(start.workflowId, event.id));
			return isUnsettled(account) ? [event] : [];
		});
		open.push(...(await Promise.all(looked)).flat());
		await setImmediate();
	}
	return open;
}

/** `open` holds the events of hand-overs that are not known to be settled. */
async function startBatches(
	start: Start,
	events: readonly ParsedEvent[],
	open: Set<ParsedEvent>,
): Promise<void> {
	for (const batch of batchesOf(events, start.batchSize)) {
		const claimed = await claimAll(start, batch);
		if (claimed.length > 0 && open.size === 0) {
			start.onProgress?.(Math.max(...batch.map((event) => createdAt(event) ?? -Infinity)));
		}
		for (const { event } of claimed) open.add(event);
		for (const together of executionsOf(claimed)) {
			const outcome = handOver(start, together);
			void outcome.then((isSettled) => {
				if (isSettled) for (const { event } of together) open.delete(event);
			});
			const first = await Promise.race([outcome, sleep(NEXT_AFTER_MS, { keepAlive: false })]);
			if (first !== false || together.length === 1) continue;
			const oneByOne = { ...start, batchSize: 1 };
			await startBatches(
				oneByOne,
				together.map(({ event }) => event),
				open,
			);
		}
	}
}

/** An event that has failed runs by itself: it may be why its batch failed. */
function executionsOf(claimed: readonly Claimed[]): (readonly Claimed[])[] {
	const fresh = claimed.filter(({ attempts }) => attempts === 0);
	const failed = claimed.filter(({ attempts }) => attempts > 0);
	return [...(fresh.length > 0 ? [fresh] : []), ...failed.map((each) => [each])];
}

/** The events that no other holder has claimed or stored. */
async function claimAll(
	{ ledger, workflowId }: Start,
	events: readonly ParsedEvent[],
): Promise<Claimed[]> {
	const claimed: Claimed[] = [];
	let isDone = false;
	try {
		for (const event of events) {
			const key = ledgerKey(workflowId, event.id);
			const answer = await claimOrWait(ledger, key, 0);
			if (answer.state === 'claimed') claimed.push({ event, ...answer });
		}
		isDone = true;
		return claimed;
	} finally {
		if (!isDone) await releaseHold({ ledger, claims: claimed.map(({ claim }) => claim) });
	}
}

/** The first or last one may be empty. */
function* batchesOf(events: readonly ParsedEvent[], most: number): Generator<ParsedEvent[]> {
	let batch: ParsedEvent[] = [];
	let bytes = 0;
	for (const event of events) {
		const size = most === 1 ? 0 : Buffer.byteLength(JSON.stringify(event.record));
		if (batch.length >= most || bytes + size > MAX_BATCH_BYTES) {
			yield batch;
			batch = [];
			bytes = 0;
		}
		batch.push(event);
		bytes += size;
	}
	yield batch;
}

/**
 * Whether n8n has stored the execution. The ledger says it as soon as the execution begins, in whatever process; what n8n
 * reports counts only if it could not store the execution.
 */
async function handOver(
	{ ledger, ...start }: Start,
	claimed: readonly Claimed[],
): Promise<boolean> {
	const hold = { ledger, claims: claimed.map(({ claim }) => claim) };
	const [first] = hold.claims;
	if (first === undefined) return true;
	const items = claimed.map(({ event, reopenedAt }) => ({
		record: withReplay(event.record, reopenedAt),
	}));
	const reported = start.handOver(items).catch(() => false);
	const begun = ledger.untilBegun(first, COUNTS_AS_STORED_AFTER_MS).then(() => true);
	const isStored = await Promise.race([reported, begun]);
	if (isStored) await commitHold(hold, RETENTION_MS);
	else await releaseHold(hold);
	// n8n may still say that it could not store what counts as stored by now.
	if (isStored) void reported.then((isReported) => (isReported ? undefined : releaseHold(hold)));
	return isStored;
}
