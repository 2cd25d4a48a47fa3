/** Changes a record of the ledger, also while other processes change it. */
import type { Records } from './types';

const MOST_TRIES = 20;

/**
 * Replaces the text of the record by what `next` makes of it, which may be called several times; undefined leaves it.
 * A text that two processes write is one change, since a swap that is sent again finds its own: where each counts, the
 * texts must differ. Rejects as `Records` does, and when others change the record all the time.
 */
export async function changeRecord(
	records: Records,
	key: string,
	next: (text: string | undefined) => string | undefined,
): Promise<void> {
	for (let tries = 1; tries <= MOST_TRIES; tries++) {
		const text = await records.readRecord(key);
		const after = next(text);
		if (after === undefined || (await records.swapRecord(key, text, after))) return;
	}
	throw new Error(
		'A record of the event ledger could not be written: others change it all the time',
	);
}
