/** Every example workflow can be imported and published unchanged, and those of the main job work as described. */
import { startSimulator } from '../../../simulator';
import { useForAll } from '../../support/lifetime';
import { apiCredential, signingCredential } from '../../support/n8n/credentials';
import { EXAMPLES, example, runExample } from '../../support/n8n/examples';
import { registerByHand } from '../../support/n8n/registerByHand';
import { itemsOf, WorkflowFileShape } from '../../support/n8n/responses';
import { useWorld } from '../../support/n8n/useWorld';
import {
	ACTION_TYPE,
	MANUAL_TYPE,
	POLL_TRIGGER_TYPE,
	SCHEDULE_TYPE,
	STATION_TRIGGER_TYPE,
	TRIGGER,
	TRIGGER_TYPE,
} from '../../support/nodes';
import { tellStations } from '../../support/stationStory';
import { startMailbox } from '../operatorJobs/mailbox';

/** Nothing listens there. */
const NOBODY = 'http://127.0.0.1:9/';

const world = useWorld();

it.each(EXAMPLES)('%s is imported without edits, and n8n knows all its nodes', async (file) => {
	const known = await world.client.nodeTypes();
	const content = WorkflowFileShape.parse(example(file));
	const workflow = await world.client.importWorkflow(content);
	expect(workflow.nodes).toHaveLength(content.nodes.length);
	const types = workflow.nodes.map(({ type, typeVersion }) => `${type}@${typeVersion}`);
	expect(known).toEqual(expect.arrayContaining(types));
	// The chart reads the table that another example fills.
	expect(types.join()).toMatch(/n8n-nodes-asset-service\.|n8n-nodes-base\.dataTable@/);
});

describe.each(['documented', 'field'] as const)('with events as %s', (profile) => {
	const simulator = useForAll(() => startSimulator({ profile, assets: 230 }));
	afterEach(() => {
		for (const { id } of simulator.endpoints) simulator.deleteEndpoint(id);
	});

	/** The output of a node in all executions of a workflow, sorted, once there are this many. */
	const outputOf = async (workflowId: string, node: string, count: number) => {
		const ended = await world.client.waitForExecutions({ workflowId }, count);
		const executions = await Promise.all(ended.map(({ id }) => world.client.getExecution(id)));
		for (const { status } of executions) expect(status).toBe('success');
		return executions.flatMap((execution) => itemsOf(execution, node)).map(({ json }) => json);
	};
	/** Sends some events as the profile does, and returns the IDs of all sent events, each once. */
	const sendSome = async (): Promise<string[]> => {
		const { sent } = await simulator.emitAll([{}, { type: 'asset.connectivity' }, {}]);
		const answers = sent.flatMap(({ responses }) => responses.map(({ status }) => status));
		expect(answers).toEqual(sent.map(() => 200));
		return [...new Set(sent.map(({ event }) => event.id))].sort();
	};
	const idsIn = (items: readonly Record<string, unknown>[]) =>
		items.map(({ eventId }) => eventId).sort();

	it('list-assets.json lists every asset', async () => {
		const execution = await runExample(world.client, simulator, 'list-assets.json');
		const assets = itemsOf(execution, 'List assets');
		expect(new Set(assets.map(({ json }) => json.id)).size).toBe(230);
		expect(assets).toHaveLength(230);
	});

	it('create-endpoint.json creates an endpoint, and delete-endpoint.json deletes it', async () => {
		const { client } = world;
		const url = 'https://n8n.example.com/webhook/1';
		const created = await runExample(client, simulator, 'create-endpoint.json', { '': url });
		expect(simulator.endpoints).toMatchObject([
			{ url, events: ['ocpp.message', 'asset.connectivity'] },
		]);
		const [{ id, secret } = { id: '', secret: '' }] = simulator.endpoints;
		expect(itemsOf(created, 'Create endpoint')).toMatchObject([{ json: { id, secret } }]);
		await runExample(client, simulator, 'delete-endpoint.json', { we_replace_me: id });
		expect(simulator.endpoints).toEqual([]);
	});

	it('endpoint-health-alarm.json raises an alarm when deliveries fail', async () => {
		const { id } = simulator.createEndpoint({ url: NOBODY });
		const { sent } = await simulator.emitAll([{}]);
		const execution = await runExample(world.client, simulator, 'endpoint-health-alarm.json', {
			we_replace_me: id,
		});
		expect(itemsOf(execution, 'Is it failing?').map(({ json }) => json)).toMatchObject([
			{ endpointId: id, delivered: 0, failed: sent.length, share: 0, givingUp: false },
		]);
	});

	it('resend-failed-deliveries.json resends failed deliveries', async () => {
		const { id } = simulator.createEndpoint({ url: NOBODY });
		await simulator.emitAll([{}, {}]);
		const statuses = () => [...new Set(simulator.deliveries(id).map(({ status }) => status))];
		expect(statuses()).toEqual(['failed']);
		simulator.moveEndpoint(id, `${simulator.baseUrl}/_simulator/receiver`);
		await runExample(world.client, simulator, 'resend-failed-deliveries.json', {
			we_replace_me: id,
		});
		expect(statuses()).toEqual(['success']);
	});

	it('start-on-event.json runs once for each event', async () => {
		const { client } = world;
		const file = example('start-on-event.json');
		const { id, url } = await registerByHand(client, simulator, file);
		await client.activate(id, { webhookUrls: [url] });
		const ids = await sendSome();
		const picked = await outputOf(id, 'Pick fields', ids.length);
		expect(idsIn(picked)).toEqual(ids);
		expect(picked.map(({ eventType }) => eventType)).toContain('asset.connectivity');
		await client.deactivate(id);
	});

	it('automatic-registration.json runs once for each event of its endpoint', async () => {
		const { client } = world;
		const credential = await client.createCredential(apiCredential(simulator));
		const file = example('automatic-registration.json');
		const { id, ...workflow } = await client.importWorkflow(file, [credential]);
		const url = await client.webhookUrl({ id, ...workflow }, TRIGGER);
		await client.activate(id, { webhookUrls: [url] });
		expect(simulator.endpoints).toMatchObject([{ url, events: ['asset.connectivity'] }]);
		const type = 'asset.connectivity';
		const { events } = await simulator.emitAll([{ type }, { type }]);
		const picked = await outputOf(id, 'Pick fields', events.length);
		expect(idsIn(picked)).toEqual(events.map((event) => event.id).sort());
		await client.deactivate(id);
		expect(simulator.endpoints).toEqual([]);
	});

	it('catch-missed-events.json runs once for each event, by webhook or from the list', async () => {
		const { client } = world;
		const file = example('catch-missed-events.json');
		const { id, url, endpoint } = await registerByHand(client, simulator, file);
		const credential = await client.createCredential(apiCredential(simulator));
		await client.useCredential(id, 'Asset Service Poll Trigger', credential);
		await client.activate(id, { webhookUrls: [url] });
		const ids = await sendSome();
		await outputOf(id, 'Pick fields', ids.length);
		await client.deactivate(id);
		// Deliveries while it is down are lost.
		simulator.moveEndpoint(endpoint.id, NOBODY);
		const missed = await simulator.emitAll([{}, {}]);
		ids.push(...new Set(missed.sent.map(({ event }) => event.id)));
		await client.activate(id, { webhookUrls: [url] });
		expect(idsIn(await outputOf(id, 'Pick fields', ids.length))).toEqual(ids.sort());
		await client.deactivate(id);
	});
});

