/** What the editor shows of the poll trigger. */
import type { INodeProperties } from 'n8n-workflow';
import { conditionsProperty } from '../../n8n/conditions';
import { deliveryProperties } from '../../n8n/deliveryProperties';
import { triggerEventTypes } from '../../n8n/eventTypeProperties';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../n8n/poll/settings';

export const pollTriggerProperties: INodeProperties[] = [
	{
		displayName:
			'Each event that the service lists starts the workflow once. Use it by itself when the service cannot reach your n8n, or next to an Asset Service Trigger in the same workflow to pick up events whose webhook never arrived or whose execution failed. Set "Acknowledge" to the same value in both.',
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
				description:
					'Every event that the service still lists starts the workflow, up to 30 days back',
			},
		],
		default: 'now',
		description: 'Which events start the workflow at first',
	},
	{
		displayName: 'Limit',
		name: 'limit',
		type: 'number',
		noDataExpression: true,
		typeOptions: { minValue: 1, maxValue: MAX_PAGE_SIZE, numberPrecision: 0 },
		default: DEFAULT_PAGE_SIZE,
		// n8n's own words for a limit, with what follows for a poll.
		description:
			'Max number of results to return per request. A poll reads as many pages as it takes to reach the events of the last poll.',
	},
];
