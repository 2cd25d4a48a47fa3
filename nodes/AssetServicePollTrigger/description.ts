/** The parameters of the poll trigger. */
import type { INodeProperties, TriggerPanelDefinition } from 'n8n-workflow';
import { accountAccessOptions } from '../../n8n/execution/accountAccess';
import { conditionsPropertyFor } from '../../n8n/fields/conditions';
import { eventDelivery } from '../../n8n/fields/deliveryProperties';
import { triggerEventTypes } from '../../n8n/fields/eventTypeProperties';
import { DEFAULT_PAGE_SIZE } from '../../n8n/polling/poll';

const delivery = eventDelivery('poll');

const properties: INodeProperties[] = [
	{
		displayName:
			"Next to an Asset Service Trigger, set 'If the Execution Fails' to the same value in both.",
		name: 'notice',
		type: 'notice',
		default: '',
	},
	...triggerEventTypes,
	conditionsPropertyFor('poll'),
	...delivery.fields,
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
	// Off the screen: the default is right for every service.
	{
		displayName: 'Page Size',
		name: 'limit',
		type: 'hidden',
		noDataExpression: true,
		default: DEFAULT_PAGE_SIZE,
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		noDataExpression: true,
		placeholder: 'Add option',
		default: {},
		options: [...delivery.options, ...accountAccessOptions],
	},
];

const TEST =
	"<b>Test</b>: the button fetches the newest listed event that matches 'Trigger On' and 'Conditions'. If no event matches, it shows why. A fetched event is not marked as started.";
const PRODUCTION =
	'n8n lists the events at the <b>Poll Times</b> and starts the workflow once for each new one. You see these executions in the <b>Executions</b> tab.';

/** What the editor shows next to the parameters: n8n's own text speaks of a mock event. */
const triggerPanel: TriggerPanelDefinition = {
	header: 'Fetch an event from the list',
	executionsHelp: {
		inactive: `${TEST}<br /><br /><b>In production</b>: publish the workflow. ${PRODUCTION}`,
		active: `${TEST}<br /><br /><b>In production</b>: ${PRODUCTION}`,
	},
	activationHint: {
		inactive: 'Publish the workflow to list events regularly.',
		active:
			'The workflow is published and lists events regularly. You see its executions in the <b>Executions</b> tab.',
	},
};

export const screen = { properties, triggerPanel };
