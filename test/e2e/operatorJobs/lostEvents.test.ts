/** The form of lost events on a real n8n, in a real browser: it lists them, and what is selected starts again. */
import { startSimulator } from '../../../simulator';
import { endAfterEach, useForAll } from '../../support/lifetime';
import { OPEN_TO_ALL } from '../../support/n8n/accounts';
import { openEditor } from '../../support/n8n/browser';
import { apiCredential } from '../../support/n8n/credentials';
import { example } from '../../support/n8n/examples';
import { WorkflowFileShape } from '../../support/n8n/responses';
import { useWorld } from '../../support/n8n/useWorld';
import { httpRequest, POLL_TRIGGER_TYPE } from '../../support/nodes';
import { waitFor } from '../../support/wait';
import { buildWorkflow } from '../../support/workflow';
import { startWork, type Work } from './work';

const USER = { username: 'operator', password: 'Operators4Events' };
const PATIENCE = { timeoutMs: 240_000 };

const world = useWorld();
const editor = useForAll(() => openEditor(world));
const simulator = useForAll(() => startSimulator());
const stopped = endAfterEach();

/** A workflow whose executions fail for some events, and the events that have failed. */
async function publishWithFailures(work: Work) {
	const { client } = world;
	const credential = await client.createCredential(apiCredential(simulator));
	const poll = {
		...{ type: POLL_TRIGGER_TYPE, typeVersion: 1, credentials: [credential] },
		parameters: {
			...{ startFrom: 'retained', pollTimes: { item: [{ mode: 'everyMinute' }] } },
			...OPEN_TO_ALL,
		},
	};
	const { id: workflowId } = await client.createWorkflow(
		buildWorkflow({
			nodes: {
				Poll: poll,
				Work: httpRequest(`=${work.url}/?event={{ $json.id }}&work={{ $json.data.work }}`),
			},
			chains: [['Poll', 'Work']],
		}),
	);
	const emitted = ['fails', 'succeeds', 'fails'].map(
		async (what) =>
			await simulator.emit({ type: 'ocpp.message', data: { work: what } }, { deliver: false }),
	);
	const [first, , second] = (await Promise.all(emitted)).map(({ event }) => event.id);
	await client.activate(workflowId);
	await client.waitForExecutions({ workflowId }, 3, PATIENCE);
	return { workflowId, first: first ?? '', second: second ?? '' };
}

/** The example as a user sets it up. Returns the URL of its form. */
async function publishForm(workflowId: string): Promise<string> {
	const { client } = world;
	const credentials = [
		await client.createCredential(apiCredential(simulator)),
		await client.createCredential({
			...{ name: 'Operators', type: 'httpBasicAuth' },
			data: { user: USER.username, password: USER.password },
		}),
	];
	const file = WorkflowFileShape.parse(
		example('lost-events-form.json', { replace_me: workflowId }),
	);
	const { id, nodes } = await client.importWorkflow(file, credentials);
	await client.activate(id);
	const form = nodes.find(({ name }) => name === 'Lost events');
	return `${world.url}/form/${String(form?.webhookId)}`;
}

it('lists the failed events as checkboxes, and starts the selected one again', async () => {
	const work = stopped(await startWork());
	const { workflowId, first, second } = await publishWithFailures(work);
	const url = await publishForm(workflowId);
	work.repair();
	const { page } = editor;
	await page.context().setHTTPCredentials({ ...USER, origin: world.url });
	await waitFor(async () => (await page.goto(url))?.ok(), { what: 'the form' });

	await page.locator('input[type=number]').fill('1');
	await page.getByText('List events', { exact: true }).click();
	await page.getByText('2 of 2 events. Select the ones to start again.').waitFor();
	const boxes = page.locator('input[type=checkbox]');
	expect(await boxes.count()).toBe(2);
	await page.getByText(first).click();
	await page.getByText('Start again', { exact: true }).click();
	await page.getByText('1 of 1 events start again').waitFor();

	await waitFor(() => work.callsOf(first) === 2, { what: 'the second execution', ...PATIENCE });
	expect(work.callsOf(second)).toBe(1);
});
