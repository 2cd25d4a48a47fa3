/** A burst of events with batched delivery, from many concurrent senders, with a kill in the middle. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DeliveredEvent } from '../../simulator';
import { expectAcknowledged, expectPromisesKept } from '../support/expectations';
import { useForAll } from '../support/lifetime';
import { countedWorkflows, type CountedWorkflow } from '../support/n8n/countedWorkflow';
import { useWorld } from '../support/n8n/useWorld';
import { startRedis } from '../support/redis';
import { report } from '../support/report';
import { waitFor } from '../support/wait';

const MINUTES = 60_000;
const EVENTS = 10_000;
const SENDERS = 200;
/** Every tenth is sent twice. */
const COPY_EVERY = 10;
const FLAT_MB = 50;

const redis = useForAll(() => startRedis({ appendOnly: true }));
const folder = mkdtempSync(join(tmpdir(), 'asset-service-burst-'));
const memoryFile = join(folder, 'memory');
afterAll(() => {
	rmSync(folder, { recursive: true, force: true });
});

describe.each([
	['SQLite', () => ({})],
	['Redis', () => ({ ASSET_SERVICE_LEDGER_REDIS_URL: redis.url })],
])('a burst with the ledger in %s', (_store, ledger) => {
	const world = useWorld(() => ({
		env: {
			...ledger(),
			// Otherwise n8n needs ten minutes for this many requests.
			N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true',
			NODE_OPTIONS: `--expose-gc --require ${join(__dirname, 'collectGarbage.cjs')}`,
			MEMORY_FILE: memoryFile,
		},
	}));
	const publish = countedWorkflows();

	it(
		'begins each event once, in a twentieth as many executions, without raising the memory of n8n',
		async () => {
			const trigger = await publish(world, { parameters: { delivery: 'batched' } });
			// A load balancer that checks whether n8n is ready: while n8n starts, it responds with 200 itself.
			const notReady = new Set<string>();
			const sender = await trigger.startSender({ seed: 1, notReady });
			const send = async (events: readonly DeliveredEvent[]): Promise<void> => {
				const copies = events.filter((_event, n) => n % COPY_EVERY === 0);
				const all = [...events, ...copies];
				expectAcknowledged(await sender.deliverAll(all, { perSecond: 100_000, atOnce: SENDERS }));
			};

			const events = sender.events(EVENTS);
			const first = events.slice(0, EVENTS / 2);
			const second = events.slice(EVENTS / 2, (EVENTS * 3) / 4);
			const last = events.slice((EVENTS * 3) / 4);
			const sending = send(first);
			await waitFor(() => trigger.counter.begun.size > EVENTS / 4, {
				what: 'a quarter of the events to run',
				timeoutMs: 5 * MINUTES,
			});
			notReady.add(trigger.urls[0]);
			await world.server.kill();
			await world.server.start();
			notReady.clear();
			await sending;
			await send(second);
			await untilIdle(trigger);
			const before = await memoryInUse(world.server.pid);
			await send(last);
			await untilIdle(trigger);
			const after = await memoryInUse(world.server.pid);

			const { counter } = trigger;
			const lost = counter.lost(events);
			const interrupted = await interruptedEvents(trigger);
			report(
				`${EVENTS} events by ${SENDERS} senders: ${counter.calls.length} runs, ${lost.length} in runs that the kill interrupted, n8n uses ${before} MB before the last quarter and ${after} MB after it`,
			);
			await expectPromisesKept(trigger);
			// Events that had begun when n8n was killed are not repeated: n8n reports their executions as crashed.
			expect(lost.filter((id) => !interrupted.has(id))).toEqual([]);
			expect(counter.calls.length).toBeLessThanOrEqual(EVENTS / 20);
			expect(after - before).toBeLessThan(FLAT_MB);
		},
		30 * MINUTES,
	);
});

/** The IDs in executions that n8n reports as crashed. */
async function interruptedEvents({ client, workflow }: CountedWorkflow): Promise<Set<string>> {
	const rows = await client.listExecutions({ workflowId: workflow.id, limit: 250 });
	const crashed = rows.filter(({ status }) => status === 'crashed');
	const data = await Promise.all(
		crashed.map(async ({ id }) => JSON.stringify(await client.getExecution(id))),
	);
	return new Set(data.flatMap((text) => text.match(/whevt_\w+/g) ?? []));
}

async function untilIdle({ client, workflow, counter }: CountedWorkflow): Promise<void> {
	await waitFor(
		async () => {
			const rows = await client.listExecutions({ workflowId: workflow.id, limit: 250 });
			const isOpen = rows.some(({ status }) => status === 'new' || status === 'running');
			return !isOpen && counter.waiting === 0;
		},
		{ what: 'the runs to end', timeoutMs: 2 * MINUTES, everyMs: 500 },
	);
}

/** Memory of n8n in MB after a garbage collection. The resident size would depend on when V8 returns pages. */
async function memoryInUse(pid: number): Promise<number> {
	rmSync(memoryFile, { force: true });
	process.kill(pid, 'SIGUSR2');
	await waitFor(() => existsSync(memoryFile) || undefined, {
		what: 'n8n to collect its garbage',
	});
	return Math.round(Number(readFileSync(memoryFile, 'utf8')) / 1024 ** 2);
}
