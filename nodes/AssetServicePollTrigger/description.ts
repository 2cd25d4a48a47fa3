/** The parameters of the poll trigger. */
import type { INodeProperties } from 'n8n-workflow';
import { accountAccessOptions } from '../../n8n/accountAccess';
import { conditionsPropertyFor } from '../../n8n/conditions';
import { pollDeliveryProperties } from '../../n8n/deliveryProperties';
import { triggerEventTypes } from '../../n8n/eventTypeProperties';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../n8n/poll/settings';

export const pollTriggerProperties: INodeProperties[] = [
	{
		displayName:
			"Next to an Asset Service Trigger, set 'If the Execution Fails' to the same value in both.",
		name: 'notice',
		type: 'notice',
		default: '',
	},
	...triggerEventTypes,
	conditionsPropertyFor('poll'),
	...pollDeliveryProperties,
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
