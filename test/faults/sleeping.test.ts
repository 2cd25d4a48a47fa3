/** An execution that sleeps in a Wait node while n8n restarts: it is never taken for interrupted, and its event does not start again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { eventOf, type HostileList, listed, startHostileList } from '../support/hostileList';
import { useForAll } from '../support/lifetime';
import { accountsOf, OPEN_TO_ALL } from '../support/n8n/accounts';
import { countedWorkflows } from '../support/n8n/countedWorkflow';
import { useWorld } from '../support/n8n/useWorld';
import { report } from '../support/report';
import { isAcknowledged } from '../support/sender';
import { waitFor } from '../support/wait';

const MINUTES = 60_000;
/** Longer than 65 s, so that n8n keeps it in its database only, and than three polls. */
const SLEEP_SECONDS = 240;

const list = useForAll((): Promise<HostileList> => startHostileList([]));
const world = useWorld();
const publish = countedWorkflows();

it.each([
	['an ordinary restart', async () => await world.server.stop()],
	['a kill', async () => await world.server.kill()],
])('starts its event once over %s, with "Once Succeeded"', async (how, end) => {
	list.events.splice(0);
	const trigger = await publish(world, {
		parameters: { acknowledge: 'succeeded', ...OPEN_TO_ALL },
		poll: { service: list, startFrom: 'retained' },
		runSeconds: SLEEP_SECONDS,
	});
	const accounts = await accountsOf(world.client, trigger.workflow, list);
	const sender = await trigger.startSender({ seed: 1 });
	const [delivered] = sender.events(1);
	if (!delivered) throw new Error('There is no event.');
	list.events.push(eventOf(0), listed(delivered));
	const first = await sender.attempt(delivered);
	const rows = async () => await world.client.listExecutions({ workflowId: trigger.workflow.id });
	await waitFor(
		async () => (await rows()).filter(({ status }) => status === 'waiting').length === 2,
		{ what: 'both executions to sleep', timeoutMs: 3 * MINUTES, everyMs: 500 },
	);
	await end();
	await world.server.start();

	const states = new Set<string>();
	const outcomes = new Set<string>();
	const isOver = async () => (await rows()).every(({ status }) => status === 'success');
	await waitFor(
		async () => {
			for (const { state } of (await accounts.reconcile()).values()) states.add(state);
			const { status, outcome } = await sender.attempt(delivered);
			outcomes.add(`${status} ${outcome ?? 'other'}`);
			await sleep(5_000);
			return await isOver();
		},
		{ what: 'the executions to end', timeoutMs: (SLEEP_SECONDS + 120) * 1_000 },
	);
	await list.untilPolled(1);
	for (const { state } of (await accounts.reconcile()).values()) states.add(state);
	const runs = trigger.counter.tally(list.events);
	report(
		`two sleeping executions over ${how}: states ${[...states].join(', ')}; redeliveries ${[...outcomes].join(', ')}; events by executions ${JSON.stringify(runs)}`,
	);
	expect(isAcknowledged(first)).toBe(true);
	expect(runs).toEqual({ [1]: 2 });
	expect([...outcomes]).toEqual(['200 duplicate']);
	for (const state of ['interrupted', 'failed', 'missing']) expect(states).not.toContain(state);
	await world.client.deactivate(trigger.workflow.id);
});
