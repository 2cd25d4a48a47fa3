/** Faults of n8n in queue mode: processes killed and restarted, Redis away or emptied, the database locked, under steady deliveries. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from '../../lib/vendor/ioredis';
import { watchCores } from '../support/cores';
import { createQueueWorld, type QueueWorld } from '../support/n8n/queueWorld';
import { expectOneRunEach, expectUnavailableWhileAway } from '../support/expectations';
import { countedWorkflows, type CountedWorkflow } from '../support/n8n/countedWorkflow';
import { report } from '../support/report';
import type { EventSender } from '../support/sender';
import { stoppedAfterEachTest } from '../support/testSender';
import { waitFor } from '../support/wait';

const MINUTES = 60_000;
const KILLS = 6;

let world: QueueWorld;
let trigger: CountedWorkflow;
/**
 * What a balancer's readiness checks leave out. It matters: while it starts, n8n answers every request by a 200 of its own
 * for some hundredths of a second, and the event is gone ("n8n is starting up. Please wait").
 */
const notReady = new Set<string>();

beforeAll(async () => {
	world = await createQueueWorld({
		webhookProcessors: 2,
		workers: 2,
		redis: { appendOnly: true },
		// As docs/operations.md advises: n8n outlives its Redis, and finds a webhook without it.
		env: { QUEUE_BULL_REDIS_TIMEOUT_THRESHOLD: '120000', N8N_CACHE_BACKEND: 'memory' },
	});
}, 20 * MINUTES);
afterAll(async () => {
	await world.dispose();
}, MINUTES);

const publish = countedWorkflows();
const startSender = stoppedAfterEachTest();

/** A fresh workflow, and a sender to both processors. */
async function newSender(seed: number): Promise<EventSender> {
	const [first, second] = world.webhookProcessors;
	if (!first || !second) throw new Error('There are not two webhook processors.');
	trigger = await publish(world.client, { bases: [first.url, second.url] });
	return await startSender({ urls: trigger.urls, secret: trigger.secret, seed, notReady });
}

const untilEventsRun = async (): Promise<unknown> =>
	await waitFor(() => (trigger.counter.calls.length >= 5 ? true : undefined), {
		what: 'events to run',
	});

it(
	'runs each event once when webhook processors are killed',
	async () => {
		const sender = await newSender(500);
		const events = sender.events(300);
		const killAndRestart = async (): Promise<void> => {
			for (let kill = 0; kill < KILLS; kill++) {
				await sleep(1_000 + sender.random.int(3_000));
				const index = sender.random.int(2);
				const url = trigger.urls[index] ?? '';
				await waitFor(() => (sender.underWay(url) > 0 || allSent ? true : undefined), {
					what: 'a delivery under way',
					everyMs: 1,
				});
				// Anywhere between the request and the answer.
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
		await sender.stop();

		const cut = sendings.filter(({ attempts }) =>
			attempts.some(({ status, error }) => status === 0 && error !== 'ECONNREFUSED'),
		);
		report(`${KILLS} kills during ${events.length} events: ${cut.length} deliveries cut off`);
		// A kill must meet deliveries under way, or this test shows nothing.
		expect(cut.length).toBeGreaterThan(0);
		// What a process stored and did not live to queue is never run by n8n.
		await expectOneRunEach(trigger, sendings, { isIdle: world.queueIsEmpty });
	},
	6 * MINUTES,
);

it(
	'answers 503 within 3 s while Redis is away for 10 s, accepts again within 5 s of its return, and leaves n8n undisturbed',
	async () => {
		const sender = await newSender(10);
		const sendingAll = sender.deliverAll(sender.events(150), { perSecond: 6 });
		await untilEventsRun();
		const n8n = [world.main, ...world.webhookProcessors].map(({ pid }) => pid);
		const withoutCore = watchCores(...n8n);
		await world.redis.stop();
		const stoppedAt = Date.now();
		while (Date.now() < stoppedAt + 10_000) {
			const withoutCoreThen = withoutCore();
			const asked = performance.now();
			expect((await fetch(`${world.main.url}/healthz/readiness`)).status).toBe(200);
			expect(await world.client.nodeTypes()).toContain('n8n-nodes-base.webhook@1');
			expect((await world.client.getWorkflow(trigger.workflow.id)).active).toBe(true);
			expect(performance.now() - asked).toBeLessThan(3_000 + withoutCore() - withoutCoreThen);
			await sleep(1_000);
		}
		const startingAt = Date.now();
		await world.redis.start();
		const backAt = Date.now();
		const sendings = await sendingAll;
		const withoutCoreMs = withoutCore();
		await sender.stop();
		expectUnavailableWhileAway(sendings, { stoppedAt, startingAt, backAt, withoutCoreMs });
		await expectOneRunEach(trigger, sendings);
	},
	3 * MINUTES,
);

it(
	'knows what it has seen after Redis has lost the keys of n8n’s queue',
	async () => {
		const sender = await newSender(20);
		const before = await sender.deliverAll(sender.events(60), { perSecond: 10 });
		await expectOneRunEach(trigger, before);
		const client = new Redis(world.redis.url);
		const keys = await client.keys('bull:*');
		expect(keys.length).toBeGreaterThan(0);
		await client.del(...keys);
		client.disconnect();

		const [again, fresh] = await Promise.all([
			sender.deliverAll(
				before.map(({ event }) => event),
				{ perSecond: 10 },
			),
			sender.deliverAll(sender.events(30), { perSecond: 5 }),
		]);
		await sender.stop();
		expect(new Set(again.map(({ attempts }) => attempts.at(-1)?.outcome))).toEqual(
			new Set(['duplicate']),
		);
		await expectOneRunEach(trigger, [...before, ...fresh]);
	},
	2 * MINUTES,
);

it(
	'goes on while the main is killed and started again',
	async () => {
		const sender = await newSender(30);
		const sendingAll = sender.deliverAll(sender.events(150), { perSecond: 6 });
		await untilEventsRun();
		await world.main.kill();
		await world.main.start();
		const sendings = await sendingAll;
		await sender.stop();
		expect(sendings.filter(({ attempts }) => attempts.length > 1)).toEqual([]);
		await expectOneRunEach(trigger, sendings);
	},
	3 * MINUTES,
);

it(
	'lets copies wait while the database is locked for 8 s, and runs the event once',
	async () => {
		const sender = await newSender(40);
		const lock = world.postgres.query(
			'BEGIN; LOCK TABLE execution_entity IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(8); COMMIT',
		);
		const sendings = await Promise.all(
			sender.events(5).flatMap((event) => [1, 2, 3, 4].map(() => sender.deliver(event))),
		);
		await lock;
		await sender.stop();
		expect(Math.max(...sendings.map(({ attempts }) => attempts.length))).toBe(1);
		await expectOneRunEach(trigger, sendings);
	},
	MINUTES,
);
