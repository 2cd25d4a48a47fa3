/** Both triggers in n8n's editor, in a real browser: their fields, their tests, and the messages when publishing fails. */
import { startSimulator } from '../../../simulator';
import { useForAll } from '../../support/lifetime';
import { openEditor } from '../../support/n8n/browser';
import { apiCredential, signingCredential } from '../../support/n8n/credentials';
import type { Workflow } from '../../support/n8n/responses';
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
/** All nodes of these tests in one workflow, so the editor opens only once. */
let workflow: Workflow;

const condition = (field: string, operator: string, value: string) => ({
	conditions: { condition: [{ field, operator, value }] },
});
const STOP = condition('data.action', 'equals', 'StopTransaction');
const FAULTED = condition('data.payload.status', 'equals', 'Faulted');
const MISSPELLED = condition('data.payload.erorCode', 'equals', 'GroundFailure');

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
	const actions = ['StopTransaction', ...Array<string>(60).fill('Heartbeat'), 'BootNotification'];
	for (const [n, action] of actions.entries()) {
		const createdAt = new Date(Date.now() - (actions.length - n) * 60_000).toISOString();
		const data = { action, payload: { errorCode: 'NoError', info: `info ${n}` } };
		await simulator.emit({ type: 'ocpp.message', createdAt, data });
	}
	const [secret, spaced, api] = [
		await signing(SECRET),
		await signing(`${SECRET} `),
		await world.client.createCredential(apiCredential(simulator)),
	];
	workflow = await open({
		Fields: eventTrigger({ eventTypes: ['ocpp.message', 'asset.*'] }, [secret]),
		Webhook: eventTrigger({}, [secret]),
		'Secret with a space': eventTrigger({}, [spaced]),
		'Webhook with a condition': eventTrigger(FAULTED, [secret]),
		// Here, since the button of a selected trigger covers the node to its left.
		'Once succeeded': eventTrigger({ acknowledge: 'succeeded' }, [secret]),
		'Fields to choose': pollTrigger(api, STOP),
		Poll: pollTrigger(api),
		'Poll with a condition': pollTrigger(api, STOP),
		'Poll with a typo': pollTrigger(api, MISSPELLED),
	});
});
afterEach(() => {
	expect(editor.errors).toEqual([]);
});

/** Clicks "Listen for test event"; `deliver` waits until n8n does. */
async function listen(node: string) {
	const panel = await editor.openNode(node);
	await panel.getByTestId('trigger-execute-button').first().click();
	const url = await world.client.webhookUrl(workflow, node, { test: true });
	const deliver = async (event: typeof EVENT, secret = SECRET) =>
		await waitFor(
			async () => {
				const response = await simulator.deliver(url, secret, event);
				return response.status === 404 ? undefined : response;
			},
			{ what: 'n8n to listen', timeoutMs: MINUTES },
		);
	return { panel, deliver };
}

describe('the webhook trigger', () => {
	it('shows its fields', async () => {
		const panel = await editor.openNode('Fields');
		const labels = [
			'Credential',
			'Registration',
			'Trigger On',
			'Conditions',
			'Executions',
			'If the Execution Fails',
			'Options',
		];
		for (const label of labels) await panel.getByText(label, { exact: true }).first().waitFor();
		await editor.closeNode();
	});

	it.each([
		['Fields', '/webhook', '/done'],
		['Once succeeded', '/done', '/webhook'],
	])('of "%s" shows only the URL that ends in %s', async (node, own, other) => {
		const panel = await editor.openNode(node);
		await panel.getByText('Webhook URLs', { exact: true }).click();
		await panel.getByText('Production URL', { exact: true }).click();
		const url = await world.client.webhookUrl(workflow, node);
		expect(url.endsWith(own)).toBe(true);
		await panel.getByText(url).waitFor();
		expect(await panel.getByText(url.slice(0, -own.length) + other).count()).toBe(0);
		await editor.closeNode();
	});

	it('keeps types that are not in its list, and accepts others in a separate field', async () => {
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
			'rejected',
			'Webhook',
			'another secret',
			['Delivery rejected: its signature does not match', 'signature_mismatch'],
		],
		[
			'rejected for a space in the credential',
			'Secret with a space',
			SECRET,
			['Delivery rejected', "'Signing Secret' starts or ends with white space"],
		],
	])('shows a test delivery that is %s', async (_what, node, secret, texts) => {
		const { panel, deliver } = await listen(node);
		await deliver(EVENT, secret);
		for (const text of texts) await panel.getByText(text).first().waitFor();
		await editor.closeNode();
	});

	it('keeps listening after ignored events, and shows how many and the nearest miss', async () => {
		const { panel, deliver } = await listen('Webhook with a condition');
		const status = (value: string) => ({
			...EVENT,
			data: { action: 'StatusNotification', payload: { status: value } },
		});
		const ignored = [EVENT, status('Available'), EVENT];
		for (const event of ignored) expect((await deliver(event)).body).toContain('"ignored"');
		expect((await deliver(status('Faulted'))).status).toBe(200);
		const output = panel.getByTestId('output-panel');
		for (const text of [
			'1 item',
			'3 events were ignored while listening',
			"condition 'Status equals Faulted' did not match 'Available'",
		]) {
			await output.getByText(text).first().waitFor();
		}
		await editor.closeNode();
	});
});

