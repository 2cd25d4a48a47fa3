/** A person replays a day of events while copies arrive and n8n is killed: each runs once more. */
import { eventOf, type ListedEvent, startHostileList } from '../support/hostileList';
import { OPEN_TO_ALL } from '../support/n8n/accounts';
import { itemsOf } from '../support/n8n/answers';
import { countedWorkflows, type CountedWorkflow } from '../support/n8n/countedWorkflow';
import { apiCredential } from '../support/n8n/credentials';
import { useWorld } from '../support/n8n/useWorld';
import { assetList, manualTrigger } from '../support/nodes';
import { report } from '../support/report';
import type { EventSender } from '../support/sender';
import { waitFor } from '../support/wait';
import { buildWorkflow } from '../support/workflow';

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

/** Number of executions per event. */
const runsOf = (): Map<string, number> => {
	const runs = new Map(list.events.map(({ id }) => [id, 0]));
	for (const id of trigger.counter.calls) runs.set(id, (runs.get(id) ?? 0) + 1);
	return runs;
};
const ranAtLeast = (times: number): number =>
	[...runsOf().values()].filter((runs) => runs >= times).length;

/** Executes the action node's Replay for the workflow, as a user does. */
async function replayAll(parameters: object = {}): Promise<readonly Record<string, unknown>[]> {
	const credential = await world.client.createCredential(apiCredential(list));
	const replay = assetList(credential, {
		...{ resource: 'event', operation: 'replay', workflowId: trigger.workflow.id },
		...{ dryRun: false, eventTypes: [], states: ['done'], options: {}, ...parameters },
	});
	const workflow = await world.client.createWorkflow(
		buildWorkflow({
			nodes: { Start: manualTrigger, Replay: replay },
			chains: [['Start', 'Replay']],
		}),
	);
	const execution = await world.client.waitForExecution(
		await world.client.runManually(workflow.id, 'Start'),
	);
	expect(execution.status).toBe('success');
	return itemsOf(execution, 'Replay').map(({ json }) => json);
}

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

	const before = await replayAll();
	expect(before).toHaveLength(EVENTS);
	expect(before.filter(({ state }) => state !== 'done')).toEqual([]);
	await world.client.deactivate(trigger.workflow.id);
	await world.client.activate(trigger.workflow.id, { webhookUrls: trigger.urls });
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
	const counts = [...runsOf().values()];
	report(
		`${EVENTS} events replayed, ${copies.length} copies, one kill: ${ranAtLeast(2)} ran once more, ${counts.filter((runs) => runs > 2).length} more often, ${counts.filter((runs) => runs < 2).length} cut off by the kill (${crashed.cut} executions crashed)`,
	);
	expect(counts.filter((runs) => runs > 2)).toEqual([]);
	expect(counts.filter((runs) => runs < 2).length).toBeLessThanOrEqual(crashed.cut);
});

it('runs each replayed event once more if the service delivers it again, without a poll trigger', async () => {
	list = await startHostileList(Array.from({ length: EVENTS }, (_unused, n) => eventOf(n * 60)));
	trigger = await publish(world, { parameters: OPEN_TO_ALL });
	sender = await trigger.startSender({ seed: 6 });
	const events = list.events.map(asDelivered);
	await sender.deliverAll(events, { perSecond: 50, atOnce: 10 });
	await untilRan(1);
	await replayAll();
	await replayAll({ eventIds: events.map(({ id }) => id).join(',') });
	// Twice each: the second copy is a duplicate again.
	await sender.deliverAll([...events, ...events], { perSecond: 50, atOnce: 10 });
	await untilRan(2);
	await untilIdle();
	expect([...runsOf().values()].filter((runs) => runs !== 2)).toEqual([]);
});
