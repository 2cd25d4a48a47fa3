/** A person replays a day of events while copies arrive and n8n is killed: each runs once more. */
import { expectPromisesKept } from '../support/expectations';
import { eventOf, type ListedEvent, startHostileList } from '../support/hostileList';
import { accountsOf, OPEN_TO_ALL } from '../support/n8n/accounts';
import { countedWorkflows, type CountedWorkflow } from '../support/n8n/countedWorkflow';
import { useWorld } from '../support/n8n/useWorld';
import { report } from '../support/report';
import type { EventSender } from '../support/sender';
import { waitFor } from '../support/wait';

const EVENTS = Number(process.env['REPLAY_EVENTS'] ?? 100);
const MINUTES = 60_000;

const world = useWorld(() => ({ env: { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' } }));
const publish = countedWorkflows();

let list: Awaited<ReturnType<typeof startHostileList>>;
let trigger: CountedWorkflow;
let sender: EventSender;

afterEach(async () => {
	await world.client.deactivate(trigger.workflow.id);
	await list.stop();
});

const asDelivered = ({ id, eventType, createdAt, payload }: ListedEvent) => {
	return { id, type: eventType, createdAt, data: { ...payload } };
};

const ranAtLeast = (times: number): number =>
	[...trigger.counter.begun.values()].filter((runs) => runs >= times).length;

const ids = () => list.events.map(({ id }) => id);

async function untilRan(times: number, events = EVENTS): Promise<void> {
	await waitFor(() => ranAtLeast(times) >= events, {
		what: `${events} events to run ${times} times`,
		timeoutMs: 8 * MINUTES,
		everyMs: 100,
		detail: () => `${ranAtLeast(times)} did.`,
	});
}

async function untilIdle() {
	const { id: workflowId } = trigger.workflow;
	return await waitFor(
		async () => {
			const rows = await world.client.listExecutions({ workflowId });
			return rows.every(({ status }) => status !== 'running' && status !== 'new') && rows;
		},
		{ what: 'every execution to end', timeoutMs: 2 * MINUTES },
	);
}

it('runs each replayed event once more from the list, with copies arriving and n8n killed', async () => {
	list = await startHostileList(Array.from({ length: EVENTS }, (_unused, n) => eventOf(n * 60)));
	trigger = await publish(world, {
		parameters: OPEN_TO_ALL,
		poll: { service: list, startFrom: 'retained', limit: 100 },
	});
	sender = await trigger.startSender({ seed: 5 });
	await untilRan(1);
	await untilIdle();

	const { client, workflow, recorder } = trigger;
	const accounts = await accountsOf(client, workflow, list, recorder);
	const before = [...(await accounts.replay(ids(), { states: ['done'] })).values()];
	expect(before.map(({ state }) => state)).toEqual(Array<string>(EVENTS).fill('done'));
	await client.deactivate(workflow.id);
	await client.activate(workflow.id, { webhookUrls: trigger.urls });
	const copies = list.events.filter((_event, n) => n % 10 === 0).map(asDelivered);
	const copying = sender.deliverAll(copies, { perSecond: 20, atOnce: 5 });
	await waitFor(() => ranAtLeast(2) > EVENTS / 3, {
		what: 'a third to run again',
		timeoutMs: 5 * MINUTES,
		everyMs: 5,
	});
	await world.server.kill();
	await world.server.start();
	await copying;
	const crashed = await waitFor(
		async () => {
			const rows = await untilIdle();
			const cut = rows.filter(({ status }) => status === 'crashed').length;
			return ranAtLeast(2) + cut >= EVENTS && { cut };
		},
		{ what: 'every event to run again, or to be cut off', timeoutMs: 8 * MINUTES, everyMs: 1000 },
	);
	await untilIdle();
	const interrupted = EVENTS - ranAtLeast(2);
	report(
		`${EVENTS} events replayed, ${copies.length} copies, one kill: ${ranAtLeast(2)} ran once more, ${interrupted} interrupted by the kill (${crashed.cut} executions crashed)`,
	);
	await expectPromisesKept(trigger);
	expect(ranAtLeast(3)).toBe(0);
	expect(interrupted).toBeLessThanOrEqual(crashed.cut);
});

it('runs each replayed event once more if the service delivers it again, without a poll trigger', async () => {
	list = await startHostileList(Array.from({ length: EVENTS }, (_unused, n) => eventOf(n * 60)));
	trigger = await publish(world, { parameters: OPEN_TO_ALL });
	sender = await trigger.startSender({ seed: 6 });
	const events = list.events.map(asDelivered);
	await sender.deliverAll(events, { perSecond: 50, atOnce: 10 });
	await untilRan(1);
	const accounts = await accountsOf(trigger.client, trigger.workflow, list, trigger.recorder);
	await accounts.replay(ids(), { states: ['done'] });
	await accounts.replay(ids());
	// Twice each: the second copy is a duplicate again.
	await sender.deliverAll([...events, ...events], { perSecond: 50, atOnce: 10 });
	await untilRan(2);
	await untilIdle();
	await expectPromisesKept(trigger);
	expect(trigger.counter.begun).toEqual(new Map(ids().map((id) => [id, 2])));
});
