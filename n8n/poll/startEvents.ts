/** Starts the workflow once for each event, oldest first, and commits what n8n has stored. */
import { sleep } from '../../lib/shared/sleep';
import type { IDataObject, INodeExecutionData, IPollFunctions, IRun } from 'n8n-workflow';
import type { ParsedEvent } from '../../lib/receiver/event';
import { claimOrWait, ledgerKey, type Hold, type Ledger } from '../../lib/ledger';
import { RETENTION_MS } from './settings';

/**
 * The next event starts when the run before it has ended, or after this long: events keep their order, since n8n
 * stores a run within milliseconds, and a slow workflow does not hold the others up.
 */
const NEXT_AFTER_MS = 1000;

type Outcome = 'stored' | 'failed';

/**
 * Claims each event and hands it to n8n as an execution of its own.
 * Stops at the first one that n8n could not store and answers false: the next poll meets it and the newer ones again.
 * Throws `LedgerUnavailableError`.
 */
export async function startEvents(
	context: IPollFunctions,
	ledger: Ledger,
	workflowId: string,
	events: readonly ParsedEvent[],
): Promise<boolean> {
	for (const event of events) {
		const claim = await claimOrWait(ledger, ledgerKey(workflowId, event.id), { waitMs: 0 });
		if (claim.outcome !== 'claimed') continue;
		const outcome = handOver(context, event, claim.hold);
		const first = await Promise.race([outcome, sleep(NEXT_AFTER_MS, { keepAlive: false })]);
		if (first === 'failed') return false;
	}
	return true;
}

/** Answers once the run has ended: n8n tells nothing earlier here. By then `execute` of the node has begun the event. */
async function handOver(context: IPollFunctions, event: ParsedEvent, hold: Hold): Promise<Outcome> {
	const done = context.helpers.createDeferredPromise<IRun | undefined>();
	const item: INodeExecutionData = { json: event.record as IDataObject };
	context.__emit([[item]], undefined, done);
	try {
		await done.promise;
	} catch (error) {
		if (!wasCancelled(error)) {
			await hold.release();
			return 'failed';
		}
	}
	await hold.commit(RETENTION_MS);
	return 'stored';
}

/** A run that a person cancelled was stored before that. */
function wasCancelled(error: unknown): boolean {
	return error instanceof Error && /Cancel/.test(error.constructor.name + error.name);
}