describe('the poll trigger', () => {
	const fetchEvent = async (node: string) => {
		const panel = await editor.openNode(node);
		await panel.getByTestId('trigger-execute-button').first().click();
		return panel.getByTestId('output-panel');
	};

	it('offers the fields of recent events for a condition, with values', async () => {
		const loaded = editor.page.waitForResponse(/dynamic-node-parameters\/options/);
		const panel = await editor.openNode('Fields to choose');
		await loaded;
		await panel.getByTestId('parameter-input-field').first().click();
		const choice = editor.page.getByRole('option').filter({ hasText: 'data.payload.info' });
		await choice.getByText('Recently: info ').waitFor();
		await choice.click();
		await editor.closeNode();
		const look = async () => {
			const { nodes } = await world.client.getWorkflow(workflow.id);
			const node = nodes.find(({ name }) => name === 'Fields to choose');
			return JSON.stringify(node?.parameters['conditions']).includes('data.payload.info');
		};
		await waitFor(look, { what: 'the editor to save', timeoutMs: MINUTES });
	});

	it('fetches the newest event, in the order of a delivered one', async () => {
		const output = await fetchEvent('Poll');
		await output.getByText('BootNotification').first().waitFor();
		expect(await output.innerText()).toMatch(/\bid\b[^]*\btype\b[^]*\bcreatedAt\b[^]*\bdata\b/);
		await editor.closeNode();
	});

	it('fetches an event that is not on the first page', async () => {
		const output = await fetchEvent('Poll with a condition');
		await output.getByText('info 0', { exact: true }).first().waitFor();
		await editor.closeNode();
	});

	it('shows how far it searched, and which field is misspelled', async () => {
		const output = await fetchEvent('Poll with a typo');
		for (const text of [
			/None of the 62 listed events \(back to [\d: -]+ UTC\) would start the workflow/,
			"None of 62 events has a field 'data.payload.erorCode'. Did you mean 'data.payload.errorCode'?",
		]) {
			await output.getByText(text).first().waitFor();
		}
		await editor.closeNode();
	});
});

describe('a workflow that cannot be published', () => {
	const publish = async () => {
		await editor.page.getByTestId('workflow-open-publish-modal-button').click();
		await editor.page.getByTestId('workflow-publish-button').click();
	};
	/** n8n tries several times, with growing pauses. */
	const patience = { timeout: 2 * MINUTES };
	const shows = async (...texts: string[]) => {
		for (const text of ['Workflow could not be published', ...texts]) {
			await editor.page.getByText(text).first().waitFor(patience);
		}
	};

	it('names the node, its empty fields, and a value that no event can meet', async () => {
		const unmeetable = condition('data.payload.connectorId', 'greaterThan', 'many');
		await open({
			'No credential': eventTrigger(),
			'No types': eventTrigger({ eventTypes: ['__other__'] }, [await signing(SECRET)]),
			Condition: eventTrigger(unmeetable, [await signing(SECRET)]),
		});
		await publish();
		await shows(
			'Missing required credential: assetServiceSigningSecretApi',
			'otherEventTypes',
			'valueMustBeNumber',
		);
	});

	it('explains an empty secret', async () => {
		await open({ 'Empty secret': eventTrigger({}, [await signing('')]) });
		await publish();
		await shows("'Signing Secret' is empty. Paste");
	});
});
