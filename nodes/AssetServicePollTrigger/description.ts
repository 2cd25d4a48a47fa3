/** What the editor shows of the poll trigger. */
import type { INodeProperties } from 'n8n-workflow';
import { conditionsProperty } from '../../n8n/conditions';
import { deliveryProperties } from '../../n8n/deliveryProperties';
import { eventTypesProperty } from '../../n8n/eventTypesProperty';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../n8n/poll/settings';

export const pollTriggerProperties: INodeProperties[] = [
	{
		displayName:
			'Beside an Asset Service Trigger in the same workflow, this node fetches only what did not arrive by webhook: each event starts the workflow once, whichever brings it first',
		name: 'notice',
		type: 'notice',
		default: '',
	},
	eventTypesProperty,
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
