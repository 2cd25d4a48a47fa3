/** Events: reports from the network in the last 30 days. The service is not known to filter them, so Get Many does. */
import { eventTypeFilter } from '../../../../lib/event';
import { createdAtOf, type ApiRecord } from '../../../../lib/service';
import { unknown } from '../../../../lib/vendor/zod';
import { eventTypeFilters } from '../../../../n8n/fields/eventTypeProperties';
import { filtersField, type Filters } from '../../shared/lists';
import { allTypes, eventTypes, collection, timeOfField } from '../../shared/parameters';
import type { OperationRun } from '../../shared/resource';
import { getRejections } from './getRejections';
import { reconcile } from './reconcile';
import { replay } from './replay';

const last = filtersField([
	{
		displayName: 'Created After',
		name: 'createdAfter',
		type: 'dateTime',
		default: '',
		description: 'Only events created at this time or later',
	},
	{
		displayName: 'Created Before',
		name: 'createdBefore',
		type: 'dateTime',
		default: '',
		description: 'Only events created before this time',
	},
	...eventTypeFilters({ description: 'Only events of these types' }),
]);

function read(run: OperationRun): ReturnType<Filters['read']> {
	const given = collection(run, last, {
		eventTypes,
		otherEventTypes: eventTypes,
		createdAfter: unknown(),
		createdBefore: unknown(),
	});
	const after = timeOfField(run, 'Created After', given.createdAfter);
	const before = timeOfField(run, 'Created Before', given.createdBefore);
	const patterns = allTypes(run, given.eventTypes ?? [], given.otherEventTypes ?? []);
	if (patterns.length === 0 && after === undefined && before === undefined) return {};
	const isWantedType = eventTypeFilter(patterns);
	const matching = (event: ApiRecord): boolean => {
		const type = event['type'] ?? event['eventType'];
		if (!isWantedType(typeof type === 'string' ? type : undefined)) return false;
		if (after === undefined && before === undefined) return true;
		// An event without a time may be outside the requested range.
		const time = createdAtOf(event) ?? Number.NaN;
		return time >= (after ?? -Infinity) && time < (before ?? Infinity);
	};
	return { matching, ...(after !== undefined && { createdAfter: after }) };
}

export const filters: Filters = { last, read };

export const event = { filters, operations: { reconcile, replay, getRejections } };
