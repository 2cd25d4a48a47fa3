/** Faults around the list of events, next to a webhook: a trigger that is unpublished for a while, events that the ledger might forget, failing pages. */
import { type DeliveredEvent, startSimulator } from '../../simulator';
import { expectAcknowledged, expectOneRunOf } from '../support/expectations';
import { useForEach } from '../support/lifetime';
import { countedWorkflows, type CountedWorkflow } from '../support/n8n/countedWorkflow';
import { ledgerFile, passTimeInSqlite } from '../support/n8n/ledgerClock';
import { useWorld } from '../support/n8n/useWorld';
import { waitFor } from '../support/wait';

const MINUTES = 60_000;
const DAYS = 24 * 60 * MINUTES;
const EVENTS_PATH = '/webhooks/v1/webhook-events';

const world = useWorld();
let trigger: CountedWorkflow;
afterEach(async () => {
	await world.client.deactivate(trigger.workflow.id);
});
const service = useForEach(() => startSimulator());

const publish = countedWorkflows();

/** Events that the service lists but has not delivered. */
async function missedEvents(count: number): Promise<DeliveredEvent[]> {
	const events: DeliveredEvent[] = [];
	while (events.length < count) {
		events.push((await service.emit({}, { deliver: false })).event);
	}
	return events;
}

it('runs events from while the workflow was unpublished, and none from before it was first published', async () => {
	await missedEvents(2);
	trigger = await publish(world, { poll: { service, startFrom: 'now' } });
	await world.client.deactivate(trigger.workflow.id);
	const missed = await missedEvents(3);
	await world.client.activate(trigger.workflow.id);
	await expectOneRunOf(trigger, missed);
});

it('runs no listed event a second time, however short the retention', async () => {
	trigger = await publish(world, {
		poll: { service, startFrom: 'retained' },
		parameters: { options: { retentionDays: 1 } },
	});
	const sender = await trigger.startSender({ seed: 1 });
	const events = await missedEvents(5);
	expectAcknowledged(await sender.deliverAll(events, { perSecond: 20 }));
	await expectOneRunOf(trigger, events);

	await world.client.deactivate(trigger.workflow.id);
	// The service lists events for this long.
	passTimeInSqlite(ledgerFile(world.userFolder), 30 * DAYS);
	// Starts after all older events: when it has run, any older ones have too.
	const [newest] = await missedEvents(1);
	await world.client.activate(trigger.workflow.id);
	await expectOneRunOf(trigger, [...events, ...(newest ? [newest] : [])]);
});

it('starts events listed before a failing page, shows the error, and starts the rest when the page works', async () => {
	trigger = await publish(world, { poll: { service, limit: 50 } });
	service.faults.add({ path: EVENTS_PATH, queryParameter: 'startingAfter', status: 400 });
	const events = await missedEvents(120);
	await waitFor(() => trigger.counter.calls.length >= 50, {
		what: 'the events of the first page to run',
		timeoutMs: 3 * MINUTES,
		detail: () => `${trigger.counter.calls.length} of ${events.length} have run.`,
	});
	const failed = await world.client.waitForExecutions(
		{ workflowId: trigger.workflow.id, status: 'error' },
		1,
	);
	expect(failed.map(({ mode }) => mode)).toContain('trigger');

	service.faults.clear();
	await expectOneRunOf(trigger, events);
});
