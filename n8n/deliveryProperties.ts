/** The parameters that say how many events an execution gets and when they count, the same in both triggers. */
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
	{
		displayName: 'Acknowledge',
		name: 'acknowledge',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'Once Stored',
				value: 'stored',
				description:
					'At most one execution for each event. One that fails or is cut off is not repeated by itself.',
			},
			{
				name: 'Once Succeeded',
				value: 'succeeded',
				description:
					'Starts the event again until an execution has ended without an error. An execution can repeat when n8n stopped during it.',
			},
		],
		default: 'stored',
		description:
			'When an event counts as done. With "Once Succeeded", the service must wait for its response as long as the execution takes, otherwise it delivers again. An error workflow runs for each attempt that fails.',
	},
];
