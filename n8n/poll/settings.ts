/** Reads the poll trigger's parameters: a value out of bounds is taken to the nearest bound, one of the wrong kind to its default. */
import { eventTypeFilter, readConditions, type Wanted } from '../../lib/receiver/event';
import { readBatchSize, readEventTypes, type ReadParameter } from '../../lib/receiver/settings';
import { catch as orElse, enum as oneOf, object, parse } from '../../lib/vendor/zod';
import { bounded } from '../parameters';

export const DEFAULT_PAGE_SIZE = 50;
/** The service's own maximum of `limit` (open in the specification, documented for assets). */
export const MAX_PAGE_SIZE = 100;

export interface PollSettings extends Wanted {
	readonly startFrom: 'now' | 'retained';
	readonly pageSize: number;
	/** The most events of one run; 1 where each event is a run of its own. */
	readonly batchSize: number;
}

const parameters = object({
	startFrom: orElse(oneOf(['now', 'retained']), 'now'),
	limit: bounded(DEFAULT_PAGE_SIZE, 1, MAX_PAGE_SIZE),
});

export function readPollSettings(read: ReadParameter): PollSettings {
	const { startFrom, limit } = parse(parameters, {
		startFrom: read('startFrom', 'now'),
		limit: read('limit', DEFAULT_PAGE_SIZE),
	});
	return {
		isWanted: eventTypeFilter(readEventTypes(read)),
		conditions: readConditions(read('conditions', {})),
		startFrom,
		pageSize: Math.trunc(limit),
		batchSize: readBatchSize(read),
	};
}
