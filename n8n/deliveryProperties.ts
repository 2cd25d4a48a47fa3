/** The parameters for the number of events per execution and when events count as done, the same in all triggers. */
import type { INodeProperties } from 'n8n-workflow';
import { DEFAULT_BATCH_SIZE, MAX_BATCH_SIZE } from '../lib/event';

const WEBHOOK =
	" With 'Once Succeeded', n8n responds to a webhook when the execution has ended; a service that does not wait that long delivers the event again.";

interface Delivery {
	/** What starts an execution. */
	readonly item: string;
	readonly delivery: 'immediate' | 'batched';
	readonly batchSize: number;
}

/** For the other triggers. */
const EVENTS: Delivery = { item: 'event', delivery: 'immediate', batchSize: DEFAULT_BATCH_SIZE };

export const deliveryProperties = deliveryPropertiesFor(EVENTS);

export function deliveryPropertiesFor({ item, delivery, batchSize }: Delivery): INodeProperties[] {
	const Item = item.charAt(0).toUpperCase() + item.slice(1);
	return [
		{
			displayName: 'Executions',
			name: 'delivery',
			type: 'options',
			noDataExpression: true,
			options: [
				{
					name: `One per ${Item}`,
					value: 'immediate',
					description: `Each ${item} starts its own execution`,
				},
				{
					name: `One for Several ${Item}s (Batched)`,
					value: 'batched',
					description: `${Item}s that arrive at the same time share one execution. If it fails, it fails for all of them.`,
				},
			],
			default: delivery,
			description: `Whether each ${item} starts its own execution or several share one. You always get one item per ${item}.`,
		},
		{
			displayName: 'Batch Size',
			name: 'batchSize',
			type: 'number',
			noDataExpression: true,
			typeOptions: { minValue: 1, maxValue: MAX_BATCH_SIZE, numberPrecision: 0 },
			displayOptions: { show: { delivery: ['batched'] } },
			default: batchSize,
			description: `Max number of ${item}s per execution. An execution also holds at most 4 MB of ${item}s.`,
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
					description: `At most one execution per ${item}. If it fails or is interrupted, the ${item} does not start again automatically.`,
				},
				{
					name: 'Once Succeeded',
					value: 'succeeded',
					description: `The ${item} starts again until an execution succeeds. An execution can repeat if n8n stops while it runs.`,
				},
			],
			default: 'stored',
			description: `When an ${item} counts as done.${item === 'event' ? WEBHOOK : ''} Each failed attempt starts the error workflow.`,
		},
	];
}
