/** Every example workflow can be imported as it is, and those of the main job run. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startSimulator, type Simulator } from '../../../simulator';
import { itemsOf, nodeOfType, WorkflowFileShape } from '../../support/n8n/answers';
import { apiCredential } from '../../support/n8n/credentials';
import { registerByHand } from '../../support/n8n/registerByHand';
import { createWorld, type World } from '../../support/n8n/world';
import { ACTION_TYPE, MANUAL_TYPE } from '../../support/nodes';

const SCHEDULE_TYPE = 'n8n-nodes-base.scheduleTrigger';
const MINUTES = 60_000;
jest.setTimeout(3 * MINUTES);
const FOLDER = join(__dirname, '..', '..', '..', 'examples');
const FILES = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));

let world: World;
let simulator: Simulator;

beforeAll(async () => {
	world = await createWorld();
	simulator = await startSimulator({ assets: 230 });
}, 20 * MINUTES);
afterAll(async () => {
	await world.dispose();
	await simulator.stop();
});

function example(file: string): unknown {
	return JSON.parse(readFileSync(join(FOLDER, file), 'utf8'));
}

it.each(FILES)('%s is imported without edits, and n8n knows all of its nodes', async (file) => {
	const known = await world.client.nodeTypes();
	const content = WorkflowFileShape.parse(example(file));
	const workflow = await world.client.importWorkflow(content);
	expect(workflow.nodes).toHaveLength(content.nodes.length);
	const types = workflow.nodes.map(({ type, typeVersion }) => `${type}@${typeVersion}`);
	expect(known).toEqual(expect.arrayContaining(types));
	expect(types.join()).toContain('n8n-nodes-asset-service.');
	// Credentials and the ids of somebody's instance have no place in an example.
	expect(content.nodes.flatMap(({ credentials = {} }) => Object.keys(credentials))).toEqual([]);
	expect(content).not.toHaveProperty('id');
	// Nor has an address that everybody who imports it would share.
	expect(content.nodes.filter(({ webhookId }) => webhookId !== undefined)).toEqual([]);
});

it('start-on-event.json can be imported and published twice, with an address each', async () => {
	const { client } = world;
	const urls = new Set<string>();
	for (let copy = 0; copy < 2; copy += 1) {
		const file = example('start-on-event.json');
		const { id, url, endpoint } = await registerByHand(client, simulator, file);
		await client.activate(id, { webhookUrls: [url] });
		urls.add(url);
		simulator.deleteEndpoint(endpoint.id);
	}
	expect(urls.size).toBe(2);
});

it('list-assets.json lists every asset', async () => {
	const { client } = world;
	const credential = await client.createCredential(apiCredential(simulator));
	const workflow = await client.importWorkflow(example('list-assets.json'), [credential]);
	const start = nodeOfType(workflow, MANUAL_TYPE);
	const execution = await client.waitForExecution(await client.runManually(workflow.id, start));
	expect(execution.status).toBe('success');
	const assets = itemsOf(execution, nodeOfType(workflow, ACTION_TYPE));
	expect(new Set(assets.map(({ json }) => json.id)).size).toBe(230);
	expect(assets).toHaveLength(230);
});

it('nightly-completeness.json sums up the events that started nothing', async () => {
	const { client } = world;
	await simulator.emit({ type: 'ocpp.message' });
	await simulator.emit({ type: 'asset.connectivity' });
	const credential = await client.createCredential(apiCredential(simulator));
	const workflow = await client.importWorkflow(example('nightly-completeness.json'), [credential]);
	const start = nodeOfType(workflow, SCHEDULE_TYPE);
	const execution = await client.waitForExecution(await client.runManually(workflow.id, start));
	expect(execution.status).toBe('success');
	const missing = simulator.events.length;
	expect(missing).toBeGreaterThanOrEqual(2);
	expect(itemsOf(execution, 'Summary').map(({ json }) => json)).toMatchObject([
		{ missing, stored: 0 },
	]);
});

it('endpoint-health-alarm.json raises an alarm when deliveries fail', async () => {
	const { client } = world;
	// Nothing listens there.
	const { id } = simulator.createEndpoint({ url: 'http://127.0.0.1:9/' });
	try {
		await simulator.emit({ type: 'ocpp.message' });
		const file: unknown = JSON.parse(
			JSON.stringify(example('endpoint-health-alarm.json')).replace('we_replace_me', id),
		);
		const credential = await client.createCredential(apiCredential(simulator));
		const workflow = await client.importWorkflow(file, [credential]);
		const start = nodeOfType(workflow, SCHEDULE_TYPE);
		const execution = await client.waitForExecution(await client.runManually(workflow.id, start));
		expect(execution.status).toBe('success');
		expect(itemsOf(execution, 'Is it failing?').map(({ json }) => json)).toMatchObject([
			{ endpointId: id, delivered: 0, failed: 1, share: 0, givingUp: false },
		]);
	} finally {
		simulator.deleteEndpoint(id);
	}
});

it('start-on-event.json runs for an event', async () => {
	const { client } = world;
	const file = example('start-on-event.json');
	const { id: workflowId, trigger, url } = await registerByHand(client, simulator, file);
	await client.activate(workflowId, { webhookUrls: [url] });

	const { event, responses } = await simulator.emit({ type: 'ocpp.message' });
	expect(responses).toMatchObject([{ status: 200, body: '{"status":"accepted"}' }]);
	const [{ id } = { id: '' }] = await client.waitForExecutions({ workflowId }, 1);
	const execution = await client.getExecution(id);
	expect(execution.status).toBe('success');
	expect(itemsOf(execution, trigger)[0]?.json).toMatchObject({ ...event });
	const picked = itemsOf(execution, 'Pick fields').map(({ json }) => json);
	expect(picked).toMatchObject([{ eventId: event.id, eventType: 'ocpp.message' }]);
});
