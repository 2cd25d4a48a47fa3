/** Shows the nodes to a person: the example workflows and the nodes' panels in n8n's editor, in a real browser. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Editor, openEditor } from '../support/n8n/browser';
import { createWorld, type World } from '../support/n8n/world';

const MINUTES = 60_000;
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
			labels: ['Webhook URLs', 'Credential', 'Registration', 'Event Types', 'Options'],
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
});

async function openExample(file: string) {
	const content: unknown = JSON.parse(readFileSync(join(EXAMPLES, file), 'utf8'));
	const workflow = await world.client.importWorkflow(content);
	await editor.openWorkflow(workflow.id);
	return workflow;
}
