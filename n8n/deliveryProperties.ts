/** The parameters that say how many events a run gets, the same in both triggers. */
import type { INodeProperties } from 'n8n-workflow';
import { DEFAULT_BATCH_SIZE, MAX_BATCH_SIZE } from '../lib/event';

export const deliveryProperties: INodeProperties[] = [
	{
		displayName: 'Delivery',
		name: 'delivery',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'Immediate',
				value: 'immediate',
				description: 'Each event starts an execution of its own',
			},
			{
				name: 'Batched',
				value: 'batched',
				description:
					'Events that come together start one execution, with an item each. An event that comes alone starts at once. An execution that fails, fails for all its events.',
			},
		],
		default: 'immediate',
		description:
			'How many events an execution gets. The nodes after this one get one item an event.',
	},
	{
		displayName: 'Batch Size',
		name: 'batchSize',
		type: 'number',
		noDataExpression: true,
		typeOptions: { minValue: 1, maxValue: MAX_BATCH_SIZE, numberPrecision: 0 },
		displayOptions: { show: { delivery: ['batched'] } },
		default: DEFAULT_BATCH_SIZE,
		description: 'The most events of an execution, which holds 4 MB of events at most',
	},
];
