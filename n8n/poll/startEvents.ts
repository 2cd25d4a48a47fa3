/** Starts the workflow for events, oldest first, and commits what n8n has stored. */
import { sleep } from '../../lib/shared/sleep';
import type { IDataObject, IPollFunctions, IRun } from 'n8n-workflow';
import { MOST_BYTES } from '../../lib/receiver/batch';
import type { ParsedEvent } from '../../lib/receiver/event';
import { type ClaimHold, claimOrWait, ledgerKey, type Ledger } from '../../lib/ledger';
import { RETENTION_MS } from './settings';

/**
 * The next run starts when the one before has ended, or after this long: events keep their order, since n8n stores a run
 * within milliseconds, and a slow workflow does not hold the others up.
 */
const NEXT_AFTER_MS = 1000;

type Outcome = 'stored' | 'failed';

interface Claimed {
	readonly event: ParsedEvent;
	readonly hold: ClaimHold;
}

interface Start {
	readonly context: IPollFunctions;
	readonly ledger: Ledger;
	readonly workflowId: string;
	/** The most events of one run. */
	readonly batchSize: number;
}

/**
 * Claims the events and hands them to n8n, as many in a run as the batch size allows.
 * What n8n cannot store together is tried singly. Stops at the first event that n8n could not store, and answers false:
 * the next poll meets it and the newer ones again.
 * Throws `LedgerUnavailableError`.
 */
export async function startEvents(start: Start, events: readonly ParsedEvent[]): Promise<boolean> {
	for (const batch of batchesOf(events, start.batchSize)) {
		const claimed = await claimAll(start, batch);
		if (claimed.length === 0) continue;
		const outcome = handOver(start.context, claimed);
		const first = await Promise.race([outcome, sleep(NEXT_AFTER_MS, { keepAlive: false })]);
		if (first !== 'failed') continue;
		if (claimed.length === 1) return false;
		const singly = claimed.map(({ event }) => event);
		if (!(await startEvents({ ...start, batchSize: 1 }, singly))) return false;
	}
	return true;
}

/** Those of the events that nobody else has claimed or stored. */
async function claimAll(
	{ ledger, workflowId }: Start,
	events: readonly ParsedEvent[],
): Promise<Claimed[]> {
	const claimed: Claimed[] = [];
	let isDone = false;
	try {
		for (const event of events) {
			const claim = await claimOrWait(ledger, ledgerKey(workflowId, event.id), { waitMs: 0 });
			if (claim.outcome === 'claimed') claimed.push({ event, hold: claim.hold });
		}
		isDone = true;
		return claimed;
	} finally {
		if (!isDone) await Promise.all(claimed.map(({ hold }) => hold.release()));
	}
}

function* batchesOf(events: readonly ParsedEvent[], most: number): Generator<ParsedEvent[]> {
	let batch: ParsedEvent[] = [];
	let bytes = 0;
	for (const event of events) {
		const size = most === 1 ? 0 : Buffer.byteLength(JSON.stringify(event.record));
		if (batch.length > 0 && (batch.length >= most || bytes + size > MOST_BYTES)) {
			yield batch;
			batch = [];
			bytes = 0;
		}
		batch.push(event);
		bytes += size;
	}
	if (batch.length > 0) yield batch;
}

/** Answers once the run has ended: n8n tells nothing earlier here. By then `execute` of the node has begun the events. */
async function handOver(context: IPollFunctions, claimed: readonly Claimed[]): Promise<Outcome> {
	const done = context.helpers.createDeferredPromise<IRun | undefined>();
	const items = claimed.map(({ event }) => ({ json: event.record as IDataObject }));
	context.__emit([items], undefined, done);
	try {
		await done.promise;
	} catch (error) {
		if (!wasCancelled(error)) {
			await Promise.all(claimed.map(({ hold }) => hold.release()));
			return 'failed';
		}
	}
	const [first, ...others] = claimed.map(({ hold }) => hold);
	await first?.commitWith(others, RETENTION_MS);
	return 'stored';
}

/** A run that a person cancelled was stored before that. */
function wasCancelled(error: unknown): boolean {
	return error instanceof Error && /Cancel/.test(error.constructor.name + error.name);
}
