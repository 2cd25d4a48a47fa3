/** Executions that n8n has stored but not begun when it ends: it starts them itself when it is back, while the sender and the list deliver their events again. */
import { type DeliveredEvent, startSimulator } from '../../simulator';
import { expectOneRunEach, untilBacklog } from '../support/expectations';
import { useForAll } from '../support/lifetime';
import { countedWorkflows, type CountedWorkflow } from '../support/n8n/countedWorkflow';
import { ledgerFile, passTimeInSqlite } from '../support/n8n/ledgerClock';
import { doubleWaitingRows } from '../support/n8n/storedRows';
import { useWorld } from '../support/n8n/useWorld';
import type { EventSender, Sending } from '../support/sender';
import { waitFor } from '../support/wait';

const MINUTES = 60_000;
const EVENTS = 12;
/** By then the claims of a dead n8n have lapsed. */
const AWAY_MS = 1.5 * MINUTES;

const service = useForAll(() => startSimulator());
const world = useWorld(() => ({ env: { N8N_CONCURRENCY_PRODUCTION_LIMIT: '1' } }));
let trigger: CountedWorkflow;
let sender: EventSender;
const notReady = new Set<string>();

const publishCounted = countedWorkflows();

async function publish(seed: number, { poll }: { poll: boolean }): Promise<void> {
	trigger = await publishCounted(world, poll ? { poll: { service } } : {});
	sender = await trigger.startSender({ seed, notReady });
}

/** Events that the service lists but has not delivered. */
async function listedEvents(): Promise<DeliveredEvent[]> {
	const events: DeliveredEvent[] = [];
	while (events.length < EVENTS) events.push((await service.emit({}, { deliver: false })).event);
	return events;
}

/** Number of stored executions of the workflow, whatever their status. */
const storedRuns = async (): Promise<number> =>
	(await world.client.listExecutions({ workflowId: trigger.workflow.id })).length;

/** Waits until every event that has not run yet is stored a second time. */
const untilStoredAgain = async (): Promise<unknown> =>
	await waitFor(async () => (await storedRuns()) >= 2 * EVENTS - trigger.counter.begun.size, {
		what: 'every event that waits to be stored once more',
		timeoutMs: 2 * MINUTES,
	});

const ends = {
	'is killed': async () => {
		await world.server.kill();
	},
	'is stopped': async () => {
		const said = shutdowns();
		const stopped = world.server.stop();
		await waitFor(() => shutdowns() > said, {
			what: 'n8n to begin its end',
			everyMs: 10,
		});
		// n8n waits for the running execution and begins no other.
		trigger.counter.letGo();
		await stopped;
	},
};
const shutdowns = (): number => world.server.logs().split('Shutting down').length;

describe.each([
	['', false],
	[' and lists events besides', true],
])('an n8n that runs one at a time%s', (_, poll) => {
	it.each(Object.entries(ends))(
		'runs each event once if it %s with a backlog',
		async (_how, end) => {
			await publish(1, { poll });
			const events = await listedEvents();
			trigger.counter.hold();
			const sendingAll = Promise.all(events.map((event) => sender.deliver(event)));
			await untilBacklog(trigger, EVENTS);
			await end();

			notReady.add(trigger.urls[0]);
			passTimeInSqlite(ledgerFile(world.userFolder), AWAY_MS);
			trigger.counter.hold();
			await world.server.start();
			notReady.delete(trigger.urls[0]);
			await untilStoredAgain();
			trigger.counter.letGo();
			const sendings = await sendingAll;
			await expectOneRunEach(trigger, sendings);
			await world.client.deactivate(trigger.workflow.id);
		},
	);
});

it('runs each event once even if n8n has stored it twice', async () => {
	await publish(2, { poll: false });
	const events = sender.events(EVENTS);
	trigger.counter.hold();
	const sendingAll: Promise<Sending[]> = Promise.all(events.map((event) => sender.deliver(event)));
	await untilBacklog(trigger, EVENTS);
	await world.server.kill();
	notReady.add(trigger.urls[0]);
	expect(doubleWaitingRows(world.userFolder)).toBe(EVENTS - 1);
	trigger.counter.letGo();
	await world.server.start();
	notReady.delete(trigger.urls[0]);

	const sendings = await sendingAll;
	await expectOneRunEach(trigger, sendings);
	await world.client.deactivate(trigger.workflow.id);
});
