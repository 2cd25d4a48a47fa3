/** Starts an execution of the workflow from a poll. */
import type { IPollFunctions, IRun } from 'n8n-workflow';
import type { Item } from '../../lib/event';
import type { Acknowledge } from '../../lib/ledger';
import { handedOver } from '../beginRun';

/**
 * Whether n8n has stored the execution, or whether it succeeded if that is asked for: known when it has ended, since
 * n8n reports nothing earlier here. An execution that a Wait node puts to sleep counts as ended.
 *
 * An execution that n8n dropped without an error counts as not stored: if there is one after all, the ledger lets only
 * one of it and its repetition continue.
 */
export async function handOver(
	context: IPollFunctions,
	items: readonly Item[],
	acknowledge: Acknowledge,
): Promise<boolean> {
	const done = context.helpers.createDeferredPromise<IRun | undefined>();
	context.__emit([handedOver(items)], undefined, done);
	try {
		const run = await done.promise;
		if (run === undefined) return false;
		return acknowledge === 'stored' || hasSucceeded(run);
	} catch (error) {
		return acknowledge === 'stored' && wasCancelled(error);
	}
}

function hasSucceeded({ status, data }: IRun): boolean {
	return (status === 'success' || status === 'waiting') && data.resultData.error === undefined;
}

/** An execution that a person cancelled was stored before that. */
function wasCancelled(error: unknown): boolean {
	return error instanceof Error && /Cancel/.test(error.constructor.name + error.name);
}
