/** Events: what happened in the network in the last 30 days. */
import { collected, listFields, listOptions, listOptionsOf } from '../shared/listing';
import type { Resource } from './resource';

export const event: Resource = {
	properties: [
		{
			displayName: 'Operation',
			name: 'operation',
			type: 'options',
			noDataExpression: true,
			displayOptions: { show: { resource: ['event'] } },
			options: [
				{
					name: 'Get Many',
					value: 'getAll',
					description: 'List recent events of the network, which the service keeps for 30 days',
					action: 'Get many events',
				},
			],
			default: 'getAll',
		},
		...listFields('event'),
		listOptions('event'),
	],
	run: async (_operation, run) => await collected(run.client.list('event', listOptionsOf(run))),
};
