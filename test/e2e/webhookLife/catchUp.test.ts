/** Events that no webhook brought are fetched from the list, and no event runs twice, whichever trigger brings it. */
import catchMissedEvents from '../../../examples/catch-missed-events.json';
import { startSimulator } from '../../../simulator';
import { useForAll } from '../../support/lifetime';
import { itemsOf } from '../../support/n8n/answers';
import { apiCredential, signingCredential } from '../../support/n8n/credentials';
import { useWorld } from '../../support/n8n/useWorld';
import { TRIGGER } from '../../support/nodes';

const MINUTES = 60_000;
const POLL = 'Asset Service Poll Trigger';

describe('the poll trigger on a real n8n', () => {
	const simulator = useForAll(() => startSimulator({ events: 5 }));
	const world = useWorld();

	/** The events that started the workflow, oldest execution first, and the trigger that brought each. */
	const started = async (workflowId: string, count: number) => {
		const executions = await world.client.waitForExecutions({ workflowId }, count, {
			timeoutMs: 4 * MINUTES,
		});
		const oldestFirst = [...executions].sort((a, b) => Number(a.id) - Number(b.id));
		return await Promise.all(
			oldestFirst.map(async ({ id }) => {
				const execution = await world.client.getExecution(id);
				expect(execution.status).toBe('success');
				const byWebhook = itemsOf(execution, TRIGGER);
				const items = byWebhook.length > 0 ? byWebhook : itemsOf(execution, POLL);
				expect(items).toHaveLength(1);
				return { id: items[0]?.json.id, by: byWebhook.length > 0 ? TRIGGER : POLL };
			}),
		);
	};

	it('catches up with what was sent while n8n was stopped, in the order of creation', async () => {
		const { client } = world;
		const endpoint = simulator.createEndpoint({ url: 'http://127.0.0.1:9/' });
		const credentials = [
			await client.createCredential(apiCredential(simulator)),
			await client.createCredential(signingCredential(endpoint.secret)),
		];
		const workflow = await client.importWorkflow(catchMissedEvents, credentials);
		const url = await client.webhookUrl(workflow, TRIGGER);
		await client.activate(workflow.id, { webhookUrls: [url] });
		simulator.moveEndpoint(endpoint.id, url);

		const arrived: string[] = [];
		for (let n = 0; n < 30; n += 1) {
			const { event, responses } = await simulator.emit({});
			expect(responses.map(({ status }) => status)).toEqual([200]);
			arrived.push(event.id);
		}
		expect((await started(workflow.id, 30)).map(({ id }) => id)).toEqual(arrived);

		const missed: string[] = [];
		await world.server.stop();
		for (let n = 0; n < 30; n += 1) missed.push((await simulator.emit({})).event.id);
		await world.server.start();

		const all = await started(workflow.id, 60);
		expect(all).toHaveLength(60);
		expect(new Set(all.map(({ id }) => id)).size).toBe(60);
		const caughtUp = all.slice(30);
		expect(caughtUp.map(({ by }) => by)).toEqual(Array(30).fill(POLL));
		expect(caughtUp.map(({ id }) => id)).toEqual(missed);

		// The service delivers what it could not deliver again: nothing runs twice.
		for (const id of missed.slice(0, 5)) {
			const { responses } = await simulator.emit({ id });
			expect(responses[0]?.body).toBe('{"status":"duplicate"}');
		}
		expect(await client.listExecutions({ workflowId: workflow.id })).toHaveLength(60);
		await client.deactivate(workflow.id);
	});

	it('shows the newest event for "Fetch Test Event", and records nothing', async () => {
		const { client } = world;
		const credential = await client.createCredential(apiCredential(simulator));
		const workflow = await client.importWorkflow(catchMissedEvents, [credential]);
		const { event } = await simulator.emit({}, { deliver: false });
		for (let time = 0; time < 2; time += 1) {
			const id = await client.runManually(workflow.id, POLL);
			const execution = await client.waitForExecution(id);
			expect(itemsOf(execution, POLL).map(({ json }) => json)).toEqual([event]);
		}
	});

	it('serves an n8n without webhooks, from all that the service still lists', async () => {
		const { client } = world;
		const { id: newest } = (await simulator.emit({}, { deliver: false })).event;
		const credential = await client.createCredential(apiCredential(simulator));
		const pollNode = catchMissedEvents.nodes.find(({ name }) => name === POLL);
		const workflow = await client.importWorkflow(
			{
				...catchMissedEvents,
				name: 'Poll alone',
				nodes: [
					{
						...pollNode,
						parameters: { ...pollNode?.parameters, startFrom: 'retained', limit: 20 },
					},
				],
				connections: {},
			},
			[credential],
		);
		await client.activate(workflow.id);
		const all = simulator.events.map(({ id }) => id);
		const ids = (await started(workflow.id, all.length)).map(({ id }) => id);
		expect([...ids].sort()).toEqual([...all].sort());
		expect(ids.at(-1)).toBe(newest);
		await client.deactivate(workflow.id);
	});
});
