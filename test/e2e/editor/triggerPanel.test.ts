/** The texts of the webhook trigger next to its parameters in n8n's editor, before and after publishing. */
import { useForAll } from '../../support/lifetime';
import { openEditor } from '../../support/n8n/browser';
import { signingCredential } from '../../support/n8n/credentials';
import { useWorld } from '../../support/n8n/useWorld';
import { eventTrigger } from '../../support/nodes';
import { buildWorkflow } from '../../support/workflow';

const TRIGGER = 'Trigger';
const PUBLISH = 'Publish the workflow to receive events at the production URL';
const PUBLISHED = 'The workflow is published';

const world = useWorld();
const editor = useForAll(() => openEditor(world));
let workflowId: string;

beforeAll(async () => {
	const secret = await world.client.createCredential(signingCredential('whsec_0123456789abcdef'));
	const nodes = { [TRIGGER]: eventTrigger({}, [secret]) };
	workflowId = (await world.client.createWorkflow(buildWorkflow({ nodes }))).id;
	await editor.openWorkflow(workflowId);
});
afterEach(() => {
	expect(editor.errors).toEqual([]);
});

it('shows on the canvas which events start the workflow', async () => {
	await editor.page.getByText('All Events', { exact: true }).waitFor();
});

it('links to the production URL, which n8n collapses', async () => {
	const panel = await editor.openNode(TRIGGER);
	await panel.getByText("with the 'Production URL'").waitFor();
	await panel.getByText('Webhook URLs', { exact: true }).click();
	await panel.getByText('Production URL', { exact: true }).click();
	await panel.getByText('/webhook/').first().waitFor();
	await editor.closeNode();
});

it('says before publishing that it must be published, and how to test with a service that has one URL per endpoint', async () => {
	const panel = await editor.openNode(TRIGGER);
	await panel.getByText(PUBLISH).waitFor();
	expect(await panel.getByText(PUBLISHED).count()).toBe(0);
	await panel.getByText('More info').click();
	await panel.getByText("paste its secret into 'Previous Signing Secret'").waitFor();
	await panel.getByText("select 'set mock data'").waitFor();
	// The name of the link below the button of the output.
	await panel.getByText('set mock data', { exact: true }).first().waitFor();
	await editor.closeNode();
});

it('says after publishing where its executions are', async () => {
	await world.client.activate(workflowId);
	await editor.openWorkflow(workflowId);
	const panel = await editor.openNode(TRIGGER);
	await panel.getByText(PUBLISHED).waitFor();
	expect(await panel.getByText(PUBLISH).count()).toBe(0);
	await editor.closeNode();
	// The name of the tab.
	await editor.page.getByText('Executions', { exact: true }).first().waitFor();
});
