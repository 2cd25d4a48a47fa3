/** Both triggers in n8n's editor, in a real browser: their fields, their tests, and what a failed publication says. */
import { startSimulator } from '../../../simulator';
import { useForAll } from '../../support/lifetime';
import type { Workflow } from '../../support/n8n/answers';
import { openEditor } from '../../support/n8n/browser';
import { apiCredential, signingCredential } from '../../support/n8n/credentials';
import { useWorld } from '../../support/n8n/useWorld';
import { eventTrigger, POLL_TRIGGER_TYPE } from '../../support/nodes';
import { waitFor } from '../../support/wait';
import { buildWorkflow, type CredentialName, type NodePlan } from '../../support/workflow';

const MINUTES = 60_000;
const SECRET = 'whsec_0123456789abcdef';
const EVENT = {
	id: 'whevt_1',
	type: 'ocpp.message',
	createdAt: '2026-01-01T00:00:00.000Z',
	data: { action: 'Heartbeat' },
};

const world = useWorld();
const simulator = useForAll(() => startSimulator());
const editor = useForAll(() => openEditor(world));
/** All nodes that are looked at: the editor opens it once. */
let workflow: Workflow;

const condition = (field: string, operator: string, value: string) => ({
	conditions: { condition: [{ field, operator, value }] },
});
const UNMET = condition('data.action', 'equals', 'StopTransaction');

const pollTrigger = (credential: CredentialName, parameters: object = {}): NodePlan => ({
	...{ type: POLL_TRIGGER_TYPE, typeVersion: 1, parameters },
	credentials: [credential],
});

const signing = async (secret: string) =>
	await world.client.createCredential(signingCredential(secret));

async function open(nodes: Readonly<Record<string, NodePlan>>): Promise<Workflow> {
	const made = await world.client.createWorkflow(buildWorkflow({ nodes }));
	await editor.openWorkflow(made.id);
	return made;
}

beforeAll(async () => {
	await simulator.emit({ type: 'ocpp.message', data: { action: 'BootNotification' } });
	const [secret, api] = [
		await signing(SECRET),
		await world.client.createCredential(apiCredential(simulator)),
	];
	workflow = await open({
		Fields: eventTrigger({ eventTypes: ['ocpp.message', 'asset.*'] }, [secret]),
		Webhook: eventTrigger({}, [secret]),
		'Webhook with a condition': eventTrigger(UNMET, [secret]),
		// Here, since the button of a selected trigger covers the node to its left.
		'Once succeeded': eventTrigger({ acknowledge: 'succeeded' }, [secret]),
		Poll: pollTrigger(api),
		'Poll with a condition': pollTrigger(api, UNMET),
	});
});
afterEach(() => {
	expect(editor.errors).toEqual([]);
});

