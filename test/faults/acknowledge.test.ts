/** Failing executions: the promise of "If the Execution Fails" under each of its two settings. `kills.test.ts` kills n8n meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises';
import { attemptOf, ledgerKey, openLedger } from '../../lib/ledger';
import { createRandom } from '../../simulator/data/random';
import { expectOneRunEach, expectPromisesKept } from '../support/expectations';
import { countedWorkflows, type CountedWorkflow } from '../support/n8n/countedWorkflow';
import { ledgerFile, passTimeInRedis, passTimeInSqlite } from '../support/n8n/ledgerClock';
import { isQueueEmpty } from '../support/n8n/queue';
import { useQueueWorld, useWorld } from '../support/n8n/useWorld';
import type { QueueWorld, World } from '../support/n8n/world';
import { report } from '../support/report';
import { waitFor } from '../support/wait';

const EVENTS = Number(process.env['ACKNOWLEDGE_EVENTS'] ?? 100);
/** One execution in this many fails. */
const FAILS_EVERY = 3;
const HOURS = 60 * 60_000;

const FAST = { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' };
const publish = countedWorkflows();

interface Kind {
	readonly world: World;
	/** Makes failed events due again. */
	readonly passTime: () => Promise<void> | void;
	readonly environment: () => Record<string, string>;
	readonly isIdle: (trigger: CountedWorkflow) => Promise<boolean>;
}

function kindsOf(): [string, () => Kind][] {
	const isIdle = async ({ client, workflow }: CountedWorkflow) => {
		const rows = await client.listExecutions({ workflowId: workflow.id });
		return rows.every(({ status }) => status !== 'running' && status !== 'new');
	};
	return [
		[
			'regular mode',
			() => {
				const world = useWorld(() => ({ env: FAST }));
				return {
					...{ world, isIdle },
					passTime: () => {
						passTimeInSqlite(ledgerFile(world.userFolder), 7 * HOURS, { expires: false });
					},
					environment: () => ({ ASSET_SERVICE_LEDGER_SQLITE_PATH: ledgerFile(world.userFolder) }),
				};
			},
		],
		[
			'queue mode',
			() => {
				const world: QueueWorld = useQueueWorld({ webhookProcessors: 1, workers: 2, env: FAST });
				return {
					world,
					passTime: () => passTimeInRedis(world.redis.url, 7 * HOURS, { expires: false }),
					environment: () => ({ ASSET_SERVICE_LEDGER_REDIS_URL: world.redis.url }),
					isIdle: async (trigger) => (await isQueueEmpty(world.redis)) && (await isIdle(trigger)),
				};
			},
		],
	];
}

describe.each(kindsOf())('in %s', (name, declare) => {
	const kind = declare();

	/** What the ledger knows of the events at the end, with the status of the execution in n8n. */
	async function accountsOf({ client, workflow }: CountedWorkflow, ids: readonly string[]) {
		const rows = await client.listExecutions({ workflowId: workflow.id });
		const statuses = new Map(rows.map((row) => [row.id, row.status]));
		Object.assign(process.env, kind.environment());
		const ledger = await openLedger({ log: () => undefined });
		try {
			const accounts = ids.map((id) => ledger.look(ledgerKey(workflow.id, id)));
			return (await Promise.all(accounts)).map(({ state, run = '' }) => {
				const { executionId = '' } = attemptOf(run) ?? {};
				return `${state}: ${statuses.get(executionId) ?? 'no execution'}`;
			});
		} finally {
			await ledger.close();
			for (const name of Object.keys(kind.environment())) Reflect.deleteProperty(process.env, name);
		}
	}

	const underFire = async (acknowledge: 'stored' | 'succeeded') => {
		const random = createRandom(7);
		const trigger = await publish(kind.world, {
			parameters: { acknowledge },
			executions: { fails: () => random.int(FAILS_EVERY) === 0 },
		});
		const sender = await trigger.startSender({ seed: 3 });
		const events = sender.events(EVENTS);
		const ending = new AbortController();
		const passing = (async () => {
			while (!ending.signal.aborted) {
				await sleep(1_000);
				await kind.passTime();
			}
		})();
		const sending = sender.deliverAll(events, { perSecond: 30, atOnce: 30 });
		const sendings = await sending.finally(() => {
			ending.abort();
		});
		await passing;
		await waitFor(() => kind.isIdle(trigger), {
			what: 'every execution to end',
			timeoutMs: 120_000,
		});
		expect(sendings.filter(({ acknowledged }) => !acknowledged)).toEqual([]);
		const ids = events.map(({ id }) => id);
		await expectPromisesKept(trigger);
		return { ...trigger.counter, accounts: await accountsOf(trigger, ids) };
	};

	it('starts each event until one execution has succeeded, and not again, with "Start Again"', async () => {
		const { calls, accounts } = await underFire('succeeded');
		report(`${EVENTS} events, "Start Again", ${name}: ${calls.length} executions`);
		expect(new Set(accounts)).toEqual(new Set(['done: success']));
		expect(calls.length).toBeGreaterThan(EVENTS);
	});

	it('runs no event twice, with "Do Not Start Again"', async () => {
		const { accounts } = await underFire('stored');
		const states = Object.groupBy(accounts, (account) => account);
		const counts = Object.entries(states).map(([state, all]) => `${all?.length ?? 0} ${state}`);
		report(`${EVENTS} events, "Do Not Start Again", ${name}: ${counts.join(', ')}`);
		expect(Object.keys(states).sort()).toEqual(['done: success', 'failed: error']);
	});
});

describe('a service that hangs up after 5 s', () => {
	const world = useWorld(() => ({ env: FAST }));
	const EXECUTION_MS = 20_000;

	it('never runs two executions of an event at the same time, and each event ends as done', async () => {
		const trigger = await publish(world, {
			parameters: { acknowledge: 'succeeded' },
			executions: { lastsMs: EXECUTION_MS },
		});
		const sender = await trigger.startSender({ seed: 9, attemptTimeoutMs: 5_000 });
		const events = sender.events(10);
		const sendings = await Promise.all(events.map((event) => sender.deliver(event)));
		const outcomes = sendings.map(({ attempts }) => attempts.at(-1)?.outcome);
		report(
			`${events.length} events, a service that hangs up after 5 s, executions of 20 s; attempts: ${sendings.map(({ attempts }) => attempts.length).join(', ')}`,
		);
		expect(new Set(outcomes)).toEqual(new Set(['duplicate']));
		await expectOneRunEach(trigger, sendings);
	});
});
