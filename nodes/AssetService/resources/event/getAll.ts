/** Lists events. */
import type { ApiRecord } from '../../../../lib/service';
import { eventFilters, wantedEvents } from '../../shared/eventFilters';
import { listFields, listOptions } from '../../shared/listFields';
import { listOptionsOf } from '../../shared/listRequest';
import type { Operation, Run } from '../../shared/resource';
import { EVENT_SHAPE, simplifier, simplifyField } from '../../shared/simplify';

export const getAll: Operation = {
	name: 'Get Many',
	description: 'List recent events of the network, which the service keeps for 30 days',
	action: 'Get many events',
	fields: [...listFields, simplifyField, eventFilters, listOptions],
	run,
};

async function run(item: Run): Promise<ApiRecord[]> {
	const wanted = wantedEvents(item);
	const simplified = simplifier(item, EVENT_SHAPE);
	const options = { ...listOptionsOf(item), ...wanted };
	return await Array.fromAsync(item.client.list('event', options), simplified);
}
