/** The parameters of the poll trigger. */
import type { INodeProperties } from 'n8n-workflow';
import { accountAccessOptions } from '../../n8n/accountAccess';
import { conditionsProperty } from '../../n8n/conditions';
import { deliveryProperties } from '../../n8n/deliveryProperties';
import { triggerEventTypes } from '../../n8n/eventTypeProperties';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../n8n/poll/settings';

export const pollTriggerProperties: INodeProperties[] = [
	{
		displayName:
			"Each event that the service lists starts the workflow once. Use this node by itself if the service cannot reach your n8n, or add it next to an Asset Service Trigger to pick up events whose webhook never arrived. Set 'Acknowledge' to the same value in both.",
		name: 'notice',
		type: 'notice',
		default: '',
	},
	...triggerEventTypes,
	conditionsProperty,
	...deliveryProperties,
	{
		displayName: 'Start From',
		name: 'startFrom',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'Now',
				value: 'now',
				description: 'Only events created after the workflow is first published',
			},
			{
				name: 'All Retained Events',
				value: 'retained',
				description: 'All events that the service still lists, up to 30 days back',
			},
		],
		default: 'now',
		description: 'Which existing events start the workflow',
	},
	{
		displayName: 'Page Size',
		name: 'limit',
		type: 'number',
		noDataExpression: true,
		typeOptions: { minValue: 1, maxValue: MAX_PAGE_SIZE, numberPrecision: 0 },
		default: DEFAULT_PAGE_SIZE,
		description:
			'Max number of events to request per page. Each poll reads as many pages as it needs.',
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		noDataExpression: true,
		placeholder: 'Add option',
		default: {},
		options: accountAccessOptions,
	},
];
