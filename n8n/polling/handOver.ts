/** Starts an execution of the workflow from a poll. */
import type { IPollFunctions, IRun } from 'n8n-workflow';
import type { Item } from '../../lib/event';
import { itemsOf } from '../beginRun';

/**
 * Whether n8n has stored the execution: known when it has ended, since n8n reports nothing earlier here.
 *
 * An execution that n8n dropped without an error counts as not stored: if there is one after all, the ledger lets only
 * one of it and its repetition continue.
 */
export async function handOver(context: IPollFunctions, items: readonly Item[]): Promise<boolean> {
	const done = context.helpers.createDeferredPromise<IRun | undefined>();
	context.__emit([itemsOf(items)], undefined, done);
	try {
		return (await done.promise) !== undefined;
	} catch (error) {
		return wasCancelled(error);
	}
}

/** An execution that a user cancelled was stored before that. */
function wasCancelled(error: unknown): boolean {
	return error instanceof Error && /Cancel/.test(error.constructor.name + error.name);
}
