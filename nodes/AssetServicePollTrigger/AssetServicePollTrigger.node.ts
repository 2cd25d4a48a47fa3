/** The poll trigger: starts a workflow once per event of the list. */
import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type INodeProperties,
	type IPollFunctions,
	type TriggerPanelDefinition,
} from 'n8n-workflow';
import { RETENTION_MS } from '../../lib/start';
import { apiClientFor } from '../../n8n/api/apiClient';
import { assetServiceApiTest } from '../../n8n/api/credentials';
import { accountAccessOptions } from '../../n8n/execution/accountAccess';
import { beginRun } from '../../n8n/execution/beginRun';
import { refuseEngine2 } from '../../n8n/execution/engine';
import {
	conditionFields,
	conditionsPropertyFor,
	wantedSubtitle,
} from '../../n8n/fields/conditions';
import { eventDelivery } from '../../n8n/fields/deliveryProperties';
import { triggerEventTypes } from '../../n8n/fields/eventTypeProperties';
import { hintAt, toNodeError, toTriggerError } from '../../n8n/log/nodeError';
import { DEFAULT_PAGE_SIZE, newestEvent, readPollSettings } from '../../n8n/polling/poll';
import { pollEvents } from '../../n8n/polling/runPoll';
import { builderHint } from '../builderHints';

const NO_EVENTS =
	"The service lists no events. Create one at the service and fetch again, or select 'set mock data' and paste a sample event.";

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

export class AssetServicePollTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Asset Service Poll Trigger',
		name: 'assetServicePollTrigger',
		icon: { light: 'file:assetService.svg', dark: 'file:assetService.dark.svg' },
		group: ['trigger'],
		version: 1,
		description:
			'Starts the workflow for each event that the Asset and Webhook Service lists, once per event',
		subtitle: wantedSubtitle,
		defaults: { name: 'Asset Service Poll Trigger' },
		polling: true,
		builderHint: builderHint('assetServicePollTrigger'),
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'assetServiceApi', required: true, testedBy: 'assetServiceApiTest' }],
		properties,
		triggerPanel,
	};

	methods = { credentialTest: { assetServiceApiTest }, loadOptions: { conditionFields } };

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		try {
			refuseEngine2(this);
			return await pollEvents(this);
		} catch (error) {
			throw toTriggerError(this.getNode(), error);
		}
	}

	/** The first step of each execution: fetches a test event in the editor, otherwise passes on events not begun elsewhere. */
	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const settings = readPollSettings((name, fallback) => this.getNodeParameter(name, 0, fallback));
		if (this.getMode() !== 'manual') {
			return [await beginRun(this, { ...settings, retentionMs: RETENTION_MS })];
		}
		hintAt(this, settings.problems);
		try {
			const client = await apiClientFor(this, (message) => {
				hintAt(this, [message]);
			});
			const newest = await newestEvent(this.getNode(), client, settings);
			if (newest !== undefined) return [[newest]];
			hintAt(this, [NO_EVENTS], 'info');
			return [[]];
		} catch (error) {
			throw toNodeError(this.getNode(), error);
		}
	}
}
