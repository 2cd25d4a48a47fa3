/** Acknowledged executions that fail at their first step because the ledger cannot be written: the next copy of each event starts it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DeliveredEvent } from '../../simulator';
import { expectAcknowledged, expectOneRunEach, expectOneRunOf } from '../support/expectations';
import { useForAll } from '../support/lifetime';
import { countedWorkflows, type CountedWorkflow } from '../support/n8n/countedWorkflow';
import { GRACE_MS, ledgerFile, passTimeInRedis } from '../support/n8n/ledgerClock';
import { countClaimsInSqlite, countInRedis } from '../support/n8n/ledgerEntries';
import { n8nDatabase } from '../support/n8n/storedRows';
import { useWorld } from '../support/n8n/useWorld';
import { startRedis } from '../support/redis';
import { startRedisCluster } from '../support/redisCluster';
import type { EventSender, Sending } from '../support/sender';
import { lockDatabase } from '../support/sqlite';
import { waitFor } from '../support/wait';

const MINUTES = 60_000;
/** Longer than a claim lasts if its holder cannot renew it. */
const FROZEN_MS = 75_000;

const folder = mkdtempSync(join(tmpdir(), 'asset-service-faults-'));
const failSyncs = join(folder, 'fail-syncs');
afterAll(() => {
	rmSync(folder, { recursive: true });
});
const redis = useForAll(() => startRedis({ appendOnly: true }));
const cluster = useForAll(startRedisCluster);
const world = useWorld(() => ({
	env: {
		NODE_OPTIONS: `--require ${join(__dirname, 'failSyncs.cjs')}`,
		FAIL_SYNCS_WHILE: failSyncs,
	},
}));
let trigger: CountedWorkflow;
let sender: EventSender;

const publish = countedWorkflows();

const useRedis = async (): Promise<void> => {
	await world.restart({
		ASSET_SERVICE_LEDGER: 'redis',
		ASSET_SERVICE_LEDGER_REDIS_URL: redis.url,
	});
};

async function newSender(seed: number, delivery = 'immediate'): Promise<void> {
	trigger = await publish(world, { parameters: { delivery } });
	sender = await trigger.startSender({ seed });
}

const deliver = async (events: readonly DeliveredEvent[]): Promise<Sending[]> =>
	await sender.deliverAll(events, { perSecond: 50 });

/**
 * Sends copies of each event until it has run. The ledger writes failed entries within seconds of its return,
 * but a copy may arrive before that; the service sends the next one an hour later.
 */
async function deliverUntilRun(events: readonly DeliveredEvent[]): Promise<void> {
	await waitFor(
		async () => {
			const lost = new Set(trigger.counter.lost(events));
			if (lost.size === 0) return true;
			expectAcknowledged(await deliver(events.filter(({ id }) => lost.has(id))));
			return undefined;
		},
		{
			what: 'copies to start every event',
			// A copy that is rejected in the meantime is sent again half a minute later, and n8n may be slow.
			timeoutMs: 3 * MINUTES,
			everyMs: 1_000,
			detail: () => `Lost: ${trigger.counter.lost(events).length} of ${events.length}`,
		},
	);
}

const executions = async () =>
	await world.client.listExecutions({ workflowId: trigger.workflow.id });

interface Outage {
	readonly count: number;
	/** Number of claimed events. */
	readonly claims: () => Promise<number> | number;
	readonly begin: () => Promise<void> | void;
}

interface Failed {
	readonly events: readonly DeliveredEvent[];
	/** Resolves when the ledger is back and every event is acknowledged: the response to a claim may come too late for n8n. */
	readonly acknowledged: () => Promise<void>;
}

