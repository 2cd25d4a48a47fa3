/** Changes a record of the ledger, even while other processes change it. */
import type { Records } from './store';

const MOST_TRIES = 20;

/**
 * Replaces the text of the record with the result of `next`, which may be called several times; undefined leaves the text
 * unchanged. If two processes write the same text, it counts as one change, since a swap that is sent again finds its own text:
 * where each change counts, the texts must differ. `keepMs` is as in `swapRecord`. Rejects like `Records`, and when others keep changing the record.
 */
export async function changeRecord(
	records: Records,
	key: string,
	next: (text: string | undefined) => string | undefined,
	keepMs?: number,
): Promise<void> {
	for (let tries = 1; tries <= MOST_TRIES; tries++) {
		const text = await records.readRecord(key);
		const after = next(text);
		if (after === undefined || (await records.swapRecord(key, text, after, keepMs))) return;
	}
	throw new Error(
		'A record of the event ledger could not be written: others change it all the time',
	);
}
