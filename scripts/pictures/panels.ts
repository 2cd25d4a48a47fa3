/** The pictures of n8n's panels, in the order in which a person meets them, and the one of a workflow that has run. */
import type { DeliveredEvent } from '../../simulator';
import type { Workflow } from '../../test/support/n8n/answers';
import { TRIGGER } from '../../test/support/nodes';
import { waitFor } from '../../test/support/wait';
import type { Camera } from './camera';
import { SIGNING_SECRET, type Studio } from './studio';

type Shoot = (name: string, camera: Camera, studio: Studio) => Promise<void>;

const MINUTE = 60_000;
const NOTE_TYPE = 'n8n-nodes-base.stickyNote';

/** Made up, the same in every picture. */
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

/** The example with the most nodes that run, without its note. */
const workflowThatRan: Shoot = async (name, camera, studio) => {
	const { world, editor, simulator } = studio;
	const { id, nodes } = await studio.importExample('fault-to-reset.json');
	const shown = nodes.filter(({ type }) => type !== NOTE_TYPE);
	const workflow = await world.client.updateWorkflow(id, { nodes: shown });
	// Of now, since the example leaves old faults alone.
	const { id: eventId, type, data } = EVENT;
	const { event } = await simulator.emit({ id: eventId, type, data }, { deliver: false });
	await editor.openWorkflow(id);
	await editor.page.getByTestId(`execute-workflow-button-${TRIGGER}`).dispatchEvent('click');
	await deliverToTestUrl(studio, workflow, event);
	const ticks = editor.page.getByTestId('canvas-node-status-success');
	await ticks.nth(shown.filter(({ disabled }) => disabled !== true).length - 1).waitFor();
	await camera.takeCanvas(name);
};

export const PANELS: Readonly<Record<string, Shoot>> = {
	'api-credential': credential('api'),
	'signing-secret-credential': credential('signing'),
	'trigger-urls': triggerUrls,
	'trigger-received': triggerReceived,
	'listed-assets': listedAssets,
	'workflow-that-ran': workflowThatRan,
};

/** With an address that reads well, and without what differs from run to run. */
async function openTriggerExample(studio: Studio): Promise<Workflow> {
	const { world, editor } = studio;
	const { id, nodes } = await studio.importExample('start-on-event.json');
	const named = nodes.map((node) =>
		node.name === TRIGGER
			? { ...node, webhookId: 'events', parameters: { ...node.parameters, options: {} } }
			: node,
	);
	const workflow = await world.client.updateWorkflow(id, { nodes: named });
	await editor.openWorkflow(id);
	return workflow;
}

/** Again and again until n8n listens: it answers 404 before. */
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
