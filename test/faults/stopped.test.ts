/** Executions that a user stops while n8n holds them back: n8n never responds to their deliveries. */
import { expectAcknowledged, expectOneRunOf } from '../support/expectations';
import { countedWorkflows, type CountedWorkflow } from '../support/n8n/countedWorkflow';
import { GRACE_MS, ledgerFile, passTimeInSqlite } from '../support/n8n/ledgerClock';
import { useWorld } from '../support/n8n/useWorld';
import { report } from '../support/report';
import type { Attempt, EventSender } from '../support/sender';
import { waitFor } from '../support/wait';

/** Additional time for a busy machine. */
const ALLOWANCE_MS = 6_000;

const world = useWorld(() => ({ env: { N8N_CONCURRENCY_PRODUCTION_LIMIT: '1' } }));
let trigger: CountedWorkflow;
let sender: EventSender;

const publishCounted = countedWorkflows();

/** A workflow whose first execution is still running, so that n8n holds back all others. */
async function publishBlocked(parameters: Readonly<Record<string, unknown>> = {}) {
	trigger = await publishCounted(world, { parameters });
	sender = await trigger.startSender({ seed: 1 });
	trigger.counter.hold();
	const [first] = sender.events(1);
	if (!first) throw new Error('There is no event.');
	expect(await sender.attempt(first)).toMatchObject({ outcome: 'accepted' });
	await waitFor(() => trigger.counter.waiting === 1, {
		what: 'the first run to begin',
	});
	return first;
}

const queued = async () => {
	const rows = await world.client.listExecutions({ workflowId: trigger.workflow.id });
	return rows.filter(({ status }) => status === 'new');
};

const untilQueued = async (count: number) =>
	await waitFor(
		async () => {
			const rows = await queued();
			return rows.length === count ? rows : undefined;
		},
		{ what: `${count} executions to wait for their turn` },
	);

/** Stops the only execution that waits for its turn. */
async function stopQueued(): Promise<void> {
	const [row] = await untilQueued(1);
	await world.client.stopExecution(row?.id ?? '');
	await untilQueued(0);
}

const took = ({ startedAt, endedAt }: Attempt): number => endedAt - startedAt;

it('counts a stopped event as stored when its sender has given up, and starts it once if it is delivered again later', async () => {
	const first = await publishBlocked();
	const [stopped, kept] = sender.events(2) as [typeof first, typeof first];
	const sending = sender.deliver(stopped);
	await stopQueued();
	const sendingKept = sender.deliver(kept);
	await untilQueued(1);

	const attempts = [...(await sending).attempts, ...(await sendingKept).attempts];
	report(
		`a queued execution stopped, another held back: ${attempts.map(({ outcome, ...attempt }) => `${outcome ?? 'no response'} after ${took(attempt as Attempt)} ms`).join(', ')}`,
	);
	// The service gives up after 30 s.
	for (const { attempts: each } of [await sending, await sendingKept]) {
		expect(each.at(-1)?.outcome).toBe('duplicate');
		expect(each.length).toBeLessThanOrEqual(3);
	}
	trigger.counter.letGo();
	await expectOneRunOf(trigger, [first, kept]);

	passTimeInSqlite(ledgerFile(world.userFolder), GRACE_MS + 60_000);
	expect(await sender.attempt(stopped)).toMatchObject({ outcome: 'accepted' });
	for (const event of [first, stopped, kept]) {
		expect(await sender.attempt(event)).toMatchObject({ outcome: 'duplicate' });
	}
	await expectOneRunOf(trigger, [first, stopped, kept]);
	await world.client.deactivate(trigger.workflow.id);
});

it.each(['n8n has room again', 'n8n stays full'])(
	'responds to all callers behind a stopped execution of a batch within 12 s, if %s',
	async (when) => {
		const first = await publishBlocked({ delivery: 'batched', batchSize: 100 });
		const events = sender.events(12);
		const attempting = [sender.attempt(events[0] as typeof first)];
		await untilQueued(1);
		attempting.push(...events.slice(1).map((event) => sender.attempt(event)));
		await stopQueued();
		if (when === 'n8n has room again') trigger.counter.letGo();

		const attempts = await Promise.all(attempting);
		const inTime = attempts.filter(({ status, ...attempt }) => {
			return status !== 0 && took(attempt as Attempt) < 12_000 + ALLOWANCE_MS;
		});
		report(
			`${events.length} batched deliveries, one run stopped, and ${when}: ${inTime.length} responses in time (${inTime.map(({ outcome }) => outcome).join(', ')}), the last after ${Math.max(...inTime.map(took))} ms`,
		);
		const outcome = when === 'n8n stays full' ? 'busy' : 'accepted';
		expect([...new Set(inTime.map((attempt) => attempt.outcome))]).toEqual([outcome]);
		// Only requests that carried an execution that n8n has not begun get no response.
		const carriers = when === 'n8n stays full' ? 2 : 1;
		expect(inTime).toHaveLength(events.length - carriers);

		const sendings = await Promise.all(events.map((event) => sender.deliver(event)));
		expectAcknowledged(sendings);
		trigger.counter.letGo();
		const [stopped, ...others] = events as [typeof first];
		await expectOneRunOf(trigger, [first, ...others]);

		passTimeInSqlite(ledgerFile(world.userFolder), GRACE_MS + 60_000);
		expect(await sender.attempt(stopped)).toMatchObject({ outcome: 'accepted' });
		await expectOneRunOf(trigger, [first, ...events]);
		await world.client.deactivate(trigger.workflow.id);
	},
);
