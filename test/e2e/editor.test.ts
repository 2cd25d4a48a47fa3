/** Shows the nodes to a person: the example workflows and the nodes' panels in n8n's editor, in a real browser. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { signTimestamped } from '../../lib/receiver/signature';
import { type Editor, openEditor } from '../support/n8n/browser';
import { signingCredential } from '../support/n8n/credentials';
import { createWorld, type World } from '../support/n8n/world';
import { eventTrigger, TRIGGER } from '../support/nodes';
import { waitFor } from '../support/wait';
import { buildWorkflow } from '../support/workflow';

const MINUTES = 60_000;
const SECRET = 'whsec_0123456789abcdef';
const EXAMPLES = join(__dirname, '..', '..', 'examples');

let world: World;
let editor: Editor;

beforeAll(async () => {
	world = await createWorld();
	editor = await openEditor(world);
}, 25 * MINUTES);
afterAll(async () => {
	await editor.close();
	await world.dispose();
}, MINUTES);

describe('the editor', () => {
	it.each([
		{
			what: 'the webhook trigger',
			file: 'start-on-event.json',
			node: 'Asset Service Trigger',
			labels: [
				'Webhook URLs',
				'Credential',
				'Registration',
				'Event Types',
				'Conditions',
				'Delivery',
				'Options',
			],
		},
		{
			what: 'the action node',
			file: 'list-assets.json',
			node: 'List assets',
			labels: ['Credential', 'Resource', 'Operation', 'Return All', 'Filters', 'Options'],
		},
	])(
		'shows every parameter of $what',
		async ({ file, node, labels }) => {
			await openExample(file);
			const panel = await editor.openNode(node);
			for (const label of labels) await panel.getByText(label, { exact: true }).first().waitFor();
			await editor.closeNode();
			expect(editor.errors).toEqual([]);
		},
		6 * MINUTES,
	);

	it(
		'gives the address that the service is to deliver to',
		async () => {
			const workflow = await openExample('start-on-event.json');
			const panel = await editor.openNode('Asset Service Trigger');
			await panel.getByText('Webhook URLs', { exact: true }).click();
			await panel.getByText('Production URL', { exact: true }).click();
			const url = await world.client.webhookUrl(workflow, 'Asset Service Trigger');
			await panel.getByText(url).waitFor();
			await editor.closeNode();
		},
		6 * MINUTES,
	);

	it.each([
		['refused', 'A delivery came and was refused', 'signature_mismatch', 'another secret'],
		['ignored', 'An event came and was ignored', 'data.action equals StopTransaction', SECRET],
	])(
		'shows why a test delivery is %s',
		async (_what, title, reason, secret) => {
			const condition = [{ field: 'data.action', operator: 'equals', value: 'StopTransaction' }];
			const credential = await world.client.createCredential(signingCredential(SECRET));
			const trigger = eventTrigger({ conditions: { condition } }, [credential]);
			const workflow = await world.client.createWorkflow(
				buildWorkflow({ nodes: { [TRIGGER]: trigger } }),
			);
			await editor.openWorkflow(workflow.id);
			const panel = await editor.openNode(TRIGGER);
			await panel.getByTestId('trigger-execute-button').first().click();
			const url = (await world.client.webhookUrl(workflow, TRIGGER)).replace(
				'/webhook/',
				'/webhook-test/',
			);
			await waitFor(() => sendTo(url, secret), { what: 'n8n to listen', timeoutMs: MINUTES });
			await panel.getByText(title).first().waitFor();
			await panel.getByText(reason).first().waitFor();
			await editor.closeNode();
			expect(editor.errors).toEqual([]);
		},
		6 * MINUTES,
	);
});

async function openExample(file: string) {
	const content: unknown = JSON.parse(readFileSync(join(EXAMPLES, file), 'utf8'));
	const workflow = await world.client.importWorkflow(content);
	await editor.openWorkflow(workflow.id);
	return workflow;
}

/** Undefined until n8n listens: it answers 404 before. */
async function sendTo(url: string, secret: string): Promise<true | undefined> {
	const body = JSON.stringify({
		id: 'whevt_1',
		type: 'ocpp.message',
		data: { action: 'Heartbeat' },
	});
	const signature = signTimestamped(secret, Math.floor(Date.now() / 1_000), body);
	const headers = { 'content-type': 'application/json', 'x-webhook-signature': signature };
	const answer = await fetch(url, { method: 'POST', headers, body });
	return answer.status === 404 ? undefined : true;
}