describe('the webhook trigger', () => {
	it('shows its fields', async () => {
		const panel = await editor.openNode('Fields');
		const labels = [
			'Credential',
			'Registration',
			'Trigger On',
			'Conditions',
			'Executions',
			'Acknowledge',
			'Options',
		];
		for (const label of labels) await panel.getByText(label, { exact: true }).first().waitFor();
		await editor.closeNode();
	});

	it.each([
		['Fields', '/webhook', '/done'],
		['Once succeeded', '/done', '/webhook'],
	])('of "%s" shows the URL that ends in %s, and no other', async (node, own, other) => {
		const panel = await editor.openNode(node);
		await panel.getByText('Webhook URLs', { exact: true }).click();
		await panel.getByText('Production URL', { exact: true }).click();
		const url = await world.client.webhookUrl(workflow, node);
		expect(url.endsWith(own)).toBe(true);
		await panel.getByText(url).waitFor();
		expect(await panel.getByText(url.slice(0, -own.length) + other).count()).toBe(0);
		await editor.closeNode();
	});

	it('keeps types that are not in its list, and takes others in a field of their own', async () => {
		const panel = await editor.openNode('Fields');
		const types = panel.getByTestId('parameter-input-eventTypes');
		for (const text of ['OCPP Message', 'asset.*']) await types.getByText(text).first().waitFor();
		await types.click();
		await editor.page.getByText('Other (Enter Types)', { exact: true }).click();
		const others = panel.getByTestId('parameter-input-otherEventTypes').locator('input');
		await others.fill('site.created');
		await editor.closeNode();
		const look = async () => {
			const { nodes } = await world.client.getWorkflow(workflow.id);
			const { parameters } = nodes.find(({ name }) => name === 'Fields') ?? {};
			return parameters?.['otherEventTypes'] === 'site.created' ? parameters : undefined;
		};
		const saved = await waitFor(look, { what: 'the editor to save', timeoutMs: MINUTES });
		expect(saved['eventTypes']).toEqual(['ocpp.message', 'asset.*', '__other__']);
	});

	it.each([
		['taken', 'Webhook', SECRET, ['1 item', 'Heartbeat']],
		['taken', 'Once succeeded', SECRET, ['1 item', 'Heartbeat']],
		[
			'refused',
			'Webhook',
			'another secret',
			['A delivery came and was refused', 'signature_mismatch'],
		],
		[
			'ignored',
			'Webhook with a condition',
			SECRET,
			['An event came and was ignored', 'data.action equals StopTransaction'],
		],
	])('shows a test delivery that is %s', async (_what, node, secret, texts) => {
		const panel = await editor.openNode(node);
		await panel.getByTestId('trigger-execute-button').first().click();
		const url = await world.client.webhookUrl(workflow, node, { test: true });
		const deliver = async () => {
			const { status } = await simulator.deliver(url, secret, EVENT);
			return status === 404 ? undefined : status;
		};
		await waitFor(deliver, { what: 'n8n to listen', timeoutMs: MINUTES });
		for (const text of texts) await panel.getByText(text).first().waitFor();
		await editor.closeNode();
	});
});

describe('the poll trigger', () => {
	const fetchEvent = async (node: string) => {
		const panel = await editor.openNode(node);
		await panel.getByTestId('trigger-execute-button').first().click();
		return panel.getByTestId('output-panel');
	};

	it('fetches the newest event, in the order of a delivered one', async () => {
		const output = await fetchEvent('Poll');
		await output.getByText('BootNotification').first().waitFor();
		expect(await output.innerText()).toMatch(/\bid\b[^]*\btype\b[^]*\bcreatedAt\b[^]*\bdata\b/);
		await editor.closeNode();
	});

	it('says why there is none to fetch', async () => {
		const output = await fetchEvent('Poll with a condition');
		await output.getByText('None of the newest events would start the workflow').first().waitFor();
		await output.getByText('data.action equals StopTransaction').first().waitFor();
		await editor.closeNode();
	});
});

describe('a workflow that cannot be published', () => {
	const publish = async () => {
		await editor.page.getByTestId('workflow-open-publish-modal-button').click();
		await editor.page.getByTestId('workflow-publish-button').click();
	};
	/** n8n tries several times, with pauses that grow. */
	const patience = { timeout: 2 * MINUTES };
	const shows = async (...texts: string[]) => {
		for (const text of ['Workflow could not be published', ...texts]) {
			await editor.page.getByText(text).first().waitFor(patience);
		}
	};

	it('says which fields of which node are not filled in', async () => {
		await open({
			'No credential': eventTrigger(),
			'No types': eventTrigger({ eventTypes: ['__other__'] }, [await signing(SECRET)]),
		});
		await publish();
		await shows('Missing required credential: assetServiceSigningSecretApi', 'otherEventTypes');
	});

	it('says what is wrong with an empty secret, and with a condition that no event meets', async () => {
		const unmeetable = condition('data.payload.connectorId', 'greaterThan', 'many');
		await open({
			'Empty secret': eventTrigger({}, [await signing('')]),
			Condition: eventTrigger(unmeetable, [await signing(SECRET)]),
		});
		await publish();
		await shows('Signing Secret is empty. Paste', '“many” is not a number');
	});
});
