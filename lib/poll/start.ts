/** Starts the workflow for events, oldest first, and commits the ones that n8n has stored. */
import { setImmediate } from 'node:timers/promises';
import { createdAt, type Item, MAX_BATCH_BYTES, type ParsedEvent, withReplay } from '../event';
import { type Acknowledge, type ClaimHold, claimOrWait, type Ledger, ledgerKey } from '../ledger';
import { sleep } from '../shared/sleep';
import { RETENTION_MS } from './bounds';

/**
 * The next execution starts when the previous one has ended, or after this long. Events keep their order, since n8n
 * stores an execution within milliseconds, and a slow workflow does not delay the others. An event does not count as
 * stored because of it.
 */
const NEXT_AFTER_MS = 1000;
/**
 * An execution that has not ended by then counts as stored: n8n never reports a queued execution that a person stopped,
 * and its event must not be held until n8n restarts. If n8n reports a failure later, the event is given back.
 */
const COUNTS_AS_STORED_AFTER_MS = 30_000;
/** Entries looked up in parallel; other work of the process runs in between. */
const LOOKED_AT_ONCE = 100;

export interface Start {
	readonly ledger: Ledger;
	readonly workflowId: string;
	/** The most events per execution. */
	readonly batchSize: number;
	readonly acknowledge: Acknowledge;
	/** Starts an execution. Resolves when it has ended, with whether n8n has stored it, or whether it succeeded if it must. */
	readonly handOver: (items: readonly Item[]) => Promise<boolean>;
	/** Called before each hand-over with the time of its newest event, as long as all earlier ones are stored. */
	readonly onProgress?: (at: number) => void;
}

interface Claimed {
	readonly event: ParsedEvent;
	readonly hold: ClaimHold;
	/** The number of failed executions with this event. */
	readonly attempts: number;
	readonly reopenedAt?: number | undefined;
}

/**
 * Claims the events and hands them over, in executions of at most the batch size. If n8n cannot store a batch, its
 * events are tried one by one; an event that n8n cannot store by itself is given back and does not delay the others.
 *
 * Returns the events that have not begun so far: given back, or handed over and not yet settled.
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
			const { state } = await start.ledger.look(ledgerKey(start.workflowId, event.id));
			return state === 'begun' || state === 'done' ? [] : [event];
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
			await startBatches(oneByOne, await notBegun(start, together), open);
		}
	}
}

/** An event that has failed runs by itself: it may be why its batch failed. */
function executionsOf(claimed: readonly Claimed[]): (readonly Claimed[])[] {
	const fresh = claimed.filter(({ attempts }) => attempts === 0);
	const failed = claimed.filter(({ attempts }) => attempts > 0);
	return [...(fresh.length > 0 ? [fresh] : []), ...failed.map((each) => [each])];
}

/** The events that n8n could not store. Those whose execution failed start again later. */
async function notBegun(
	{ ledger, workflowId }: Start,
	claimed: readonly Claimed[],
): Promise<ParsedEvent[]> {
	const entries = claimed.map(({ event }) => ledger.look(ledgerKey(workflowId, event.id)));
	const states = (await Promise.all(entries)).map(({ state }) => state);
	return claimed.filter((_each, n) => states[n] !== 'failed').map(({ event }) => event);
}

/** The events that no other holder has claimed or stored. */
async function claimAll(
	{ ledger, workflowId, acknowledge }: Start,
	events: readonly ParsedEvent[],
): Promise<Claimed[]> {
	const claimed: Claimed[] = [];
	let isDone = false;
	try {
		for (const event of events) {
			const key = ledgerKey(workflowId, event.id);
			const claim = await claimOrWait(ledger, key, { waitMs: 0, acknowledge });
			if (claim.outcome === 'claimed') claimed.push({ event, ...claim });
		}
		isDone = true;
		return claimed;
	} finally {
		if (!isDone) await Promise.all(claimed.map(({ hold }) => hold.release()));
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
 * Whether n8n has stored the execution, or it has succeeded: known once it has ended. `execute` of the node has begun
 * its events by then.
 */
async function handOver(start: Start, claimed: readonly Claimed[]): Promise<boolean> {
	const [first, ...others] = claimed.map(({ hold }) => hold);
	const commit = async () => await first?.commitWith(others, RETENTION_MS);
	const late = setTimeout(() => {
		if (start.acknowledge === 'stored') void commit();
	}, COUNTS_AS_STORED_AFTER_MS).unref();
	const items = claimed.map(({ event, hold, reopenedAt }) => {
		return { record: withReplay(event.record, reopenedAt), claim: hold.token };
	});
	const isSettled = await start.handOver(items).catch(() => false);
	clearTimeout(late);
	if (isSettled) {
		await commit();
	} else {
		await Promise.all(claimed.map(({ hold }) => hold.release()));
	}
	return isSettled;
}
