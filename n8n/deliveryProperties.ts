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
				description: 'Each event starts its own execution',
			},
			{
				name: 'Batched',
				value: 'batched',
				description:
					'Events that arrive at the same time share one execution, with one item per event. An execution that fails, fails for all its events.',
			},
		],
		default: 'immediate',
		description:
			'Whether each event starts its own execution or several share one. The next nodes always get one item per event.',
	},
	{
		displayName: 'Batch Size',
		name: 'batchSize',
		type: 'number',
		noDataExpression: true,
		typeOptions: { minValue: 1, maxValue: MAX_BATCH_SIZE, numberPrecision: 0 },
		displayOptions: { show: { delivery: ['batched'] } },
		default: DEFAULT_BATCH_SIZE,
		description: 'The most events per execution. An execution also holds at most 4 MB of events.',
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
					'At most one execution per event. If it fails or is cut off, the event does not start again by itself.',
			},
			{
				name: 'Once Succeeded',
				value: 'succeeded',
				description:
					'The event starts again until an execution ends without an error. An execution can repeat when n8n stops during it.',
			},
		],
		default: 'stored',
		description:
			'When an event counts as done. With "Once Succeeded", a webhook gets its response when the execution ends, and a service that does not wait that long delivers the event again. An error workflow runs for each failed attempt.',
	},
];
