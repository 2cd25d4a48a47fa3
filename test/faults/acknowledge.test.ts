/** Failing executions and a killed n8n: the promise of "Acknowledge" under each of its two settings. */
import { setTimeout as sleep } from 'node:timers/promises';
import { attemptOf, type Entry, ledgerKey, openLedger } from '../../lib/ledger';
import { createRandom } from '../../simulator/data/random';
import { startHttpService } from '../support/httpService';
import { endAfterEach } from '../support/lifetime';
import type { ExecutionSummary } from '../support/n8n/answers';
import { countedWorkflows, type CountedWorkflow } from '../support/n8n/countedWorkflow';
import { ledgerFile, passTimeInRedis, passTimeInSqlite } from '../support/n8n/ledgerClock';
import { isQueueEmpty } from '../support/n8n/queue';
import { useQueueWorld, useWorld } from '../support/n8n/useWorld';
import type { QueueWorld, World } from '../support/n8n/world';
import { report } from '../support/report';
import type { EventSender } from '../support/sender';
import { waitFor } from '../support/wait';

/** A fault test of minutes; `ACKNOWLEDGE_EVENTS=1000` takes a quarter of an hour, with five kills. */
const EVENTS = Number(process.env['ACKNOWLEDGE_EVENTS'] ?? 100);
const KILLS = EVENTS < 500 ? 3 : 5;
const LEASE_MS = 60_000;
/** One execution in this many fails. */
const FAILS_EVERY = 3;

