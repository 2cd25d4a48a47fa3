/** Starts a run of the workflow from a poll. */
import type { IDataObject, IPollFunctions, IRun } from 'n8n-workflow';

/**
 * Resolves when the run has ended: n8n says nothing earlier here. Rejects when n8n could not store it.
 * A run that n8n dropped without an error counts as not stored: if there is one after all, the ledger keeps it or its
 * repetition from going on.
 */
export async function handOver(
	context: IPollFunctions,
	records: readonly IDataObject[],
): Promise<void> {
	const done = context.helpers.createDeferredPromise<IRun | undefined>();
	context.__emit([records.map((json) => ({ json }))], undefined, done);
	try {
		if ((await done.promise) === undefined) throw new Error('n8n has not stored the execution');
	} catch (error) {
		if (!wasCancelled(error)) throw error;
	}
}

/** A run that a person cancelled was stored before that. */
function wasCancelled(error: unknown): boolean {
	return error instanceof Error && /Cancel/.test(error.constructor.name + error.name);
}
