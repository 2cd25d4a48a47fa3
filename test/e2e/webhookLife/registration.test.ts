/** An endpoint that the trigger registers itself: created, recognised, replaced and deleted as the workflow is published and unpublished. */
import { startSimulator } from '../../../simulator';
import { useForEach } from '../../support/lifetime';
import { apiCredential } from '../../support/n8n/credentials';
import { itemsOf, type Workflow } from '../../support/n8n/responses';
import { useWorld } from '../../support/n8n/useWorld';
import { PublicationFailure } from '../../support/n8n/workflows';
import { TRIGGER } from '../../support/nodes';
import { waitFor } from '../../support/wait';
import { editTrigger, importAutomatic, publishAtUrl } from './automatic';

const MINUTES = 60_000;

describe('automatic registration on a real n8n', () => {
	const world = useWorld();
	const simulator = useForEach(() => startSimulator({ retryTimeScale: 1 / 36_000 }));

	const imported = async () => await importAutomatic(world.client, simulator);
	/** n8n writes its log independently of its responses. */
	const untilLogged = async (line: RegExp) => {
		await waitFor(() => line.test(world.server.logs()), { what: String(line) });
	};
	const untilAccepted = async () => {
		const accepted = async () => {
			const { responses } = await simulator.emit({ type: 'ocpp.message' });
			return responses[0]?.status === 200;
		};
		// A minute after a process was killed, its claim of the endpoint ends.
		const timeoutMs = 2 * MINUTES;
		await waitFor(accepted, { what: 'an event to be accepted', everyMs: 300, timeoutMs });
	};
	const publish = async (workflow: Workflow) => await publishAtUrl(world.client, workflow);

	it('creates one endpoint, recognises it after a restart, replaces it after an edit, and leaves none', async () => {
		const { client } = world;
		const workflow = await imported();
		const url = await publish(workflow);
		expect(simulator.endpoints).toMatchObject([
			{ url, events: ['asset.connectivity', 'ocpp.message'] },
		]);
		const [made] = simulator.endpoints;

		const { event, responses } = await simulator.emit({ type: 'ocpp.message' }, { copies: 3 });
		expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);

		await world.restart();
		expect(simulator.endpoints).toMatchObject([{ id: made?.id }]);
		expect((await simulator.emit({ id: event.id })).responses).toMatchObject([
			{ status: 200, body: '{"status":"duplicate"}' },
		]);

		await editTrigger(client, workflow.id, { eventTypes: ['asset.connectivity'] });
		await publish(workflow);
		expect(simulator.endpoints).toMatchObject([{ url, events: ['asset.connectivity'] }]);
		expect((await simulator.emit({ type: 'asset.connectivity' })).responses).toMatchObject([
			{ status: 200, body: '{"status":"accepted"}' },
		]);

		await client.deactivate(workflow.id);
		expect(simulator.endpoints).toEqual([]);
		expect(simulator.stats.endpoints).toEqual({ created: 2, deleted: 2, mostAtOnce: 1 });
		expect(await client.waitForExecutions({ workflowId: workflow.id }, 2)).toHaveLength(2);
	});

	it('finishes a publication that was killed while the service created the endpoint, when the next delivery arrives', async () => {
		const { client, server } = world;
		const path = '/webhooks/v1/webhook-endpoints';
		simulator.faults.add({ method: 'POST', path, delayMs: MINUTES, times: 1 });
		const workflow = await imported();
		const url = await client.webhookUrl(workflow, TRIGGER);
		const publishing = client.activate(workflow.id).catch((error: unknown) => error);
		await waitFor(() => simulator.stats.requests.some((request) => request.path === path), {
			what: 'n8n to ask for an endpoint',
		});
		await server.kill();
		await publishing;
		await server.start();

		const { event } = await simulator.emit({ type: 'ocpp.message' }, { deliver: false });
		expect(await simulator.deliver(url, 'unknown', event)).toMatchObject({
			status: 503,
			body: '{"status":"unavailable"}',
		});
		await untilAccepted();
		expect(simulator.endpoints).toMatchObject([{ url }]);
		expect(server.logs()).toContain('a process ended while it was creating an endpoint');
		expect(simulator.stats.endpoints).toEqual({ created: 1, deleted: 0, mostAtOnce: 1 });
	});

	it('replaces the endpoint after the client secret has changed, and logs it', async () => {
		const { client } = world;
		const workflow = await imported();
		await publish(workflow);
		const { credentials } = workflow.nodes.find(({ name }) => name === TRIGGER) ?? {};
		const [before] = simulator.endpoints;

		const clientSecret = 'another-client-secret-0123456789';
		simulator.addClient({ clientId: simulator.clientId, clientSecret });
		await client.updateCredential(
			credentials?.['assetServiceApi']?.id ?? '',
			apiCredential(simulator, { clientSecret }),
		);
		await world.restart();
		expect((await simulator.emit({ type: 'ocpp.message' })).responses).toMatchObject([
			{ status: 503, body: '{"status":"unavailable"}' },
		]);
		const isNew = () => simulator.endpoints.some(({ id }) => id !== before?.id);
		await waitFor(isNew, { what: 'a new endpoint' });
		expect(simulator.endpoints).toHaveLength(1);
		expect(simulator.stats.endpoints.mostAtOnce).toBe(1);
		await untilLogged(
			/the client secret of the credential has changed.*registering a new endpoint/,
		);
		// For up to a second n8n still knows that there was no usable secret.
		await untilAccepted();
		await client.deactivate(workflow.id);
		expect(simulator.endpoints).toEqual([]);
	});

	it('unpublishes even if the deletion fails, and names the endpoint', async () => {
		const workflow = await imported();
		await publish(workflow);
		const id = simulator.endpoints[0]?.id ?? '';
		simulator.faults.add({ method: 'DELETE', path: /webhook-endpoints/, status: 500 });
		await world.client.deactivate(workflow.id).catch((error: unknown) => error);
		await untilLogged(new RegExp(id));
		const url = await world.client.webhookUrl(workflow, TRIGGER);
		expect((await fetch(url, { method: 'POST' })).status).toBe(404);
	});

	it('creates a separate endpoint for the test URL while the editor listens', async () => {
		const { client } = world;
		const workflow = await imported();
		await client.listenForTestEvent(workflow.id, TRIGGER);
		expect(simulator.endpoints).toMatchObject([
			{ url: await client.webhookUrl(workflow, TRIGGER, { test: true }) },
		]);
		const { event, responses } = await simulator.emit({ type: 'ocpp.message' });
		expect(responses).toMatchObject([{ status: 200 }]);
		const [{ id } = { id: '' }] = await client.waitForExecutions({ workflowId: workflow.id }, 1);
		const execution = await client.getExecution(id);
		expect(itemsOf(execution, TRIGGER)[0]?.json).toMatchObject({ id: event.id });
		await waitFor(() => simulator.endpoints.length === 0, {
			what: 'the test endpoint to be deleted',
		});
	});

	it('says at once what to do about a wrong client secret, without the retries of n8n', async () => {
		const clientSecret = 'a-client-secret-of-somebody-else';
		const workflow = await importAutomatic(world.client, simulator, {}, { clientSecret });
		const failure: unknown = await world.client
			.activate(workflow.id)
			.catch((error: unknown) => error);
		expect(String(failure)).toMatch(
			/rejected 'Client ID' or 'Client Secret' \(401 .*\)\. Enter 'Client ID' and 'Client Secret' of the API client again/,
		);
		expect(simulator.stats.tokenRequests).toBe(1);
	});

	it('says what to do if the service cannot deliver to the URL', async () => {
		await world.restart({ WEBHOOK_URL: 'http://n8n.example.com/' });
		const workflow = await imported();
		const failure: unknown = await world.client
			.activate(workflow.id)
			.catch((error: unknown) => error);
		expect(failure).toBeInstanceOf(PublicationFailure);
		expect(String(failure)).toMatch(/not a public https URL: http:\/\/n8n\.example\.com/);
		expect(simulator.stats.endpoints.created).toBe(0);
		await world.restart({ WEBHOOK_URL: '' });
	});
});
