/** The poll trigger of an example on a real n8n: its test in the editor, and all events without any webhook. */
import catchMissedEvents from '../../../examples/catch-missed-events.json';
import { startSimulator } from '../../../simulator';
import { useForAll } from '../../support/lifetime';
import { apiCredential } from '../../support/n8n/credentials';
import { itemsOf } from '../../support/n8n/responses';
import { useWorld } from '../../support/n8n/useWorld';

const POLL = 'Asset Service Poll Trigger';

const simulator = useForAll(() => startSimulator({ events: 5 }));
const world = useWorld();

it('works without webhooks, from all events that the service still lists, each in its own execution', async () => {
	const { client } = world;
	const { id: newest } = (await simulator.emit({}, { deliver: false })).event;
	const credential = await client.createCredential(apiCredential(simulator));
	const poll = catchMissedEvents.nodes.find(({ name }) => name === POLL);
	const parameters = { ...poll?.parameters, startFrom: 'retained', limit: 20 };
	const nodes = [{ ...poll, parameters }];
	const alone = { ...catchMissedEvents, name: 'Poll alone', nodes, connections: {} };
	const { id: workflowId } = await client.importWorkflow(alone, [credential]);
	await client.activate(workflowId);
	const all = simulator.events.map(({ id }) => id);
	const patience = { timeoutMs: 240_000 };
	const ended = await client.waitForExecutions({ workflowId }, all.length, patience);
	const oldestFirst = ended.toSorted((a, b) => Number(a.id) - Number(b.id));
	const runs = await Promise.all(oldestFirst.map(({ id }) => client.getExecution(id)));
	const ids = runs.map((run) => itemsOf(run, POLL).map(({ json }) => json.id));
	expect(ids.toSorted()).toEqual(all.map((id) => [id]).sort());
	expect(ids.at(-1)).toEqual([newest]);
	await client.deactivate(workflowId);
});
