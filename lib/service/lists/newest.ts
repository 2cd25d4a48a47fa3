/** The newest records of a list, for a person to select from. */
import { isOldestFirst } from '../../shared/listOrder';
import { createdAtOf } from '../common/record';
import type { ApiRecord } from '../common/types';

interface Bounds {
	/** The most records to return. */
	readonly most: number;
	/** The most records to read of a list that does not begin with the oldest: a month of records would take too long. */
	readonly mostSeen: number;
	readonly matching: (record: ApiRecord) => boolean;
}

/**
 * The newest matching records, newest first; those without a time come last.
 * A list that is sorted oldest first is read to its end, where the newest are.
 */
export async function newest(
	records: AsyncIterable<ApiRecord>,
	{ most, mostSeen, matching }: Bounds,
): Promise<ApiRecord[]> {
	const times: number[] = [];
	const found: { record: ApiRecord; at: number }[] = [];
	let seen = 0;
	for await (const record of records) {
		const at = createdAtOf(record);
		if (at !== undefined) times.push(at);
		seen += 1;
		if (matching(record)) found.push({ record, at: at ?? -Infinity });
		if (seen >= mostSeen && isOldestFirst(times) !== true) break;
		if (found.length >= most && isOldestFirst(times) === false) break;
	}
	// Equal ones, such as those without a time, keep the order of the list.
	found.sort((a, b) => (a.at === b.at ? 0 : b.at - a.at));
	return found.slice(0, most).map(({ record }) => record);
}
