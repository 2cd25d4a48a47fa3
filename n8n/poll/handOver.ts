/** Starts a run of the workflow from a poll. */
import type { IDataObject, IPollFunctions, IRun } from 'n8n-workflow';

/**
 * Whether n8n has stored the run: known when it has ended, since n8n says nothing earlier here.
 * A run that n8n dropped without an error counts as not stored: if there is one after all, the ledger lets only it or
 * its repetition continue.
 */
export async function handOver(
	context: IPollFunctions,
	records: readonly IDataObject[],
): Promise<boolean> {
	const done = context.helpers.createDeferredPromise<IRun | undefined>();
	context.__emit([records.map((json) => ({ json }))], undefined, done);
	try {
		return (await done.promise) !== undefined;
	} catch (error) {
		return wasCancelled(error);
	}
}

/** A run that a person cancelled was stored before that. */
function wasCancelled(error: unknown): boolean {
	return error instanceof Error && /Cancel/.test(error.constructor.name + error.name);
}
