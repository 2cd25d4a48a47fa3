/** What the editor shows of the poll trigger. */
import type { INodeProperties } from 'n8n-workflow';
import { conditionsProperty } from '../../n8n/conditions';
import { deliveryProperties } from '../../n8n/deliveryProperties';
import { triggerEventTypes } from '../../n8n/eventTypeProperties';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../n8n/poll/settings';

export const pollTriggerProperties: INodeProperties[] = [
	{
		displayName:
			'Each event that the service lists starts the workflow once. Alone, this node serves an n8n that the service cannot reach; beside an Asset Service Trigger in the same workflow, it fetches only what did not arrive by webhook.',
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
				description: 'Events that are listed when the workflow is first published do not start it',
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
			'Max number of results to return per request. A poll goes on to the next page until it has met that many known events in a row.',
	},
];
