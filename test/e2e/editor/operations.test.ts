/** Every operation of the action node, executed from its panel in n8n's editor as by a user, against the simulator. */
import { startSimulator, type Endpoint } from '../../../simulator';
import { startHttpService } from '../../support/httpService';
import { useForAll } from '../../support/lifetime';
import { type Editor, openEditor } from '../../support/n8n/browser';
import { apiCredential } from '../../support/n8n/credentials';
import { useWorld } from '../../support/n8n/useWorld';
import { ACTION_TYPE, baseNode } from '../../support/nodes';
import { waitFor } from '../../support/wait';
import { buildWorkflow } from '../../support/workflow';

const world = useWorld();
const simulator = useForAll(() => startSimulator({ assets: 12 }));
const receiver = useForAll(() => startHttpService(() => ({ status: 200 })));
const editor = useForAll(() => openEditor(world));
let endpoint: Endpoint;

interface Plan {
	readonly operation: string;
	readonly parameters: () => Readonly<Record<string, unknown>>;
	/** Fields in the panel in addition to those of every operation. */
	readonly labels: readonly string[];
	/** Text in the output. */
	readonly output: readonly (string | RegExp)[];
}

const byId = (value: string) => ({ __rl: true, mode: 'id', value });

const PLANS: readonly Plan[] = [
	{
		operation: 'asset.getAll',
		parameters: () => ({ limit: 3 }),
		labels: ['Return All', 'Limit', 'Simplify', 'Filters', 'Options'],
		output: ['3 items', 'serialNumber'],
	},
	{
		operation: 'event.getAll',
		parameters: () => ({ filters: { eventTypes: ['ocpp.*'] } }),
		labels: ['Return All', 'Limit', 'Simplify', 'Event Types', 'ocpp.*', 'Options'],
		output: ['1 item', 'ocpp.message'],
	},
	{
		operation: 'event.reconcile',
		parameters: () => ({}),
		labels: [
			...['Workflow ID', 'Event Types', 'Conditions', 'States', 'Created After', 'Created Before'],
		],
		output: ['No listed event has reached the workflow'],
	},
	{
		operation: 'event.replay',
		parameters: () => ({}),
		labels: ['Workflow ID', 'Dry Run', 'Event IDs', 'Event Types', 'States', 'Created Before'],
		output: ['No listed event has reached the workflow'],
	},
	{
		operation: 'event.getRejections',
		parameters: () => ({}),
		labels: ['Workflow ID'],
		output: ['no delivery that reached the triggers of this workflow was rejected or ignored'],
	},
	{
		operation: 'delivery.getAll',
		parameters: () => ({ endpointId: endpoint.id }),
		labels: ['Endpoint', 'Status', 'Return All', 'Limit', 'Simplify', 'Options'],
		output: ['2 items', 'asset.connectivity', 'success'],
	},
	{
		operation: 'webhookEndpoint.getHealth',
		parameters: () => ({ endpointId: byId(endpoint.id) }),
		labels: ['Endpoint', 'Created After'],
		output: ['1 item', 'delivered'],
	},
	{
		operation: 'webhookEndpoint.create',
		parameters: () => ({
			url: 'https://n8n.example.com/webhook/1',
			events: ['ocpp.message', 'site.created'],
		}),
		labels: ['URL', 'Event Types', 'OCPP Message', 'site.created', 'Include Secret'],
		output: ['1 item', /^we_/, 'secret'],
	},
	{
		operation: 'webhookEndpoint.delete',
		parameters: () => ({ endpointId: byId(simulator.createEndpoint({ url: receiver.url }).id) }),
		labels: ['Endpoint'],
		output: ['1 item', 'deleted'],
	},
];

const RESEND = 'delivery.resend';
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) as string;
const UNKNOWN = 'an endpoint that there is not';

beforeAll(async () => {
	endpoint = simulator.createEndpoint({ url: receiver.url });
	const data = { action: 'Heartbeat', asset: { id: 'as_1' } };
	await simulator.emit({ type: 'ocpp.message', data });
	await simulator.emit({ type: 'asset.connectivity', data: {} });

	const credential = await world.client.createCredential(apiCredential(simulator));
	const nodeOf = (operation: string, parameters: object) => ({
		...{ type: ACTION_TYPE, typeVersion: 1, credentials: [credential] },
		parameters: {
			resource: operation.split('.')[0],
			operation: operation.split('.')[1],
			...parameters,
		},
	});
	const nodes = {
		...Object.fromEntries(
			PLANS.map(({ operation, parameters }) => [operation, nodeOf(operation, parameters())]),
		),
		[RESEND]: nodeOf(RESEND, {
			endpointId: byId(endpoint.id),
			deliveryId: { __rl: true, mode: 'list', value: '' },
		}),
		[UNKNOWN]: nodeOf('webhookEndpoint.delete', { endpointId: 'we_none' }),
	};
	const { id } = await world.client.createWorkflow(buildWorkflow({ nodes }));
	await editor.openWorkflow(id);
});

