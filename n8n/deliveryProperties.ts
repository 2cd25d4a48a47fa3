/** The parameters for the number of events per execution and when events count as done, the same in both triggers. */
import type { INodeProperties } from 'n8n-workflow';
import { DEFAULT_BATCH_SIZE, MAX_BATCH_SIZE } from '../lib/event';

export const deliveryProperties: INodeProperties[] = [
	{
		displayName: 'Executions',
		name: 'delivery',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'One per Event',
				value: 'immediate',
				description: 'Each event starts its own execution',
			},
			{
				name: 'One for Several Events (Batched)',
				value: 'batched',
				description:
					'Events that arrive at the same time share one execution. If it fails, it fails for all of them.',
			},
		],
		default: 'immediate',
		description:
			'Whether each event starts its own execution or several share one. You always get one item per event.',
	},
	{
		displayName: 'Batch Size',
		name: 'batchSize',
		type: 'number',
		noDataExpression: true,
		typeOptions: { minValue: 1, maxValue: MAX_BATCH_SIZE, numberPrecision: 0 },
		displayOptions: { show: { delivery: ['batched'] } },
		default: DEFAULT_BATCH_SIZE,
		description:
			'Max number of events per execution. An execution also holds at most 4 MB of events.',
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
					'At most one execution per event. If it fails or is interrupted, the event does not start again automatically.',
			},
			{
				name: 'Once Succeeded',
				value: 'succeeded',
				description:
					'The event starts again until an execution succeeds. An execution can repeat if n8n stops while it runs.',
			},
		],
		default: 'stored',
		description:
			"When an event counts as done. With 'Once Succeeded', n8n responds to a webhook when the execution has ended; a service that does not wait that long delivers the event again. Each failed attempt starts the error workflow.",
	},
];
