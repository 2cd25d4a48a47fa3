/** Both triggers in n8n's editor, in a real browser: their fields, their tests, and what a failed publication says. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startSimulator, type Simulator } from '../../../simulator';
import { type Editor, openEditor } from '../../support/n8n/browser';
import { apiCredential, signingCredential } from '../../support/n8n/credentials';
import { createWorld, type World } from '../../support/n8n/world';
import { eventTrigger, POLL_TRIGGER_TYPE, TRIGGER } from '../../support/nodes';
import { waitFor } from '../../support/wait';
import { buildWorkflow, type NodePlan } from '../../support/workflow';

const MINUTES = 60_000;
jest.setTimeout(6 * MINUTES);
const SECRET = 'whsec_0123456789abcdef';
const EXAMPLES = join(__dirname, '..', '..', '..', 'examples');
const EVENT = {
	id: 'whevt_1',
	type: 'ocpp.message',
	createdAt: '2026-01-01T00:00:00.000Z',
	data: { action: 'Heartbeat' },
};

let world: World;
let simulator: Simulator;
let editor: Editor;

beforeAll(async () => {
	world = await createWorld();
	simulator = await startSimulator();
	editor = await openEditor(world);
}, 25 * MINUTES);
afterEach(() => {
	expect(editor.errors).toEqual([]);
});
afterAll(async () => {
	await editor.close();
	await simulator.stop();
	await world.dispose();
}, MINUTES);

/** A workflow of one node, open in the editor. */
async function open(node: NodePlan) {
	const workflow = await world.client.createWorkflow(buildWorkflow({ nodes: { [TRIGGER]: node } }));
	await editor.openWorkflow(workflow.id);
	return workflow;
}

async function webhookTrigger(parameters: object = {}, signingSecret = SECRET): Promise<NodePlan> {
	const credential = await world.client.createCredential(signingCredential(signingSecret));
	return eventTrigger({ ...parameters }, [credential]);
}

const condition = (field: string, operator: string, value: string) => ({
	conditions: { condition: [{ field, operator, value }] },
});

describe('the webhook trigger', () => {
	it('shows its fields, and the address that the service is to deliver to', async () => {
		const file: unknown = JSON.parse(readFileSync(join(EXAMPLES, 'start-on-event.json'), 'utf8'));
		const workflow = await world.client.importWorkflow(file);
		await editor.openWorkflow(workflow.id);
		const panel = await editor.openNode(TRIGGER);
		const labels = [
			'Credential',
			'Registration',
			'Event Types',
			'Conditions',
			'Delivery',
			'Options',
		];
		for (const label of labels) await panel.getByText(label, { exact: true }).first().waitFor();
		await panel.getByText('Webhook URLs', { exact: true }).click();
		await panel.getByText('Production URL', { exact: true }).click();
		await panel.getByText(await world.client.webhookUrl(workflow, TRIGGER)).waitFor();
		await editor.closeNode();
	});

	it('keeps types that are not in its list, and takes others in a field of their own', async () => {
		const { id } = await open(await webhookTrigger({ eventTypes: ['ocpp.message', 'asset.*'] }));
		const panel = await editor.openNode(TRIGGER);
		const types = panel.getByTestId('parameter-input-eventTypes');
		for (const text of ['OCPP Message', 'asset.*']) await types.getByText(text).first().waitFor();
		await types.click();
		await editor.page.getByText('Other (Enter Types)', { exact: true }).click();
		const others = panel.getByTestId('parameter-input-otherEventTypes').locator('input');
		await others.fill('site.created');
		await editor.closeNode();
		const parametersOf = async () => (await world.client.getWorkflow(id)).nodes[0]?.parameters;
		const saved = await waitFor(
			async () => {
				const parameters = await parametersOf();
				return parameters?.['otherEventTypes'] === 'site.created' ? parameters : undefined;
			},
			{ what: 'the editor to save', timeoutMs: MINUTES },
		);
		expect(saved['eventTypes']).toEqual(['ocpp.message', 'asset.*', '__other__']);
	});

	it.each([
		['taken', '1 item', 'Heartbeat', SECRET, {}],
		['refused', 'A delivery came and was refused', 'signature_mismatch', 'another secret', {}],
		[
			'ignored',
			'An event came and was ignored',
			'data.action equals StopTransaction',
			SECRET,
			condition('data.action', 'equals', 'StopTransaction'),
		],
	])('shows a test delivery that is %s', async (_what, title, detail, secret, parameters) => {
		const workflow = await open(await webhookTrigger(parameters));
		const panel = await editor.openNode(TRIGGER);
		await panel.getByTestId('trigger-execute-button').first().click();
		const url = await world.client.webhookUrl(workflow, TRIGGER, { test: true });
		const deliver = async () => {
			const { status } = await simulator.deliver(url, secret, EVENT);
			return status === 404 ? undefined : status;
		};
		await waitFor(deliver, { what: 'n8n to listen', timeoutMs: MINUTES });
		await panel.getByText(title).first().waitFor();
		await panel.getByText(detail).first().waitFor();
		await editor.closeNode();
	});
});

describe('the poll trigger', () => {
	const pollTrigger = async (parameters: object = {}): Promise<NodePlan> => ({
		...{ type: POLL_TRIGGER_TYPE, typeVersion: 1, parameters },
		credentials: [await world.client.createCredential(apiCredential(simulator))],
	});

	beforeAll(async () => {
		await simulator.emit({ type: 'ocpp.message', data: { action: 'BootNotification' } });
	});

	it('fetches the newest event, in the order of a delivered one', async () => {
		await open(await pollTrigger());
		const panel = await editor.openNode(TRIGGER);
		await panel.getByTestId('trigger-execute-button').first().click();
		const output = panel.getByTestId('output-panel');
		await output.getByText('BootNotification').first().waitFor();
		expect(await output.innerText()).toMatch(/\bid\b[^]*\btype\b[^]*\bcreatedAt\b[^]*\bdata\b/);
		await editor.closeNode();
	});

	it('says why there is none to fetch', async () => {
		await open(await pollTrigger(condition('data.action', 'equals', 'StopTransaction')));
		const panel = await editor.openNode(TRIGGER);
		await panel.getByTestId('trigger-execute-button').first().click();
		await panel.getByText('None of the newest events would start the workflow').first().waitFor();
		await panel.getByText('data.action equals StopTransaction').first().waitFor();
		await editor.closeNode();
	});
});

it.each<[string, RegExp, () => NodePlan | Promise<NodePlan>]>([
	[
		'without a credential',
		/Missing required credential: assetServiceSigningSecretApi/,
		() => eventTrigger(),
	],
	[
		'with an empty secret',
		/Signing Secret is empty\. Paste/,
		async () => await webhookTrigger({}, ''),
	],
	[
		'with a condition that no event meets',
		/“many” is not a number/,
		async () => await webhookTrigger(condition('data.payload.connectorId', 'greaterThan', 'many')),
	],
	[
		'with other event types that are not entered',
		/otherEventTypes/,
		async () => await webhookTrigger({ eventTypes: ['__other__'] }),
	],
])('a workflow %s is not published, and the editor says why', async (_what, message, node) => {
	await open(await node());
	await editor.page.getByTestId('workflow-open-publish-modal-button').click();
	await editor.page.getByTestId('workflow-publish-button').click();
	// n8n tries several times, with pauses that grow.
	const patience = { timeout: 2 * MINUTES };
	await editor.page.getByText('Workflow could not be published').first().waitFor(patience);
	await editor.page.getByText(message).first().waitFor(patience);
});