describe('run as imported', () => {
	const simulator = useForAll(() => startSimulator({ assets: 12 }));
	const mailbox = useForAll(startMailbox);
	/** Those that start without anything from outside. */
	const STARTS = [MANUAL_TYPE, SCHEDULE_TYPE, POLL_TRIGGER_TYPE, STATION_TRIGGER_TYPE];
	const startable = EXAMPLES.flatMap((file) =>
		WorkflowFileShape.parse(example(file))
			.nodes.filter(({ type }) => STARTS.includes(type))
			.map(({ name }) => ({ file, start: String(name) })),
	);

	it.each(startable)(
		'$file changes nothing outside n8n from $start on, with every credential that n8n attaches',
		async ({ file, start }) => {
			const { client } = world;
			await tellStations(simulator);
			simulator.createEndpoint({ url: NOBODY });
			await simulator.emitAll([{}]);
			const stateOf = () => ({
				endpoints: simulator.endpoints,
				deliveries: simulator.endpoints.map(({ id }) => simulator.deliveries(id)),
				commands: [...simulator.stats.commands],
				mails: [...mailbox.mails],
			});
			const before = structuredClone(stateOf());
			const { id } = await client.importWorkflow(example(file), [
				await client.createCredential(apiCredential(simulator)),
				await client.createCredential(mailbox.credential),
			]);
			await client.waitForExecution(await client.runManually(id, start));
			expect(stateOf()).toEqual(before);
			for (const { id } of simulator.endpoints) simulator.deleteEndpoint(id);
		},
	);
});

describe('published twice', () => {
	const simulator = useForAll(() => startSimulator());

	const ownTypes = [ACTION_TYPE, MANUAL_TYPE, 'n8n-nodes-base.stickyNote'];
	const published = EXAMPLES.filter((file) =>
		WorkflowFileShape.parse(example(file)).nodes.some(
			({ type }) => /trigger$/i.test(type) && !ownTypes.includes(type),
		),
	);

	it.each(published)('%s starts its triggers in each copy, each with its own URL', async (file) => {
		const { client } = world;
		const credentials = [
			await client.createCredential(apiCredential(simulator)),
			await client.createCredential(signingCredential('whsec_0123456789abcdef')),
			await client.createCredential({
				...{ name: 'n8n', type: 'n8nApi' },
				data: { apiKey: 'key', baseUrl: `${world.url}/api/v1` },
			}),
			await client.createCredential({
				...{ name: 'Model provider', type: 'openAiApi' },
				data: { apiKey: 'key' },
			}),
			await client.createCredential({
				...{ name: 'Basic Auth', type: 'httpBasicAuth' },
				data: { user: 'operator', password: 'a password' },
			}),
		];
		const urls = new Set<string>();
		const copies: string[] = [];
		for (let copy = 0; copy < 2; copy += 1) {
			const workflow = await client.importWorkflow(example(file), credentials);
			copies.push(workflow.id);
			const hasWebhook = workflow.nodes.some(({ type }) => type === TRIGGER_TYPE);
			const webhookUrls = hasWebhook ? [await client.webhookUrl(workflow, TRIGGER)] : [];
			await client.activate(workflow.id, { webhookUrls });
			for (const url of webhookUrls) expect(urls).not.toContain(url);
			for (const url of webhookUrls) urls.add(url);
		}
		for (const id of copies) await client.deactivate(id);
	});
});
