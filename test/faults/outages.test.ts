/** What n8n's processes need goes away for longer than a session lives, while long executions run and their events are delivered again: nothing starts twice, with "Start Again". */
import { setTimeout as sleep } from 'node:timers/promises';
import { deliveriesBy } from '../support/deliveries';
import { expectOneRunOf } from '../support/expectations';
import { useForAll } from '../support/lifetime';
import { countedWorkflows } from '../support/n8n/countedWorkflow';
import type { Recorder } from '../support/n8n/recorder';
import type { N8nServer } from '../support/n8n/server';
import { useQueueWorld, useWorld } from '../support/n8n/useWorld';
import type { World } from '../support/n8n/world';
import { type RedisServer, startRedis, withRedis } from '../support/redis';
import { report } from '../support/report';
import { waitFor } from '../support/wait';

const SECONDS = 1_000;
const MINUTES = 60_000;
const AWAY_MS = 2 * MINUTES;
const EVENTS = 6;
/** The outage begins while executions run, and ends after them. */
const LASTS_MS = 30 * SECONDS;
/** How often each event is delivered again. */
const EVERY_MS = 3 * SECONDS;
/** An execution that the outage ended starts again after 5 minutes at the latest. */
const TAIL_MS = 7 * MINUTES;
const TEST_MS = 20 * MINUTES;

/** n8n survives an outage of its Redis and finds webhooks without it, as docs/run.md advises. */
const SURVIVING = { QUEUE_BULL_REDIS_TIMEOUT_THRESHOLD: '600000', N8N_CACHE_BACKEND: 'memory' };

const regular = useWorld();
const queue = useQueueWorld({
	...{ webhookProcessors: 2, workers: 2, redis: { appendOnly: true }, env: SURVIVING },
});
const replica = useForAll((): Promise<RedisServer> =>
	startRedis({ args: ['--replicaof', '127.0.0.1', String(queue.redis.port)] }),
);
const publish = countedWorkflows();

async function expectOneExecution(
	world: World,
	what: string,
	outage: (recorder: Recorder) => Promise<void>,
): Promise<void> {
	const trigger = await publish(world, {
		parameters: { acknowledge: 'succeeded' },
		executions: { lastsMs: LASTS_MS },
	});
	const { counter, recorder } = trigger;
	const sender = await trigger.startSender({ seed: 1 });
	const deliveries = deliveriesBy(sender);
	const events = sender.events(EVENTS);
	const redeliver = setInterval(() => {
		deliveries.send(deliveries.unacknowledged());
	}, EVERY_MS);
	try {
		deliveries.send(events.slice(0, EVENTS / 2));
		await waitFor(() => counter.waiting === EVENTS / 2, { what: 'the first executions to begin' });
		// These have just begun when it happens, the others are about to end.
		await sleep(LASTS_MS / 2);
		deliveries.send(events.slice(EVENTS / 2));
		await waitFor(() => counter.begun.size === EVENTS, { what: 'the other executions to begin' });
		await outage(recorder);
		await waitFor(() => deliveries.unacknowledged().length === 0 && counter.waiting === 0, {
			what: 'every event to be acknowledged',
			timeoutMs: TAIL_MS,
			everyMs: SECONDS,
		}).catch(() => undefined);
	} finally {
		clearInterval(redeliver);
	}
	await deliveries.settled();
	deliveries.send(events);
	await deliveries.settled();
	const unacknowledged = deliveries.unacknowledged().length;
	report(`${what}: ${EVENTS} events, ${unacknowledged} never acknowledged`);
	await expectOneRunOf(trigger, events, { isIdle: async () => counter.waiting === 0 });
	expect(unacknowledged).toBe(0);
	await world.client.deactivate(trigger.workflow.id);
}

async function suspend(servers: readonly N8nServer[]): Promise<void> {
	await Promise.all(servers.map((server) => server.suspend(AWAY_MS)));
}

async function untilReplicated(): Promise<void> {
	await waitFor(
		() =>
			withRedis(replica.url, async (client) =>
				(await client.info('replication')).includes('master_link_status:up'),
			),
		{ what: 'the replica to have everything', timeoutMs: MINUTES },
	);
}

it(
	'runs each event once although n8n is suspended for two minutes, in regular and in queue mode',
	async () => {
		const { server, webhookProcessors, workers } = queue;
		const results = await Promise.allSettled([
			expectOneExecution(regular, 'n8n suspended', () => suspend([regular.server])),
			expectOneExecution(queue, 'all processes of queue mode suspended', () =>
				suspend([server, ...webhookProcessors, ...workers]),
			),
		]);
		for (const result of results) if (result.status === 'rejected') throw result.reason;
	},
	TEST_MS,
);

it(
	'runs each event once although Redis is down for two minutes',
	async () => {
		await expectOneExecution(queue, 'Redis down', async ({ note }) => {
			note({ what: 'fault', fault: 'broken', is: 'on' });
			await queue.redis.stop();
			await sleep(AWAY_MS);
			await queue.redis.start();
			note({ what: 'fault', fault: 'broken', is: 'off' });
		});
	},
	TEST_MS,
);

// The last one: its Redis does not come back.
it(
	'runs each event once although Redis fails over to its replica',
	async () => {
		await untilReplicated();
		await expectOneExecution(queue, 'Redis failed over', async ({ note }) => {
			note({ what: 'fault', fault: 'broken', is: 'on' });
			await queue.redis.kill();
			await sleep(10 * SECONDS);
			await withRedis(replica.url, async (client) => {
				await client.replicaof('NO', 'ONE');
				await client.config('SET', 'port', String(queue.redis.port));
			});
			note({ what: 'fault', fault: 'broken', is: 'off' });
		});
	},
	TEST_MS,
);
