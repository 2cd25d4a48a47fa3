/** Faults of n8n in queue mode: processes killed and restarted, Redis down or emptied, the database locked, under steady deliveries. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
	expectOneAttemptEach,
	expectOneRunEach,
	expectUndisturbed,
	untilMoreRan,
} from '../support/expectations';
import { countedWorkflows, type CountedWorkflow } from '../support/n8n/countedWorkflow';
import { GRACE_MS, passTimeInRedis } from '../support/n8n/ledgerClock';
import { isQueueEmpty, loseQueue } from '../support/n8n/queue';
import type { N8nServer } from '../support/n8n/server';
import { useQueueWorld } from '../support/n8n/useWorld';
import { expectToOutlastRedis } from '../support/redisOutage';
import { report } from '../support/report';
import type { EventSender } from '../support/sender';
import { waitFor } from '../support/wait';

const KILLS = 6;

const world = useQueueWorld({
	webhookProcessors: 2,
	workers: 2,
	workersAreToldMode: false,
	redis: { appendOnly: true },
	env: {
		// As docs/run.md advises: n8n survives an outage of its Redis and finds webhooks without it.
		...{ QUEUE_BULL_REDIS_TIMEOUT_THRESHOLD: '120000', N8N_CACHE_BACKEND: 'memory' },
		// Executions that wait for a connection longer than the 20 s of the default fail, and a busy machine is that slow.
		DB_POSTGRESDB_CONNECTION_TIMEOUT: '120000',
	},
});
let trigger: CountedWorkflow;
/**
 * Processes that a load balancer's readiness checks exclude. This matters: for some hundredths of a second at its start,
 * n8n responds to every request with its own 200, and the event is lost ("n8n is starting up. Please wait").
 */
const notReady = new Set<string>();

const publish = countedWorkflows();

/** A fresh workflow, and a sender to both processors. */
async function newSender(seed: number): Promise<EventSender> {
	trigger = await publish(world);
	return await trigger.startSender({ seed, notReady });
}

const pids = (): number[] => [world.server, ...world.webhookProcessors].map(({ pid }) => pid);

it('runs each event once when webhook processors are killed', async () => {
	const sender = await newSender(500);
	const events = sender.events(300);
	const killAndRestart = async (): Promise<void> => {
		for (let kill = 0; kill < KILLS; kill++) {
			await sleep(1_000 + sender.random.int(3_000));
			// At either: the last copies may all wait at one until the claims that the killed one held have lapsed.
			const busy = await waitFor(
				() => {
					const urls = trigger.urls.filter((url) => sender.underWay(url) > 0);
					if (urls.length > 0) return urls;
					return allSent ? trigger.urls : undefined;
				},
				{ what: 'a delivery under way', everyMs: 1 },
			);
			const url = busy[sender.random.int(busy.length)] ?? '';
			const index = trigger.urls.indexOf(url);
			// Anywhere between the request and the response.
			await sleep(sender.random.int(20));
			await world.webhookProcessors[index]?.kill();
			notReady.add(url);
			await world.webhookProcessors[index]?.start();
			notReady.delete(url);
		}
	};
	let allSent = false;
	const sendingAll = sender.deliverAll(events, { perSecond: 6, atOnce: 30 }).finally(() => {
		allSent = true;
	});
	const [sendings] = await Promise.all([sendingAll, killAndRestart()]);

	const cut = sendings.filter(({ attempts }) =>
		attempts.some(({ status, error }) => status === 0 && error !== 'ECONNREFUSED'),
	);
	report(`${KILLS} kills during ${events.length} events: ${cut.length} deliveries cut off`);
	// The kills must hit deliveries in flight, or this test proves nothing.
	expect(cut.length).toBeGreaterThan(0);
	// n8n never runs executions that a process stored but was killed before queueing.
	await expectOneRunEach(trigger, sendings, { isIdle: () => isQueueEmpty(world.redis) });
});

it('responds with 503 within 3 s while Redis is down for 10 s, accepts again within 5 s of its return, and leaves n8n undisturbed', async () => {
	const sender = await newSender(10);
	await expectToOutlastRedis(trigger, sender, {
		redis: world.redis,
		pids: pids(),
		perSecond: 6,
		look: async () => {
			expect(await world.client.nodeTypes()).toContain('n8n-nodes-base.webhook@1');
			await expectUndisturbed(trigger, world.url, { pids: pids(), withinMs: 3_000 });
		},
	});
});

it('still knows earlier events after Redis has lost the keys of n8n’s queue', async () => {
	const sender = await newSender(20);
	const before = await sender.deliverAll(sender.events(60), { perSecond: 10 });
	await expectOneRunEach(trigger, before);
	await loseQueue(world.redis);

	const [again, fresh] = await Promise.all([
		sender.deliverAll(
			before.map(({ event }) => event),
			{ perSecond: 10 },
		),
		sender.deliverAll(sender.events(30), { perSecond: 5 }),
	]);
	expect(new Set(again.map(({ attempts }) => attempts.at(-1)?.outcome))).toEqual(
		new Set(['duplicate']),
	);
	await expectOneRunEach(trigger, [...before, ...fresh]);
});

it('continues while the main is killed and started again', async () => {
	const sender = await newSender(30);
	const sendingAll = sender.deliverAll(sender.events(150), { perSecond: 6 });
	await untilMoreRan(trigger, 5);
	await world.server.kill();
	await world.server.start();
	const sendings = await sendingAll;
	expectOneAttemptEach(sendings);
	await expectOneRunEach(trigger, sendings);
});

it('lets copies wait while the database is locked for 8 s, and runs the event once', async () => {
	const sender = await newSender(40);
	const lock = world.postgres.query(
		'BEGIN; LOCK TABLE execution_entity IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(8); COMMIT',
	);
	const sendings = await Promise.all(
		sender.events(5).flatMap((event) => [1, 2, 3, 4].map(() => sender.deliver(event))),
	);
	await lock;
	expectOneAttemptEach(sendings);
	await expectOneRunEach(trigger, sendings);
});

it('runs each event once if another worker runs the copies that arrive after 16 minutes', async () => {
	const sender = await newSender(50);
	const [first, second] = world.workers as readonly [N8nServer, N8nServer];
	await second.stop();
	const sendings = await sender.deliverAll(sender.events(12), { perSecond: 10 });
	await expectOneRunEach(trigger, sendings);
	await second.start();
	await first.stop();

	await passTimeInRedis(world.redis.url, GRACE_MS + 60_000);
	const events = sendings.map(({ event }) => event);
	const again = await sender.deliverAll(events, { perSecond: 10 });
	await first.start();
	await expectOneRunEach(trigger, again);
});
