/** The output of each operation of the action node with the simulator, for the schemas that the editor shows before the first execution. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IDataObject, INodeParameters, INodeType } from 'n8n-workflow';
import { AssetServiceApi } from '../../credentials/AssetServiceApi.credentials';
import { notePublication } from '../../lib/accounts';
import { ledgerKey, newAttempt, openLedger } from '../../lib/ledger';
import { notePolled } from '../../lib/rejections';
import { rejections } from '../../n8n/log/log';
import { resources } from '../../nodes/AssetService/resources';
import { type Profile, type Simulator, startSimulator } from '../../simulator';
import { startHttpService } from '../../test/support/httpService';
import { runNode } from '../../test/support/runNode';
import { type Schema, schemaOf } from './schema';

/** n8n looks for `__schema__/v<version>/<resource>/<operation>.json`, where the version has three numbers. */
const FOLDER = 'nodes/AssetService/__schema__';
const ASSETS = 300;
const EVENTS = 400;
/** The workflow that `runNode` runs the node in. */
const WORKFLOW_ID = 'workflow-1';
const PUBLIC_URL = 'https://n8n.example.com/';
const MONTH_MS = 30 * 24 * 60 * 60_000;

/** By the path of its file in the project. Parameters have their defaults, so records are simplified. */
export async function operationSchemas(node: INodeType): Promise<Map<string, Schema>> {
	const folder = mkdtempSync(join(tmpdir(), 'asset-service-schemas-'));
	const before = process.env['ASSET_SERVICE_LEDGER_SQLITE_PATH'];
	process.env['ASSET_SERVICE_LEDGER_SQLITE_PATH'] = join(folder, 'ledger.sqlite');
	const simulators = await Promise.all(
		(['documented', 'field'] satisfies Profile[]).map((profile) =>
			startSimulator({ profile, assets: ASSETS, events: EVENTS }),
		),
	);
	let delivered = 0;
	const receiver = await startHttpService(() => ({ status: delivered++ === 0 ? 200 : 500 }));
	try {
		const outputs = new Map<string, IDataObject[]>();
		for (const simulator of simulators) {
			delivered = 0;
			await fillLedger();
			for (const [path, items] of await outputsOf(node, simulator, receiver.url)) {
				outputs.set(path, [...(outputs.get(path) ?? []), ...items]);
			}
		}
		const version = [...String(node.description.version).split('.'), '0', '0'];
		const files = [...outputs].map(([path, items]): [string, Schema] => [
			`${FOLDER}/v${version.slice(0, 3).join('.')}/${path}.json`,
			schemaOf(items),
		]);
		return new Map(files);
	} finally {
		await rejections.flush();
		await (await openLedger({ log: () => undefined })).close();
		await Promise.all([receiver, ...simulators].map((each) => each.stop()));
		if (before === undefined) delete process.env['ASSET_SERVICE_LEDGER_SQLITE_PATH'];
		else process.env['ASSET_SERVICE_LEDGER_SQLITE_PATH'] = before;
		rmSync(folder, { recursive: true });
	}
}

/** A rejection, and an event whose execution has succeeded. Both are only in the ledger; the simulator does not list them. */
const DONE = 'whevt_done';
async function fillLedger(): Promise<void> {
	const ledger = await openLedger({ log: () => undefined });
	const run = newAttempt('4711');
	const beginning = { run, acknowledge: 'stored', retentionMs: MONTH_MS } as const;
	await ledger.begin([ledgerKey(WORKFLOW_ID, DONE)], beginning);
	await ledger.end(run, 'succeeded');
	const trigger = { workflowId: WORKFLOW_ID, nodeId: 'node-1', nodeName: 'Asset Service Trigger' };
	await notePublication(ledger, WORKFLOW_ID, {
		...{ nodeId: 'node-2', publishedAt: 0, now: Date.now() },
		settings: {
			...{ kind: 'poll', access: 'anyWorkflow', accountWorkflowIds: [] },
			...{ eventTypes: [], conditions: {} },
		},
	});
	const polled = { nodeName: 'Asset Service Poll Trigger', polledAt: Date.now() };
	const poller = { workflowId: WORKFLOW_ID, nodeId: 'node-2' };
	await notePolled(ledger, poller, { ...polled, readUpTo: Date.now(), stations: 3 });
	rejections.count(trigger, 'signature_mismatch', async () => ledger, { deliveryId: 'whdel_1' });
}

/** The items of each operation, by `<resource>/<operation>`. */
async function outputsOf(
	node: INodeType,
	simulator: Simulator,
	url: string,
): Promise<Map<string, readonly IDataObject[]>> {
	const { baseUrl, authUrl, audience, clientId, clientSecret } = simulator;
	const data = { baseUrl, authUrl, audience, clientId, clientSecret };
	const { id: endpointId } = simulator.createEndpoint({ url });
	await simulator.emit({ id: DONE });
	for (let failed = 0; failed < 2; failed++) await simulator.emit();
	const [first] = simulator.deliveries(endpointId);
	const createdAfter = new Date(0).toISOString();
	const fault = { createdAfter, triggerOn: 'connectorFault', resolveAfterMinutes: 0 };
	const offline = { createdAfter, triggerOn: 'stationOffline', forMinutes: 0 };
	/** What an operation needs that has several kinds of items. */
	const several: Readonly<Record<string, readonly INodeParameters[]>> = {
		'station/getIncidents': [offline, fault],
	};
	/** What an operation needs in addition to `everywhere`. */
	const own: Readonly<Record<string, INodeParameters>> = {
		'event/reconcile': { createdAfter },
		'event/replay': { createdAfter, states: ['done', 'missing'] },
		'station/getSessions': { createdAfter, includeOpen: true },
		'station/getStatus': { lookBackHours: 720 },
		'station/getUptime': { createdAfter },
		'webhookEndpoint/create': { url: `${PUBLIC_URL}webhook/1`, events: ['ocpp.message'] },
		'webhookEndpoint/delete': { endpointId: simulator.createEndpoint({ url }).id },
	};
	const everywhere = { endpointId, deliveryId: first?.id ?? '', returnAll: true };
	const outputs = new Map<string, readonly IDataObject[]>();
	for (const [resource, { operations }] of Object.entries(resources)) {
		for (const operation of Object.keys(operations)) {
			const path = `${resource}/${operation}`;
			const found: IDataObject[] = [];
			for (const parameters of several[path] ?? [own[path]]) {
				const { items, error } = await runNode({
					node,
					credentials: [{ type: new AssetServiceApi(), data }],
					parameters: { resource, operation, ...everywhere, ...parameters },
					instanceBaseUrl: PUBLIC_URL,
				});
				if (error) throw new Error(`${path}: ${error.message}`);
				found.push(...items.map(({ json }) => json));
			}
			outputs.set(path, found);
		}
	}
	return outputs;
}
