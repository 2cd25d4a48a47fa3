/** n8n starts stored executions a second time, under the same IDs: each event still runs once. */
import { expectOneRunEach, untilBacklog } from '../support/expectations';
import { countedWorkflows, type CountedWorkflow } from '../support/n8n/countedWorkflow';
import { startN8n } from '../support/n8n/server';
import { backUpDatabase } from '../support/n8n/storedRows';
import { useWorld } from '../support/n8n/useWorld';
import type { Sending } from '../support/sender';
import { waitFor } from '../support/wait';

const MINUTES = 60_000;
const EVENTS = 15;

const world = useWorld(() => ({ env: { N8N_CONCURRENCY_PRODUCTION_LIMIT: '1' } }));
let trigger: CountedWorkflow;

const publish = countedWorkflows();

/** Delivers events until the first one runs without ending, while n8n has stored the others and lets them wait. */
async function backlogOf(seed: number): Promise<{ sendingAll: Promise<Sending[]> }> {
	trigger = await publish(world);
	// n8n responds to a delivery when its execution has its turn, which takes longer here than the service would wait.
	const sender = await trigger.startSender({ seed, attemptTimeoutMs: 3 * MINUTES });
	trigger.counter.hold();
	const sendingAll = Promise.all(sender.events(EVENTS).map((event) => sender.deliver(event)));
	await untilBacklog(trigger, EVENTS);
	return { sendingAll };
}

it('runs each event once if n8n’s database is restored from a backup that still lists them as waiting', async () => {
	const { sendingAll } = await backlogOf(1);
	const restore = backUpDatabase(world.userFolder);
	trigger.counter.letGo();
	const sendings = await sendingAll;
	await expectOneRunEach(trigger, sendings);

	await world.server.stop();
	restore();
	await world.server.start();
	await untilNoneWaits();
	await expectOneRunEach(trigger, sendings);
	await world.client.deactivate(trigger.workflow.id);
});

it('runs each event once if a second n8n on the same folder takes over the backlog of the first', async () => {
	const { sendingAll } = await backlogOf(2);
	// It runs the waiting executions of the first n8n at once; the first one also runs them at their turn.
	const second = await startN8n({
		userFolder: world.userFolder,
		env: { N8N_CONCURRENCY_PRODUCTION_LIMIT: '-1' },
	});
	try {
		await waitFor(() => trigger.counter.waiting === EVENTS, {
			what: 'the second n8n to run the backlog',
			timeoutMs: MINUTES,
		});
		trigger.counter.letGo();
		await expectOneRunEach(trigger, await sendingAll);
	} finally {
		await second.kill();
	}
});

/** n8n starts waiting executions after it has reported that it is ready. */
async function untilNoneWaits(): Promise<void> {
	await waitFor(
		async () => {
			const rows = await world.client.listExecutions({ workflowId: trigger.workflow.id });
			return rows.every(({ status }) => status !== 'new');
		},
		{ what: 'n8n to have run what waited in the backup', timeoutMs: 2 * MINUTES },
	);
}
