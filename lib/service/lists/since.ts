/** Ends a list at a time, so that a day of it does not cost a month of pages. */
import { Reach } from '../../shared/reach';
import { SERVICE_INTERFACE } from '../common/defaults';
import { createdAtOf } from '../common/record';
import type { ApiRecord } from '../common/types';

/** A wanted record, an older one, or one after which no wanted one follows. */
type Age = 'wanted' | 'older' | 'beyond';

/**
 * Returns a function that takes the records of a list in order, and says whether each was created at `moment` (Unix
 * milliseconds) or later. A record without a time is wanted.
 *
 * A list that is sorted newest first ends after a page of older records in a row. Any other list is read to its end,
 * since wanted records may be there.
 */
export function since(moment: number): (record: ApiRecord) => Age {
	const reach = new Reach({ from: () => moment, inARow: SERVICE_INTERFACE.pageSize });
	return (record) => {
		if (reach.add(createdAtOf(record))) return 'wanted';
		return reach.isFarEnough ? 'beyond' : 'older';
	};
}