/** Lets n8n store executions of this many events while the ledger is broken, until they have failed. */
async function untilFailed({ count, claims, begin }: Outage): Promise<Failed> {
	const before = (await executions()).length;
	const events = sender.events(count);
	const unlock = lockDatabase(n8nDatabase(world.userFolder));
	const sendingAll = Promise.all(events.map((event) => sender.deliver(event)));
	try {
		await waitFor(async () => (await claims()) === count, {
			what: 'every event to be claimed',
		});
		await begin();
	} finally {
		unlock();
	}
	await waitFor(
		async () => {
			const stored = (await executions()).slice(0, -before || undefined);
			const ended = stored.every(({ status }) => status === 'error' || status === 'success');
			return ended && stored.some(({ status }) => status === 'error');
		},
		{ what: 'the executions to fail', timeoutMs: 2 * MINUTES, everyMs: 500 },
	);
	// If only part of the ledger is down, the first event can run by itself.
	expect(trigger.counter.lost(events).length).toBeGreaterThanOrEqual(count - 1);
	return {
		events,
		acknowledged: async () => {
			expectAcknowledged(await sendingAll);
		},
	};
}

it('starts each event by its next copy if the disk failed to sync when it began', async () => {
	await newSender(1);
	const before = await deliver(sender.events(1));
	await expectOneRunEach(trigger, before);
	const { events, acknowledged } = await untilFailed({
		count: 5,
		claims: () => countClaimsInSqlite(ledgerFile(world.userFolder)),
		begin: () => {
			writeFileSync(failSyncs, '');
		},
	});
	rmSync(failSyncs);
	await acknowledged();
	await deliverUntilRun(events);
	await expectOneRunEach(trigger, [...before, ...(await deliver(events))]);
});

it('starts each event by its next copy if Redis was frozen when it began', async () => {
	await useRedis();
	await newSender(2);
	let frozenAt = 0;
	const { events, acknowledged } = await untilFailed({
		count: 15,
		claims: () => countInRedis('pending', [redis]),
		begin: () => {
			redis.pause();
			frozenAt = Date.now();
		},
	});
	await sleep(frozenAt + FROZEN_MS - Date.now());
	redis.resume();
	await acknowledged();
	await deliverUntilRun(events);
	await expectOneRunEach(trigger, await deliver(events));
});

it('remembers a retry from while Redis was down, and starts the other events by their next copies', async () => {
	await useRedis();
	await newSender(3);
	const before = await countInRedis('done', [redis]);
	const { events, acknowledged } = await untilFailed({
		count: 4,
		claims: () => countInRedis('pending', [redis]),
		begin: () => redis.stop(),
	});
	const [failed] = await executions();
	const retried = await world.client.retryExecution(failed?.id ?? '');
	expect(retried.status).toBe('success');
	const [retriedId, ...others] = trigger.counter.begun.keys();
	expect(others).toEqual([]);

	await redis.start();
	await acknowledged();
	await deliverUntilRun(events.filter(({ id }) => id !== retriedId));
	await expectOneRunOf(trigger, events);
	await untilMarked(before + events.length);
	await passTimeInRedis(redis.url, GRACE_MS + MINUTES);
	await expectOneRunEach(trigger, await deliver(events));
});

/** Waits until this many events are marked as begun, or long enough: only the workflow's calls count. */
async function untilMarked(count: number): Promise<void> {
	const enoughAt = Date.now() + 20_000;
	await waitFor(
		async () => {
			const done = await countInRedis('done', [redis]);
			return done === count || Date.now() > enoughAt;
		},
		{ what: 'the ledger to be written' },
	);
}

it('starts each event of a batch by its next copy if one node of a Redis cluster was down when it began', async () => {
	await world.restart({
		ASSET_SERVICE_LEDGER: 'redis',
		QUEUE_BULL_REDIS_CLUSTER_NODES: cluster.addresses,
	});
	await newSender(4, 'batched');
	const [node] = cluster.nodes;
	const { events, acknowledged } = await untilFailed({
		count: 60,
		claims: () => countInRedis('pending', cluster.nodes),
		begin: () => node?.stop(),
	});
	await node?.start();
	await cluster.untilUp();
	await acknowledged();
	await deliverUntilRun(events);
	await expectOneRunEach(trigger, await deliver(events));
});
