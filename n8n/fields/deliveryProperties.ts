/** The parameters for the number of events per execution and what follows a failure, the same in all triggers. */
import type { INodeProperties } from 'n8n-workflow';
import { DEFAULT_BATCH_SIZE, MAX_BATCH_SIZE } from '../../lib/event';

interface DeliveryOptions {
	/** What starts an execution. */
	readonly item: 'event' | 'incident';
	readonly delivery: 'immediate' | 'batched';
	readonly batchSize: number;
	/** Whether the service waits for a response. */
	readonly isWebhook?: boolean;
}

const EVENTS: DeliveryOptions = {
	item: 'event',
	delivery: 'immediate',
	batchSize: DEFAULT_BATCH_SIZE,
};

export const pollDeliveryProperties = deliveryPropertiesFor(EVENTS);
export const webhookDeliveryProperties = deliveryPropertiesFor({ ...EVENTS, isWebhook: true });

export function deliveryPropertiesFor({
	item,
	delivery,
	batchSize,
	isWebhook = false,
}: DeliveryOptions): INodeProperties[] {
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
					name: `One per Batch of ${Item}s`,
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
			displayName: 'If the Execution Fails',
			name: 'acknowledge',
			type: 'options',
			noDataExpression: true,
			options: [
				{
					name: 'Do Not Start Again',
					value: 'stored',
					description: `At most one execution per ${item}, unless you start it again yourself`,
				},
				{
					name: 'Start Again',
					value: 'succeeded',
					description: isWebhook
						? 'Until an execution has succeeded, within limits. The service gets its 200 when the execution has succeeded.'
						: 'Until an execution has succeeded, within limits',
				},
			],
			default: 'stored',
			description: `'Start Again': after a failure or an interruption the ${item} starts again, at most six times by a poll; steps can repeat. Each failed attempt starts the error workflow.`,
		},
	];
}
