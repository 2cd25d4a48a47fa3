/** The settings for the number of events per execution and for what follows a failure, in all triggers: fields and options. */
import type { INodeProperties } from 'n8n-workflow';
import { BATCH_SIZE } from '../../lib/event';

interface DeliveryOptions {
	/** What starts an execution. */
	readonly item: 'event' | 'incident';
	readonly delivery: 'immediate' | 'batched';
	readonly batchSize: number;
	/** Whether the service waits for a response. */
	readonly isWebhook?: boolean;
}

/** Whatever is among the options of a trigger is also a field off the screen: n8n drops a parameter that has none. */
interface DeliveryProperties {
	readonly fields: readonly INodeProperties[];
	readonly options: readonly INodeProperties[];
}

export function eventDelivery(kind: 'webhook' | 'poll'): DeliveryProperties {
	const { delivery, batchSize, acknowledge } = settingsOf({
		item: 'event',
		delivery: 'immediate',
		batchSize: BATCH_SIZE.fallback,
		isWebhook: kind === 'webhook',
	});
	const isBatched = { show: { '/delivery': ['batched'] } };
	return {
		fields: [delivery, hidden(batchSize), acknowledge],
		options: [{ ...batchSize, displayOptions: isBatched }],
	};
}

export function incidentDelivery(): DeliveryProperties {
	const { delivery, batchSize, acknowledge } = settingsOf({
		item: 'incident',
		delivery: 'batched',
		batchSize: BATCH_SIZE.most,
	});
	return {
		fields: [onlyIf(delivery, 'immediate'), hidden(batchSize), onlyIf(acknowledge, 'succeeded')],
		options: [
			delivery,
			{ ...batchSize, displayOptions: { hide: { delivery: ['immediate'] } } },
			acknowledge,
		],
	};
}

const hidden = (setting: INodeProperties): INodeProperties => ({ ...setting, type: 'hidden' });

/** On the screen only with this value, so that no setting has an effect that nobody sees. */
function onlyIf(setting: INodeProperties, value: string): INodeProperties {
	return { ...setting, displayOptions: { show: { [`/${setting.name}`]: [value] } } };
}

function settingsOf({ item, delivery, batchSize, isWebhook = false }: DeliveryOptions) {
	const Item = item.charAt(0).toUpperCase() + item.slice(1);
	return {
		delivery: {
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
		batchSize: {
			displayName: 'Batch Size',
			name: 'batchSize',
			type: 'number',
			noDataExpression: true,
			typeOptions: { minValue: 1, maxValue: BATCH_SIZE.most, numberPrecision: 0 },
			default: batchSize,
			description: `Max number of ${item}s per execution. An execution also holds at most 4 MB of ${item}s.`,
		},
		acknowledge: {
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
						? 'Until an execution has succeeded, within limits. The service gets its 200 when the execution has succeeded, at another URL: register it at the service.'
						: 'Until an execution has succeeded, within limits',
				},
			],
			default: 'stored',
			description: `'Start Again': after a failure or an interruption the ${item} starts again: polls make at most six attempts. Steps can repeat. Each failed attempt starts the error workflow.`,
		},
	} satisfies Record<string, INodeProperties>;
}
