/** The pictures of n8n's panels, in the order in which a user sees them, and one of an execution. */
import type { DeliveredEvent } from '../../simulator';
import { OPEN_TO_ALL } from '../../test/support/n8n/accounts';
import type { Workflow } from '../../test/support/n8n/responses';
import { assetList, manualTrigger, TRIGGER } from '../../test/support/nodes';
import { waitFor } from '../../test/support/wait';
import { buildWorkflow } from '../../test/support/workflow';
import type { Camera } from './camera';
import { takeOneExecution } from './oneExecution';
import { STATION_PANELS } from './stations';
import { SIGNING_SECRET, type Studio } from './studio';

type Shoot = (name: string, camera: Camera, studio: Studio) => Promise<void>;

const MINUTE = 60_000;
const POLL_TRIGGER = 'Asset Service Poll Trigger';
const isNoNote = ({ type }: { readonly type: string }) => type !== 'n8n-nodes-base.stickyNote';

/** Not real; the same in every picture. */
const EVENT: DeliveredEvent = {
	id: 'whevt_example',
	type: 'ocpp.message',
	createdAt: '2026-01-15T08:30:00.000Z',
	data: {
		asset: { id: 'asset_example' },
		protocol: 'ocpp1.6',
		messageType: 'CALL',
		action: 'StatusNotification',
		payload: { connectorId: 2, status: 'Faulted', errorCode: 'InternalError' },
	},
};

const credential =
	(which: 'api' | 'signing'): Shoot =>
	async (name, camera, { editor, ...credentials }) => {
		const form = await editor.openCredential(credentials[which].id);
		await form.shows('Connection tested successfully');
		await camera.takePanel(name, 'editCredential-modal', { height: 1250 });
	};

const triggerUrls: Shoot = async (name, camera, studio) => {
	const { editor } = studio;
	await openTriggerExample(studio);
	const panel = await editor.openNode(TRIGGER);
	await panel.getByText('Webhook URLs', { exact: true }).click();
	await panel.getByText('Production URL', { exact: true }).click();
	await panel.getByText('n8n.example.com').waitFor();
	await camera.takePanel(name, 'ndv', { height: 890 });
};

const triggerReceived: Shoot = async (name, camera, studio) => {
	const { editor } = studio;
	const workflow = await openTriggerExample(studio);
	const panel = await editor.openNode(TRIGGER);
	await panel.getByTestId('trigger-execute-button').first().click();
	await deliverToTestUrl(studio, workflow);
	const output = panel.getByTestId('output-panel');
	await output.getByText('StatusNotification').first().waitFor();
	await output.getByTestId('radio-button-json').click();
	await camera.takePanel(name, 'ndv');
};

const listedAssets: Shoot = async (name, camera, { editor, ...studio }) => {
	const workflow = await studio.importExample('list-assets.json');
	await editor.openWorkflow(workflow.id);
	const panel = await editor.openNode('List assets');
	await panel.getByTestId('node-execute-button').click();
	const output = panel.getByTestId('output-panel');
	await output.getByText('230 items').first().waitFor();
	await output.getByTestId('radio-button-schema').click();
	await camera.takePanel(name, 'ndv');
};

const oneExecution: Shoot = async (name, camera, studio) => {
	const { client } = studio.world;
	const { id, nodes } = await openTriggerExample(studio);
	const workflow = await client.updateWorkflow(id, { nodes: nodes.filter(isNoNote) });
	await takeOneExecution(name, camera, studio, workflow, EVENT);
	// Another picture uses the same URL.
	await client.deactivate(id);
};

/** What the README recommends for faults. */
const FAULTS = [
	{ field: 'data.action', operator: 'equals', value: 'StatusNotification' },
	{ field: 'data.payload.status', operator: 'equals', value: 'Faulted' },
];

const conditions: Shoot = async (name, camera, studio) => {
	const { editor } = studio;
	await openTriggerExample(studio, { conditions: { condition: FAULTS } });
	const panel = await editor.openNode(TRIGGER);
	await panel.getByText('Conditions', { exact: true }).scrollIntoViewIfNeeded();
	await camera.takePanel(name, 'ndv', { height: 1270 });
};