const FAST = { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' };
const publish = countedWorkflows();
const ended = endAfterEach();

/** The first call of the workflow. Fails at random; counts the executions that have begun for each event. */
async function startWork() {
	const random = createRandom(7);
	const begun = new Map<string, number>();
	const service = await startHttpService(({ query }) => {
		const id = query['event'] ?? '';
		begun.set(id, (begun.get(id) ?? 0) + 1);
		return random.int(FAILS_EVERY) === 0 ? { status: 500 } : { body: { id } };
	});
	return { begun, url: service.url, stop: () => service.stop() };
}

interface Scene {
	readonly trigger: CountedWorkflow;
	readonly sender: EventSender;
	readonly begun: ReadonlyMap<string, number>;
	readonly notReady: Set<string>;
}

async function sceneOf(world: World, acknowledge: 'stored' | 'succeeded'): Promise<Scene> {
	const work = ended(await startWork());
	const trigger = await publish(world, { parameters: { acknowledge }, work: work.url });
	const notReady = new Set<string>();
	const sender = await trigger.startSender({ seed: 3, notReady });
	return { trigger, sender, begun: work.begun, notReady };
}

interface Kind {
	readonly name: string;
	readonly world: World;
	/** Kills a process with running executions, and starts it again after the lease. */
	readonly kill: (scene: Scene, times: number) => Promise<void>;
	readonly environment: () => Record<string, string>;
	/** Whether n8n has nothing left to run. In queue mode, executions of a killed worker stay "running" forever. */
	readonly isIdle: (executions: readonly ExecutionSummary[]) => boolean | Promise<boolean>;
}

function kindsOf(): [string, () => Kind][] {
	return [
		[
			'regular mode',
			() => {
				const world = useWorld(() => ({ env: FAST }));
				return {
					name: 'regular mode',
					world,
					kill: async ({ trigger, notReady }) => {
						notReady.add(trigger.urls[0]);
						await world.server.kill();
						passTimeInSqlite(ledgerFile(world.userFolder), LEASE_MS);
						await world.server.start();
						notReady.clear();
					},
					environment: () => ({ ASSET_SERVICE_LEDGER_SQLITE_PATH: ledgerFile(world.userFolder) }),
					isIdle: (executions) =>
						executions.every(({ status }) => status !== 'running' && status !== 'new'),
				};
			},
		],
		[
			'queue mode',
			() => {
				const world: QueueWorld = useQueueWorld({
					webhookProcessors: 1,
					workers: 2,
					redis: { appendOnly: true },
					env: FAST,
				});
				return {
					name: 'queue mode',
					world,
					kill: async ({ trigger, notReady }, times) => {
						const isWorker = times % 2 === 0;
						const server = isWorker ? world.workers[0] : world.webhookProcessors[0];
						if (!isWorker) notReady.add(trigger.urls[0]);
						await server?.kill();
						if (!isWorker) await passTimeInRedis(world.redis.url, LEASE_MS);
						await server?.start();
						notReady.clear();
					},
					environment: () => ({ ASSET_SERVICE_LEDGER_REDIS_URL: world.redis.url }),
					isIdle: () => isQueueEmpty(world.redis),
				};
			},
		],
	];
}

describe.each(kindsOf())('in %s', (_name, declare) => {
	const kind = declare();

	/** States of the events in the ledger at the end. */
	async function entriesOf({ trigger }: Scene, ids: readonly string[]): Promise<Entry[]> {
		Object.assign(process.env, kind.environment());
		const ledger = await openLedger({ log: () => undefined });
		try {
			return await Promise.all(ids.map((id) => ledger.look(ledgerKey(trigger.workflow.id, id))));
		} finally {
			await ledger.close();
			for (const name of Object.keys(kind.environment())) Reflect.deleteProperty(process.env, name);
		}
	}

	const underFire = async (acknowledge: 'stored' | 'succeeded') => {
		const scene = await sceneOf(kind.world, acknowledge);
		const { sender } = scene;
		const events = sender.events(EVENTS);
		let isOver = false;
		const kills = async (): Promise<void> => {
			for (let kill = 0; kill < KILLS; kill++) {
				const target = ((kill + 0.5) * EVENTS) / (KILLS + 1);
				await waitFor(() => isOver || scene.begun.size > target, {
					what: `${target} events to begin`,
					timeoutMs: 300_000,
					everyMs: 5,
				});
				await sleep(sender.random.int(100));
				await kind.kill(scene, kill);
			}
		};
		const sending = sender
			.deliverAll(events, { perSecond: 30, atOnce: 30 })
			.finally(() => (isOver = true));
		const [sendings] = await Promise.all([sending, kills()]);
		const idle = async () => {
			const rows = await scene.trigger.client.listExecutions({
				workflowId: scene.trigger.workflow.id,
			});
			return (await kind.isIdle(rows)) && rows;
		};
		const rows = await waitFor(idle, { what: 'every execution to end', timeoutMs: 120_000 });
		return {
			...scene,
			events,
			sendings,
			statuses: new Map(rows.map((row) => [row.id, row.status])),
		};
	};

	it('runs each event until one execution has succeeded, with "Once Succeeded"', async () => {
		const fire = await underFire('succeeded');
		const { trigger, events, sendings, statuses, begun } = fire;
		expect(sendings.filter(({ acknowledged }) => !acknowledged)).toEqual([]);
		expect(trigger.counter.lost(events)).toEqual([]);

		const ids = events.map(({ id }) => id);
		const entries = await entriesOf(fire, ids);
		const disagreeing = entries.filter(({ state, run = '' }) => {
			const { executionId = '' } = attemptOf(run) ?? {};
			return state !== 'done' || statuses.get(executionId) !== 'success';
		});
		expect(disagreeing).toEqual([]);

		// An execution that was killed after its last call has done its work, but n8n cannot know that.
		const doubled = trigger.counter.doubled();
		const cutOff = new Set(
			sendings
				.filter(({ attempts }) => attempts.some(({ status }) => status === 0))
				.map(({ event }) => event.id),
		);
		const executions = [...begun.values()].reduce((sum, times) => sum + times, 0);
		report(
			`${EVENTS} events, ${KILLS} kills, "Once Succeeded", ${kind.name}: ${executions} executions, ${trigger.counter.calls.length} reached the last call, ${doubled.length} events did so twice since a kill cut an execution off`,
		);
		expect(executions).toBeGreaterThan(EVENTS);
		if (kind.name === 'regular mode') for (const id of doubled) expect(cutOff).toContain(id);
		expect(doubled.length).toBeLessThanOrEqual(KILLS * 30);
	});

	it('runs no event twice, with "Once Stored"', async () => {
		const fire = await underFire('stored');
		const { trigger, events, sendings, statuses, begun } = fire;
		expect(sendings.filter(({ acknowledged }) => !acknowledged)).toEqual([]);
		const twice = [...begun].filter(([, times]) => times > 1);
		const entries = await entriesOf(
			fire,
			events.map(({ id }) => id),
		);
		const states: Record<string, number> = {};
		for (const { state, run = '' } of entries) {
			const { executionId = '' } = attemptOf(run) ?? {};
			const what = `${state}: ${statuses.get(executionId) ?? 'no execution'}`;
			states[what] = (states[what] ?? 0) + 1;
		}
		report(
			`${EVENTS} events, ${KILLS} kills, "Once Stored", ${kind.name}: ${trigger.counter.calls.length} reached the last call, ${twice.length} events had two executions; ${JSON.stringify(states)}`,
		);
		expect(twice).toEqual([]);
		expect(trigger.counter.doubled()).toEqual([]);
	});
});

describe('a service that hangs up after 5 s', () => {
	const world = useWorld(() => ({ env: FAST }));
	const EXECUTION_MS = 20_000;

	it('never runs two executions of an event at the same time, and each event ends as done', async () => {
		const underWay = new Map<string, number>();
		let together = 0;
		const slow = ended(
			await startHttpService(async ({ query }) => {
				const id = query['event'] ?? '';
				underWay.set(id, (underWay.get(id) ?? 0) + 1);
				together = Math.max(together, ...underWay.values());
				await sleep(EXECUTION_MS);
				underWay.set(id, (underWay.get(id) ?? 0) - 1);
				return { body: { id } };
			}),
		);
		const parameters = { acknowledge: 'succeeded' };
		const trigger = await publish(world, { parameters, work: slow.url });
		const sender = await trigger.startSender({ seed: 9, attemptTimeoutMs: 5_000 });
		const events = sender.events(10);
		const sendings = await Promise.all(events.map((event) => sender.deliver(event)));
		const outcomes = sendings.map(({ attempts }) => attempts.at(-1)?.outcome);
		report(
			`${events.length} events, a service that hangs up after 5 s, executions of 20 s: ${together} at the same time for an event, ${trigger.counter.calls.length} reached the last call; attempts: ${sendings.map(({ attempts }) => attempts.length).join(', ')}`,
		);
		expect(together).toBe(1);
		expect(new Set(outcomes)).toEqual(new Set(['duplicate']));
		expect([...trigger.counter.calls].sort()).toEqual(events.map(({ id }) => id).sort());
	});
});
