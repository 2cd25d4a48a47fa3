/** Executions that sleep in a Wait node while n8n restarts: they are never taken for interrupted, and their events do not start again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expectOneRunOf } from '../support/expectations';
import { eventOf, type HostileList, listed, startHostileList } from '../support/hostileList';
import { useForAll } from '../support/lifetime';
import { accountsOf, OPEN_TO_ALL } from '../support/n8n/accounts';
import { countedWorkflows } from '../support/n8n/countedWorkflow';
import { useWorld } from '../support/n8n/useWorld';
import { report } from '../support/report';
import { isAcknowledged } from '../support/sender';
import { waitFor } from '../support/wait';

const MINUTES = 60_000;
/**
 * Longer than 65 s, so that n8n keeps it in its database only. After the restarts there is time for the session of the killed
 * process to be over, for an interrupted event to be due again, and for a poll.
 */
const SLEEP_SECONDS = 210;
/** By then a session that ended with a kill is over for the process that follows. */
const OVER_MS = 70_000;

const list = useForAll((): Promise<HostileList> => startHostileList([eventOf(0)]));
const world = useWorld();
const publish = countedWorkflows();

it('starts each event once over an ordinary restart and a kill, delivered or listed, with "Start Again"', async () => {
	const trigger = await publish(world, {
		parameters: { acknowledge: 'succeeded', ...OPEN_TO_ALL },
		poll: { service: list, startFrom: 'retained' },
		runSeconds: SLEEP_SECONDS,
	});
	const accounts = await accountsOf(world.client, trigger.workflow, list);
	const sender = await trigger.startSender({ seed: 1 });
	const [delivered] = sender.events(1);
	if (!delivered) throw new Error('There is no event.');
	const first = await sender.attempt(delivered);
	list.events.push(listed(delivered));
	const rows = async () => await world.client.listExecutions({ workflowId: trigger.workflow.id });
	await waitFor(
		async () => (await rows()).filter(({ status }) => status === 'waiting').length === 2,
		{ what: 'both executions to sleep', timeoutMs: 3 * MINUTES, everyMs: 500 },
	);
	await world.restart();
	await world.server.kill();
	await world.server.start();
	await waitFor(async () => (await sender.attempt(delivered)).status !== 404, {
		what: 'n8n to serve the trigger again',
		timeoutMs: MINUTES,
	});

	const startedAt = performance.now();
	const states = new Set<string>();
	const outcomes = new Set<string>();
	let asleepMs = 0;
	await waitFor(
		async () => {
			for (const { state } of (await accounts.reconcile()).values()) states.add(state);
			const { status, outcome } = await sender.attempt(delivered);
			outcomes.add(`${status} ${outcome ?? 'other'}`);
			const statuses = (await rows()).map((row) => row.status);
			if (statuses.includes('waiting')) asleepMs = performance.now() - startedAt;
			await sleep(5_000);
			return statuses.every((status) => status === 'success');
		},
		{ what: 'the executions to end', timeoutMs: SLEEP_SECONDS * 1_000 + 3 * MINUTES },
	);
	for (const { state } of (await accounts.reconcile()).values()) states.add(state);
	report(
		`two sleeping executions over a restart and a kill, asleep for ${Math.round(asleepMs / 1_000)} s after them: states ${[...states].join(', ')}; redeliveries ${[...outcomes].join(', ')}`,
	);
	expect(isAcknowledged(first)).toBe(true);
	expect(asleepMs).toBeGreaterThan(OVER_MS);
	await expectOneRunOf(trigger, list.events);
	expect([...outcomes]).toEqual(['200 duplicate']);
	expect([...states]).toEqual(['asleep']);
	await world.client.deactivate(trigger.workflow.id);
});