/** The trigger of an example with the test event that it fetches. */
const fetched =
	(file: string, trigger: string): Shoot =>
	async (name, camera, { editor, ...studio }) => {
		const { id } = await studio.importExample(file);
		await editor.openWorkflow(id);
		const panel = await editor.openNode(trigger);
		await panel.getByTestId('trigger-execute-button').first().click();
		await panel.getByTestId('output-panel').getByText('1 item').first().waitFor();
		await camera.takePanel(name, 'ndv', { height: 1000 });
	};

const pollTrigger: Shoot = async (name, camera, studio) => {
	const { id, type, data } = EVENT;
	await studio.simulator.emit({ id, type, data }, { deliver: false });
	await fetched('catch-missed-events.json', POLL_TRIGGER)(name, camera, studio);
};

/** Two of three events started the workflow; the third never arrived. */
const reconcile: Shoot = async (name, camera, studio) => {
	const { world, editor, simulator } = studio;
	const { client } = world;
	const opened = await openTriggerExample(studio);
	const nodes = opened.nodes.map((node) =>
		node.name === TRIGGER ? { ...node, parameters: { ...node.parameters, ...OPEN_TO_ALL } } : node,
	);
	const started = await client.updateWorkflow(opened.id, { nodes });
	await client.activate(started.id);
	const url = await client.webhookUrl(started, TRIGGER);
	for (const n of [1, 2, 3]) {
		const { event } = await simulator.emit(
			{ id: `whevt_${n}`, type: EVENT.type, data: EVENT.data },
			{ deliver: false },
		);
		if (n === 2) continue;
		await waitFor(
			async () => (await simulator.deliver(url, SIGNING_SECRET, event)).status === 200 || undefined,
			{ what: 'n8n to accept the event', timeoutMs: MINUTE },
		);
	}
	const parameters = { resource: 'event', operation: 'reconcile', workflowId: started.id };
	const { id } = await client.createWorkflow(
		buildWorkflow({
			name: 'Reconcile',
			nodes: { Start: manualTrigger, Reconcile: { ...assetList(studio.api), parameters } },
			chains: [['Start', 'Reconcile']],
		}),
	);
	await editor.openWorkflow(id);
	const panel = await editor.openNode('Reconcile');
	await panel.getByTestId('node-execute-button').click();
	const output = panel.getByTestId('output-panel');
	// The editor keeps to the view that was chosen for another node.
	await output.getByTestId('radio-button-table').click();
	await output.getByText('missing').first().waitFor();
	await camera.takePanel(name, 'ndv');
};

export const PANELS: Readonly<Record<string, Shoot>> = {
	'api-credential': credential('api'),
	'signing-secret-credential': credential('signing'),
	'trigger-urls': triggerUrls,
	'trigger-received': triggerReceived,
	'listed-assets': listedAssets,
	'one-execution': oneExecution,
	conditions,
	'poll-trigger': pollTrigger,
	...STATION_PANELS,
	reconcile,
};

/** With a readable URL, and without values that differ from run to run. */
async function openTriggerExample(
	studio: Studio,
	parameters: Workflow['nodes'][number]['parameters'] = {},
): Promise<Workflow> {
	const { world, editor } = studio;
	const { id, nodes } = await studio.importExample('start-on-event.json');
	const named = nodes.map((node) =>
		node.name === TRIGGER
			? {
					...node,
					webhookId: 'events',
					parameters: { ...node.parameters, options: {}, ...parameters },
				}
			: node,
	);
	const workflow = await world.client.updateWorkflow(id, { nodes: named });
	await editor.openWorkflow(id);
	return workflow;
}

/** Retries until n8n listens: it responds with 404 before. */
async function deliverToTestUrl(
	{ world, simulator }: Studio,
	workflow: Workflow,
	event = EVENT,
): Promise<void> {
	const url = await world.client.webhookUrl(workflow, TRIGGER, { test: true });
	await waitFor(
		async () => {
			const { status } = await simulator.deliver(url, SIGNING_SECRET, event);
			return status === 404 ? undefined : status;
		},
		{ what: 'n8n to listen for a test event', timeoutMs: MINUTE },
	);
}
