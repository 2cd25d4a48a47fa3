/** Events: what happened in the network in the last 30 days. */
import { listFields, listOptions } from '../shared/listFields';
import { listOptionsOf } from '../shared/listRequest';
import type { Resource } from './resource';

export const event: Resource = {
	name: 'Event',
	description: 'Something that happened in the network',
	operations: {
		getAll: {
			name: 'Get Many',
			description: 'List recent events of the network, which the service keeps for 30 days',
			action: 'Get many events',
			fields: [...listFields, listOptions],
			run: async (run) => await Array.fromAsync(run.client.list('event', listOptionsOf(run))),
		},
	},
};
