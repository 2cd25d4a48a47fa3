/** Faults of n8n in queue mode: processes killed and restarted, Redis away or emptied, the database locked, under steady deliveries. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from '../../lib/vendor/ioredis';
import { createQueueWorld, type QueueWorld } from '../support/n8n/queue-world';
import { expectAcknowledged, expectOneRunEach } from '../support/expectations';
import { waitForRuns } from '../support/n8n/runs';
import { publishTriggerWorkflow, type TriggerWorkflow } from '../support/n8n/trigger-workflow';
import {
	COMMIT_TIMES,
	measureWindows,
	storingTimes,
	summary,
	watchStoring,
} from '../support/n8n/window';
import { report } from '../support/report';
import { type EventSender, isAcknowledged } from '../support/sender';
import { stoppedAfterEachTest } from '../support/testSender';
import { waitFor } from '../support/wait';

const MINUTES = 60_000;
const KILLS = 6;

let world: QueueWorld;
let trigger: TriggerWorkflow;
/**
 * What a balancer's readiness checks leave out. It matters: while it starts, n8n answers every request by a 200 of its own
 * for some hundredths of a second, and the event is gone ("n8n is starting up. Please wait").
 */
const notReady = new Set<string>();

beforeAll(async () => {
	world = await createQueueWorld({
		webhookProcessors: 2,
		workers: 2,
		postgres: COMMIT_TIMES,
		redis: { appendOnly: true },
		// As docs/operations.md advises: n8n outlives its Redis, and finds a webhook without it.
		env: { QUEUE_BULL_REDIS_TIMEOUT_THRESHOLD: '120000', N8N_CACHE_BACKEND: 'memory' },
	});
	await watchStoring(world.postgres);
}, 20 * MINUTES);
afterAll(async () => {
	await world.dispose();
}, MINUTES);

const startSender = stoppedAfterEachTest();

/** A fresh workflow, and a sender to both processors. */
async function newSender(seed: number): Promise<EventSender> {
	const [first, second] = world.webhookProcessors;
	if (!first || !second) throw new Error('There are not two webhook processors.');
	trigger = await publishTriggerWorkflow(world.client, { bases: [first.url, second.url] });
	return await startSender({ urls: trigger.urls, secret: trigger.secret, seed, notReady });
}

it(
	'commits an event within 2 s of its being stored',
	async () => {
		const sender = await newSender(1);
		for (const event of sender.events(60))
			expect((await sender.deliver(event)).attempts).toHaveLength(1);
		const runs = await waitForRuns(world.client, trigger.workflow.id, 60);
		const windows = await measureWindows({ ...world, workflowId: trigger.workflow.id, runs });
		report(`stored to committed, one event at a time: ${summary(windows)}`);
		expect(windows).toHaveLength(60);
		expect(windows.at(-1)).toBeLessThan(2_000);
		await sender.stop();
	},
	2 * MINUTES,
);

it(
	'loses no event when webhook processors are killed, and repeats only those that were stored and not committed',
	async () => {
		const sender = await newSender(500);
		const events = sender.events(500);
		const killedAt: number[] = [];
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
				killedAt.push(Date.now());
				notReady.add(url);
				await world.webhookProcessors[index]?.start();
				notReady.delete(url);
			}
		};
		let allSent = false;
		const sendingAll = sender.deliverAll(events, { perSecond: 12 }).finally(() => {
			allSent = true;
		});
		const [sendings] = await Promise.all([sendingAll, killAndRestart()]);
		await sender.stop();

		expectAcknowledged(sendings);
		const runs = await waitForRuns(world.client, trigger.workflow.id, events.length, {
			mayNeverStart: true,
		});
		expect(runs.lost(events)).toEqual([]);

		const cut = sendings.filter(({ attempts }) =>
			attempts.some(({ status, error }) => status === 0 && error !== 'ECONNREFUSED'),
		);
		const doubled = runs.doubled(events);
		const ranTwice = doubled.filter(
			(id) => runs.of(id).filter(({ status }) => status === 'success').length > 1,
		);
		const windows = await measureWindows({ ...world, workflowId: trigger.workflow.id, runs });
		report(
			`${KILLS} kills during ${events.length} events: ${cut.length} deliveries cut off, 0 lost, ` +
				`${doubled.length} stored twice, of which ${ranTwice.length} ran twice`,
		);
		report(`stored to committed, under this load: ${summary(windows)}`);

		// A kill must meet deliveries under way, or this test shows nothing.
		expect(cut.length).toBeGreaterThan(0);
		const stored = await storingTimes(world.postgres);
		for (const id of doubled) {
			expect(cut.map(({ event }) => event.id)).toContain(id);
			const firstStoredAt = stored.get(runs.of(id)[0]?.executionId ?? '') ?? Number.NaN;
			const died = killedAt.some((at) => firstStoredAt <= at && at - firstStoredAt < 2_000);
			expect({ id, storedLessThan2sBeforeAKill: died }).toEqual({
				id,
				storedLessThan2sBeforeAKill: true,
			});
		}
	},
	6 * MINUTES,
);

