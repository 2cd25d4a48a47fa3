/** Ends a list at a moment, so that a day of it does not cost a month of pages. */
import { ListOrder } from '../../shared/listOrder';
import { SERVICE_INTERFACE } from '../defaults';
import type { ApiRecord } from '../types';
import { createdAtOf } from './createdAt';

/**
 * The records created at `moment` (unix milliseconds) or later, and those that tell no time.
 *
 * A list that is sorted newest first ends where a page's worth of records in a row is older. Any other one is read to its
 * end, since what is wanted may stand there.
 */
export async function* since(
	records: AsyncIterable<ApiRecord>,
	moment: number,
): AsyncGenerator<ApiRecord, void, undefined> {
	const order = new ListOrder();
	let olderInARow = 0;
	for await (const record of records) {
		const at = createdAtOf(record);
		order.learnFrom(at);
		if (at === undefined || at >= moment) {
			olderInARow = 0;
			yield record;
			continue;
		}
		olderInARow += 1;
		if (olderInARow >= SERVICE_INTERFACE.pageSize && order.isDescending) return;
	}
}
