/** Events: what happened in the network in the last 30 days. */
import type { ApiRecord } from '../../../lib/service';
import { eventFilters, wantedEvents } from '../shared/eventFilters';
import { listFields, listOptions } from '../shared/listFields';
import { listOptionsOf } from '../shared/listRequest';
import { EVENT_SHAPE, simplifier, simplifyField } from '../shared/simplify';
import type { Resource, Run } from './resource';

export const event: Resource = {
	name: 'Event',
	description: 'Something that happened in the network',
	operations: {
		getAll: {
			name: 'Get Many',
			description: 'List recent events of the network, which the service keeps for 30 days',
			action: 'Get many events',
			fields: [...listFields, simplifyField, eventFilters, listOptions],
			run: getAll,
		},
	},
};

async function getAll(run: Run): Promise<ApiRecord[]> {
	const matching = wantedEvents(run);
	const simplified = simplifier(run, EVENT_SHAPE);
	const options = { ...listOptionsOf(run), ...(matching && { matching }) };
	return await Array.fromAsync(run.client.list('event', options), simplified);
}
