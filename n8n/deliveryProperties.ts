/** The parameters for the number of events per execution and when events are acknowledged, the same in all triggers. */
import type { INodeProperties } from 'n8n-workflow';
import { DEFAULT_BATCH_SIZE, MAX_BATCH_SIZE } from '../lib/event';

interface Delivery {
	/** What starts an execution. */
	readonly item: 'event' | 'incident';
	readonly delivery: 'immediate' | 'batched';
	readonly batchSize: number;
}

const ACKNOWLEDGE = {
	event:
		"When n8n acknowledges the event. 'Once Stored': as soon as the execution is stored. 'Once Succeeded': when the execution has succeeded. The service must wait that long for the response to a webhook; otherwise it delivers the event again. Each failed attempt starts the error workflow.",
	incident:
		"When the incident counts as reported. 'Once Stored': as soon as the execution is stored. 'Once Succeeded': when the execution has succeeded. Each failed attempt starts the error workflow.",
};
const SUCCEEDED = {
	event:
		'After a failure, the next delivery or poll starts the event again, so an execution can repeat. A poll trigger starts it at most six times.',
	incident:
		'After a failure, a later poll reports the incident again, at most six times, so an execution can repeat',
};

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
					description: SUCCEEDED[item],
				},
			],
			default: 'stored',
			description: ACKNOWLEDGE[item],
		},
	];
}
