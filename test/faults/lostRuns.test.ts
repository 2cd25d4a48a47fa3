/** Executions that n8n acknowledges in queue mode and then never starts: a later copy of the event starts it, and no event runs twice. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expectAcknowledged, expectOneRunEach, untilMoreRan } from '../support/expectations';
import { countedWorkflows, type CountedWorkflow } from '../support/n8n/countedWorkflow';
import { GRACE_MS, LONGEST_GRACE_MS, passTimeInRedis } from '../support/n8n/ledgerClock';
import { entryInRedis } from '../support/n8n/ledgerEntries';
import { isQueueEmpty, loseQueue } from '../support/n8n/queue';
import { useQueueWorld } from '../support/n8n/useWorld';
import { report } from '../support/report';
import type { EventSender, Sending } from '../support/sender';
import { waitFor } from '../support/wait';

const MINUTES = 60_000;
const MOST_COPIES = 3;

const world = useQueueWorld({
	webhookProcessors: 1,
	workers: 1,
	redis: { appendOnly: true },
	env: { N8N_CACHE_BACKEND: 'memory' },
});
let trigger: CountedWorkflow;

const publish = countedWorkflows();

async function newSender(seed: number): Promise<EventSender> {
	trigger = await publish(world);
	return await trigger.startSender({ seed });
}

const isIdle = (): Promise<boolean> => isQueueEmpty(world.redis);
const entryOf = (id: string): Promise<string> =>
	entryInRedis(world.redis.url, trigger.workflow.id, id);
const untilQueueIsEmpty = async (): Promise<unknown> =>
	await waitFor(isIdle, {
		what: 'the queue to be empty',
		timeoutMs: 2 * MINUTES,
	});

it('starts each event by its next copy if its execution was lost with the keys of n8n’s queue', async () => {
	const sender = await newSender(1);
	const [worker] = world.workers;
	await worker?.stop();
	const sendings = await sender.deliverAll(sender.events(20), { perSecond: 20 });
	expectAcknowledged(sendings);
	await loseQueue(world.redis);
	await worker?.start();
	await untilQueueIsEmpty();
	expect(trigger.counter.calls).toEqual([]);

	await passTimeInRedis(world.redis.url, GRACE_MS + MINUTES);
	const again = await sender.deliverAll(
		sendings.map(({ event }) => event),
		{ perSecond: 20 },
	);
	await expectOneRunEach(trigger, again, { isIdle, entryOf });
});

it('starts each event by its next copy if its execution was lost while the database hung', async () => {
	const sender = await newSender(2);
	// All that come while the database hangs.
	const sendingAll = sender.deliverAll(sender.events(150), { perSecond: 2, atOnce: 150 });
	for (let time = 0; time < 2; time++) {
		await untilMoreRan(trigger, 10);
		world.postgres.pause();
		// Longer than n8n waits for its database.
		await sleep(24_000);
		world.postgres.resume();
	}
	const sendings = await sendingAll;
	expectAcknowledged(sendings);
	await untilQueueIsEmpty();
	const events = sendings.map(({ event }) => event);
	const lost = () => {
		const ids = new Set(trigger.counter.lost(events));
		return events.filter(({ id }) => ids.has(id));
	};
	report(
		`the database hung twice during ${events.length} events: n8n lost ${lost().length} of them`,
	);

	// n8n may say late that it stored an execution, or could not, and lose the next one as well: then a further copy starts the event.
	const copies: Sending[] = [];
	for (let copy = 0; copy === 0 || (copy < MOST_COPIES && lost().length > 0); copy++) {
		await passTimeInRedis(world.redis.url, LONGEST_GRACE_MS + MINUTES);
		const sent = copy === 0 ? events : lost();
		copies.push(...(await sender.deliverAll(sent, { perSecond: 10, atOnce: 30 })));
		await untilQueueIsEmpty();
	}
	await expectOneRunEach(trigger, copies, { isIdle, entryOf });
});