const execute = async (panel: Awaited<ReturnType<Editor['openNode']>>) => {
	await panel.getByTestId('node-execute-button').click();
	return panel.getByTestId('output-panel');
};

it.each(PLANS)(
	'$operation shows its fields and its result',
	async ({ operation, labels, output }) => {
		const panel = await editor.openNode(operation);
		const parameters = panel.getByTestId('node-parameters');
		for (const label of ['Resource', 'Operation', ...labels]) {
			await parameters.getByText(label, { exact: true }).first().waitFor();
		}
		const options = await parameters.getByText('Options', { exact: true }).count();
		expect(options > 0).toBe(labels.includes('Options'));
		const shown = await execute(panel);
		for (const text of output) await shown.getByText(text).first().waitFor();
		await editor.closeNode();
		expect(editor.errors).toEqual([]);
	},
);

it(`${RESEND} sends the delivery chosen from the list`, async () => {
	const [first] = simulator.deliveries(endpoint.id);
	const panel = await editor.openNode(RESEND);
	const locator = panel.getByTestId('resource-locator-deliveryId');
	await locator.getByTestId('rlc-input').click();
	const choices = editor.page.getByTestId('rlc-item');
	await choices.nth(1).waitFor();
	// The newest is first.
	expect((await choices.allInnerTexts()).map((text) => text.split(' · '))).toEqual([
		['asset.connectivity', 'success', TIME],
		['Heartbeat', 'success', TIME, 'as_1'],
	]);
	await editor.page.getByTestId('rlc-search').fill('OCPP');
	await choices.nth(1).waitFor({ state: 'hidden' });
	await choices.first().click();
	const shown = await execute(panel);
	await shown.getByText('1 item').first().waitFor();
	await editor.closeNode();
	expect(first).toMatchObject({ eventType: 'ocpp.message', attempts: [{ status: 'success' }] });
	const [resent] = simulator.deliveries(endpoint.id);
	expect(resent?.attempts).toHaveLength(2);
	expect(editor.errors).toEqual([]);
});

it('shows what went wrong, and what to do', async () => {
	const panel = await editor.openNode(UNKNOWN);
	const shown = await execute(panel);
	await shown.getByText('The service does not know this endpoint').first().waitFor();
	await shown.getByText('Check the endpoint ID').first().waitFor();
	await editor.closeNode();
});

it('keeps what was entered when Reconcile becomes Replay', async () => {
	const { client } = world;
	const entered = {
		...{ workflowId: 'flow', eventTypes: ['ocpp.message'], states: ['failed'] },
		conditions: { condition: [{ field: 'type', operator: 'contains', value: 'ocpp.message' }] },
		...{ createdAfter: '2026-01-01T00:00:00', createdBefore: '2026-01-02T00:00:00' },
		options: { parallelItems: 3 },
	};
	const parameters = { resource: 'event', operation: 'reconcile', ...entered };
	const node = { type: ACTION_TYPE, typeVersion: 1, parameters };
	const { id } = await client.createWorkflow(buildWorkflow({ nodes: { Events: node } }));
	await editor.openWorkflow(id);
	const panel = await editor.openNode('Events');
	const isSaved = async (operation: string) => {
		const [saved] = (await client.getWorkflow(id)).nodes;
		return saved?.parameters['operation'] === operation ? saved.parameters : undefined;
	};
	for (const [label, operation] of [
		['Replay', 'replay'],
		['Reconcile', 'reconcile'],
	] as const) {
		await panel.getByTestId('parameter-input-operation').locator('input').first().click();
		await editor.page.getByRole('option', { name: label }).first().click();
		await editor.page.keyboard.press('Control+s');
		const saved = await waitFor(() => isSaved(operation), { what: `${operation} to be saved` });
		expect(saved).toMatchObject(entered);
	}
	await editor.closeNode();
	expect(editor.errors).toEqual([]);
});

it('shows the fields of an operation before anything is executed', async () => {
	const parameters = { resource: 'event', operation: 'reconcile' };
	const content = buildWorkflow({
		nodes: {
			Reconcile: { type: ACTION_TYPE, typeVersion: 1, parameters },
			After: baseNode('noOp', 1),
		},
		chains: [['Reconcile', 'After']],
	});
	const { id } = await world.client.createWorkflow(content);
	await editor.openWorkflow(id);
	const panel = await editor.openNode('After');
	const input = panel.getByTestId('ndv-input-panel');
	await input.getByText('Usually outputs the following fields').waitFor();
	for (const field of ['state', 'executionId', 'begunAt']) {
		await input.getByText(field, { exact: true }).first().waitFor();
	}
	await editor.closeNode();
	expect(editor.errors).toEqual([]);
});