it(
	'answers 503 within 3 s while Redis is away for 10 s, accepts again within 5 s of its return, and leaves n8n undisturbed',
	async () => {
		const sender = await newSender(10);
		const sendingAll = sender.deliverAll(sender.events(150), { perSecond: 6 });
		await sleep(4_000);
		await world.redis.stop();
		const stoppedAt = Date.now();
		while (Date.now() < stoppedAt + 10_000) {
			const asked = Date.now();
			expect((await fetch(`${world.main.url}/healthz/readiness`)).status).toBe(200);
			expect(await world.client.nodeTypes()).toContain('n8n-nodes-base.webhook@1');
			expect((await world.client.getWorkflow(trigger.workflow.id)).active).toBe(true);
			expect(Date.now() - asked).toBeLessThan(3_000);
			await sleep(1_000);
		}
		const startingAt = Date.now();
		await world.redis.start();
		const backAt = Date.now();
		const sendings = await sendingAll;
		await sender.stop();

		const attempts = sendings.flatMap((sending) => sending.attempts);
		const away = attempts.filter(
			({ startedAt, endedAt }) => startedAt >= stoppedAt && endedAt < startingAt,
		);
		expect(away.length).toBeGreaterThan(10);
		expect(
			away.filter(({ status, outcome }) => status !== 503 || outcome !== 'unavailable'),
		).toEqual([]);
		const waits = away.map(({ startedAt, endedAt }) => endedAt - startedAt).sort((a, b) => a - b);
		report(`Redis away: ${away.length} deliveries answered 503: ${summary(waits)}`);
		expect(waits.at(-1)).toBeLessThan(3_000);

		const firstAccepted = Math.min(
			...attempts
				.filter((a) => a.startedAt >= stoppedAt && isAcknowledged(a))
				.map((a) => a.endedAt),
		);
		expect(firstAccepted - backAt).toBeLessThan(5_000);
		const refusedLate = attempts.filter((a) => a.startedAt > backAt + 5_000 && !isAcknowledged(a));
		expect(refusedLate).toEqual([]);
		report(`Redis back: accepted again after ${firstAccepted - backAt} ms`);
		await expectOneRunEach(world.client, trigger.workflow.id, sendings);
	},
	3 * MINUTES,
);

it(
	'knows what it has seen after Redis has lost the keys of n8n’s queue',
	async () => {
		const sender = await newSender(20);
		const before = await sender.deliverAll(sender.events(60), { perSecond: 20 });
		await expectOneRunEach(world.client, trigger.workflow.id, before);
		const client = new Redis(world.redis.url);
		const keys = await client.keys('bull:*');
		expect(keys.length).toBeGreaterThan(0);
		await client.del(...keys);
		client.disconnect();

		const [again, fresh] = await Promise.all([
			sender.deliverAll(
				before.map(({ event }) => event),
				{ perSecond: 20 },
			),
			sender.deliverAll(sender.events(30), { perSecond: 10 }),
		]);
		await sender.stop();
		expect(new Set(again.map(({ attempts }) => attempts.at(-1)?.outcome))).toEqual(
			new Set(['duplicate']),
		);
		await expectOneRunEach(world.client, trigger.workflow.id, [...before, ...fresh]);
	},
	2 * MINUTES,
);

it(
	'goes on while the main is killed and started again',
	async () => {
		const sender = await newSender(30);
		const sendingAll = sender.deliverAll(sender.events(150), { perSecond: 6 });
		await sleep(3_000);
		await world.main.kill();
		await world.main.start();
		const sendings = await sendingAll;
		await sender.stop();
		expect(sendings.filter(({ attempts }) => attempts.length > 1)).toEqual([]);
		await expectOneRunEach(world.client, trigger.workflow.id, sendings);
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
		await expectOneRunEach(world.client, trigger.workflow.id, sendings);
	},
	MINUTES,
);
