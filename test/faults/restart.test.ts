/** n8n restarts with executions that wait for their turn, and runs them itself: each event still succeeds once, with "Start Again". */
import { setTimeout as sleep } from 'node:timers/promises';
import { expectOneRunOf } from '../support/expectations';
import { type HostileList, eventOf, startHostileList } from '../support/hostileList';
import { useForAll } from '../support/lifetime';
import { countedWorkflows, type CountedWorkflow } from '../support/n8n/countedWorkflow';
import { startN8n } from '../support/n8n/server';
import { stopServer } from '../support/n8n/stopServer';
import { useWorld } from '../support/n8n/useWorld';
import type { Attempt, EventSender } from '../support/sender';
import { waitFor } from '../support/wait';

const MINUTES = 60_000;
const EVENTS = 9;
/** By then the sessions of an n8n that ended are over. */
const OVER_MS = 70_000;
const PARAMETERS = { acknowledge: 'succeeded' };

const list = useForAll((): Promise<HostileList> => startHostileList([]));
const world = useWorld(() => ({ env: { N8N_CONCURRENCY_PRODUCTION_LIMIT: '2' } }));
const publish = countedWorkflows();

type DeliveredEvents = ReturnType<EventSender['events']>;

const rowsOf = async ({ workflow }: CountedWorkflow) =>
	await world.client.listExecutions({ workflowId: workflow.id });

async function untilStored(trigger: CountedWorkflow): Promise<void> {
	await waitFor(
		async () => trigger.counter.waiting > 0 && (await rowsOf(trigger)).length === EVENTS,
		{ what: `${EVENTS} executions to be stored`, timeoutMs: 3 * MINUTES },
	);
}

/** One delivery of each event that must not start another execution. */
async function redeliver(sender: EventSender, events: DeliveredEvents): Promise<Attempt[]> {
	return await Promise.all(events.map((event) => sender.attempt(event)));
}

it('runs each waiting event once over an ordinary restart, delivered or listed', async () => {
	const delivered = await publish(world, { parameters: PARAMETERS });
	const sender = await delivered.startSender({ seed: 1 });
	const [first, ...others] = sender.events(EVENTS);
	if (!first) throw new Error('There is no event.');
	const events = [first, ...others];
	const polled = await publish(world, {
		parameters: PARAMETERS,
		poll: { service: list, startFrom: 'retained' },
	});
	// Each of the two workflows has one execution that runs.
	for (const { counter } of [delivered, polled]) counter.hold();
	const sending = [sender.attempt(first)];
	await waitFor(() => delivered.counter.waiting === 1, { what: 'the first execution to begin' });
	list.events.push(...Array.from({ length: EVENTS }, (_unused, n) => eventOf(n)));
	await untilStored(polled);
	sending.push(...others.map((event) => sender.attempt(event)));
	await untilStored(delivered);

	await stopServer(world.server, () => {
		// n8n waits for running executions and begins no other.
		for (const { counter } of [delivered, polled]) counter.letGo();
	});
	await Promise.all(sending);
	await world.server.start();
	await expectOneRunOf(delivered, events);
	await expectOneRunOf(polled, list.events);

	const polling = list.untilPolled(4);
	await redeliver(sender, events);
	await sleep(OVER_MS);
	await redeliver(sender, events);
	await polling;
	await expectOneRunOf(delivered, events);
	await expectOneRunOf(polled, list.events);
	const [last] = await redeliver(sender, [first]);
	expect(last).toMatchObject({ status: 200, outcome: 'duplicate' });
	for (const { workflow } of [delivered, polled]) await world.client.deactivate(workflow.id);
});

it('runs each waiting event once while a second n8n on the same folder takes them over', async () => {
	const trigger = await publish(world, { parameters: PARAMETERS });
	const sender = await trigger.startSender({ seed: 2 });
	const events = sender.events(EVENTS);
	trigger.counter.hold();
	const sending = events.map((event) => sender.attempt(event));
	await untilStored(trigger);

	const second = await startN8n({
		userFolder: world.userFolder,
		env: { N8N_CONCURRENCY_PRODUCTION_LIMIT: '-1' },
	});
	try {
		await waitFor(() => trigger.counter.waiting === EVENTS, {
			what: 'the second n8n to run what waits',
			timeoutMs: MINUTES,
		});
		trigger.counter.letGo();
		await Promise.all(sending);
		await expectOneRunOf(trigger, events);
	} finally {
		await second.stop();
	}
	await redeliver(sender, events);
	await sleep(OVER_MS);
	const again = await redeliver(sender, events);
	await expectOneRunOf(trigger, events);
	expect(new Set(again.map(({ outcome }) => outcome))).toEqual(new Set(['duplicate']));
	await world.client.deactivate(trigger.workflow.id);
});
