/** The poll trigger: starts a workflow once per event of the list. */
import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IPollFunctions,
} from 'n8n-workflow';
import { RETENTION_MS } from '../../lib/start';
import { apiClientFor } from '../../n8n/api/apiClient';
import { assetServiceApiTest } from '../../n8n/api/credentials';
import { beginRun } from '../../n8n/execution/beginRun';
import { refuseEngine2 } from '../../n8n/execution/engine';
import { conditionFields, wantedSubtitle } from '../../n8n/fields/conditions';
import { hintAt, toNodeError } from '../../n8n/log/nodeError';
import { newestEvent, readPollSettings } from '../../n8n/polling/poll';
import { pollEvents } from '../../n8n/polling/runPoll';
import { builderHint } from '../builderHints';
import { screen } from './description';

const NO_EVENTS =
	"The service lists no events. Create one at the service and fetch again, or select 'set mock data' and paste a sample event.";

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
		properties: screen.properties,
		triggerPanel: screen.triggerPanel,
	};

	methods = { credentialTest: { assetServiceApiTest }, loadOptions: { conditionFields } };

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		refuseEngine2(this);
		try {
			return await pollEvents(this);
		} catch (error) {
			throw toNodeError(this.getNode(), error);
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
			const newest = await newestEvent(this.getNode(), await apiClientFor(this), settings);
			if (newest !== undefined) return [[newest]];
			this.addExecutionHints({ message: NO_EVENTS, type: 'info', location: 'outputPane' });
			return [[]];
		} catch (error) {
			throw toNodeError(this.getNode(), error);
		}
	}
}
