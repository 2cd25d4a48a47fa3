/** Ends a list at a moment, so that a day of it does not cost a month of pages. */
import { isOldestFirst } from '../../shared/listOrder';
import { SERVICE_INTERFACE } from '../common/defaults';
import { createdAtOf } from '../common/record';
import type { ApiRecord } from '../common/types';

/** A record that is wanted, one that is older, or one after which no wanted one comes. */
type Age = 'wanted' | 'older' | 'beyond';

/**
 * Tells of each record of a list, in its order, whether it was created at `moment` (unix milliseconds) or later. One that
 * tells no time is wanted.
 *
 * A list that is sorted newest first ends where a page's worth of records in a row is older. Any other one is read to its
 * end, since what is wanted may stand there.
 */
export function since(moment: number): (record: ApiRecord) => Age {
	const times: number[] = [];
	let olderInARow = 0;
	return (record) => {
		const at = createdAtOf(record);
		if (at !== undefined) times.push(at);
		if (at === undefined || at >= moment) {
			olderInARow = 0;
			return 'wanted';
		}
		olderInARow += 1;
		const isPage = olderInARow >= SERVICE_INTERFACE.pageSize;
		return isPage && isOldestFirst(times) === false ? 'beyond' : 'older';
	};
}
