/** The station trigger: starts a workflow once for each incident of a station. */
import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IPollFunctions,
} from 'n8n-workflow';
import { RETENTION_MS } from '../../lib/start';
import { apiClientFor } from '../../n8n/api/apiClient';
import { assetServiceApiTest } from '../../n8n/api/credentials';
import { beginRun } from '../../n8n/execution/beginRun';
import { refuseEngine2 } from '../../n8n/execution/engine';
import { searchStations } from '../../n8n/fields/stations';
import { hintAt, toNodeError, toTriggerError } from '../../n8n/log/nodeError';
import { pollForStations } from '../../n8n/polling/runPoll';
import { searchIncidents, testItems, toOutputs } from '../../n8n/polling/station/outputs';
import { checkStationSettings, readStationSettings } from '../../n8n/polling/station/settings';
import { builderHint } from '../builderHints';
import { screen } from './description';

export class AssetServiceStationTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Asset Service Station Trigger',
		name: 'assetServiceStationTrigger',
		icon: { light: 'file:assetService.svg', dark: 'file:assetService.dark.svg' },
		group: ['trigger'],
		version: 1,
		description:
			'Starts the workflow once for each incident of a charging station: offline, a stuck connector, a fault, or an ended session',
		subtitle: screen.subtitle,
		defaults: { name: 'Asset Service Station Trigger' },
		polling: true,
		builderHint: builderHint('assetServiceStationTrigger'),
		inputs: [],
		outputs: screen.outputs,
		credentials: [{ name: 'assetServiceApi', required: true, testedBy: 'assetServiceApiTest' }],
		properties: screen.properties,
		triggerPanel: screen.triggerPanel,
	};

	methods = {
		credentialTest: { assetServiceApiTest },
		listSearch: { searchIncidents, searchStations },
	};

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		try {
			refuseEngine2(this);
			return await pollForStations(this);
		} catch (error) {
			throw toTriggerError(this.getNode(), error);
		}
	}

	/** The first step of each execution: fetches a test event in the editor, otherwise passes on items not begun elsewhere. */
	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const settings = readStationSettings((name, fallback) =>
			this.getNodeParameter(name, 0, fallback),
		);
		if (this.getMode() !== 'manual') {
			const { acknowledge } = settings;
			return toOutputs(await beginRun(this, { acknowledge, retentionMs: RETENTION_MS }), settings);
		}
		try {
			checkStationSettings(settings);
			const client = await apiClientFor(this, (message) => {
				hintAt(this, [message]);
			});
			return await testItems(this, client, settings);
		} catch (error) {
			throw toNodeError(this.getNode(), error);
		}
	}
}
