/** n8n's processes are killed and stopped again and again at random moments: the promise of "Acknowledge" under each of its settings. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom } from '../../simulator/data/random';
import { type Deliveries, deliveriesBy } from '../support/deliveries';
import { type HostileList, listed, startHostileList } from '../support/hostileList';
import { endAfterEach } from '../support/lifetime';
import { type Account, accountsOf, OPEN_TO_ALL } from '../support/n8n/accounts';
import type { ExecutionStatus } from '../support/n8n/answers';
import { countedWorkflows, type CountedWorkflow } from '../support/n8n/countedWorkflow';
import { isQueueEmpty } from '../support/n8n/queue';
import type { N8nServer } from '../support/n8n/server';
import { useQueueWorld, useWorld } from '../support/n8n/useWorld';
import type { World } from '../support/n8n/world';
import { report } from '../support/report';
import type { EventSender } from '../support/sender';
import { waitFor } from '../support/wait';
import { startWork, type Work } from '../support/work';

/** `KILLS=100` takes half an hour for each test. */
const KILLS = Number(process.env['KILLS'] ?? 4);
const SECONDS = 1_000;
const MINUTES = 60_000;
const TEST_MS = KILLS * 30 * SECONDS + 15 * MINUTES;

/** New events per kill. The executions of some are under way when it happens. */
const EVENTS = 4;
const SPREAD_MS = 1_500;
const LASTS_MS = 300;
/** One event in this many fails once. */
const FAILS_EVERY = 10;
/** Known events that are delivered again before each kill. */
const AGAIN = 3;
/** Time for due events to run before the next kill: an event that is interrupted three times waits for half an hour. */
const QUIET_MS = 2 * SECONDS;
/** An execution that is interrupted twice starts again 5 minutes later. */
const TAIL_MS = 8 * MINUTES;

const FAST = { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' };
const publish = countedWorkflows();
const ended = endAfterEach();

type DeliveredEvent = ReturnType<EventSender['events']>[number];

interface Kind {
	readonly world: World;
	/** The processes that are killed in turn. */
	readonly targets: () => readonly N8nServer[];
	/** Whether a poll trigger starts the events too. */
	readonly polls: boolean;
	readonly isIdle: (trigger: CountedWorkflow) => Promise<boolean>;
}

const kinds: [string, () => Kind][] = [
	[
		'the main, next to a poll trigger',
		() => {
			const world = useWorld(() => ({ env: FAST }));
			return {
				world,
				targets: () => [world.server],
				polls: true,
				isIdle: async ({ client, workflow }) => {
					const rows = await client.listExecutions({ workflowId: workflow.id });
					return rows.every(({ status }) => status !== 'new' && status !== 'running');
				},
			};
		},
	],
	[
		'workers and webhook processors',
		() => {
			const options = { webhookProcessors: 2, workers: 2, redis: { appendOnly: true }, env: FAST };
			const world = useQueueWorld(options);
			return {
				world,
				targets: () =>
					[0, 1].flatMap((n) =>
						[world.workers[n], world.webhookProcessors[n]].filter((server) => server !== undefined),
					),
				polls: false,
				// Executions of a killed worker stay "running" forever.
				isIdle: () => isQueueEmpty(world.redis),
			};
		},
	],
];

interface Scene {
	readonly trigger: CountedWorkflow;
	readonly work: Work;
	readonly list: HostileList;
	readonly events: DeliveredEvent[];
	readonly deliveries: Deliveries;
	readonly interruptions: () => number;
}

describe.each(kinds)('with kills of %s', (name, declare) => {
	const kind = declare();
	const { world } = kind;

	async function underFire(acknowledge: 'stored' | 'succeeded'): Promise<Scene> {
		const random = createRandom(11);
		const list = ended(await startHostileList([]));
		const failing = new Set<string>();
		const work = ended(
			await startWork({
				lastsMs: LASTS_MS,
				fails: (id, execution) => execution === 1 && failing.has(id),
			}),
		);
		const trigger = await publish(world, {
			parameters: { acknowledge, ...OPEN_TO_ALL },
			work: work.url,
			...(kind.polls && { poll: { service: list, startFrom: 'retained' as const } }),
		});
		const notReady = new Set<string>();
		const sender = await trigger.startSender({ seed: 3, notReady });
		const deliveries = deliveriesBy(sender);
		const events: DeliveredEvent[] = [];
		let interrupted = 0;

		const sendNew = async (): Promise<void> => {
			for (const event of sender.events(EVENTS)) {
				if (random.int(FAILS_EVERY) === 0) failing.add(event.id);
				events.push(event);
				list.events.unshift(listed(event));
				deliveries.send([event]);
				await sleep(random.int((2 * SPREAD_MS) / EVENTS));
			}
		};
		const end = async (kill: number): Promise<void> => {
			const targets = kind.targets();
			// Each process gets both signals, one after the other.
			const server = targets[Math.floor(kill / 2) % targets.length];
			if (!server) throw new Error('There is no process to kill.');
			const url = trigger.urls.find((each) => each.startsWith(server.url));
			await sleep(random.int(SPREAD_MS));
			interrupted += work.underWay;
			if (url !== undefined) notReady.add(url);
			await (kill % 2 === 0 ? server.kill() : server.stop());
			await server.start();
			notReady.clear();
		};
		for (let kill = 0; kill < KILLS; kill++) {
			deliveries.send(deliveries.unacknowledged());
			deliveries.send(
				Array.from({ length: AGAIN }, () => events[random.int(events.length)]).filter(
					(event) => event !== undefined,
				),
			);
			await sleep(QUIET_MS);
			await Promise.all([sendNew(), end(kill)]);
		}
		return { trigger, work, list, events, deliveries, interruptions: () => interrupted };
	}

	/** Redelivers until each event is acknowledged, apart from those that have to wait for half an hour. */
	async function untilAcknowledged({ deliveries, work }: Scene): Promise<DeliveredEvent[]> {
		const open = () => {
			return deliveries.unacknowledged().filter(({ id }) => (work.begun.get(id) ?? 0) < 3);
		};
		await waitFor(
			() => {
				deliveries.send(open());
				return open().length === 0;
			},
			{
				what: 'every event to be acknowledged',
				timeoutMs: TAIL_MS,
				everyMs: 5 * SECONDS,
				detail: () => JSON.stringify(open().map(({ id }) => [id, work.begunAt.get(id)])),
			},
		);
		await deliveries.settled();
		return deliveries.unacknowledged();
	}

	/** Compares each event's account with n8n's own status of the execution; returns how often each pair occurs. */
	async function accountsByStatus({ trigger, list, events }: Scene) {
		await waitFor(() => kind.isIdle(trigger), {
			what: 'n8n to have nothing left to run',
			timeoutMs: 3 * MINUTES,
			everyMs: SECONDS,
		});
		const accounts = await accountsOf(world.client, trigger.workflow, list);
		// An interrupted execution is only known as such once its process counts as dead.
		const byId = await waitFor(
			async () => {
				const found = await accounts.reconcile();
				return [...found.values()].every(({ state }) => state !== 'running') && found;
			},
			{ what: 'no event to be running', timeoutMs: 2 * MINUTES, everyMs: 5 * SECONDS },
		);
		const rows = await world.client.listExecutions({ workflowId: trigger.workflow.id });
		const statuses = new Map(rows.map(({ id, status }) => [id, status]));
		const pairs: Record<string, number> = {};
		for (const { id } of events) {
			const account = byId.get(id);
			const pair = `${account?.state ?? 'not listed'}: ${statusOf(account, statuses)}`;
			pairs[pair] = (pairs[pair] ?? 0) + 1;
		}
		return { byId, pairs };
	}

	it(
		'runs each event until one execution has succeeded, and never afterwards, with "Once Succeeded"',
		async () => {
			const scene = await underFire('succeeded');
			const { work, events, deliveries, trigger } = scene;
			const late = await untilAcknowledged(scene);
			const { byId, pairs } = await accountsByStatus(scene);
			const begunBefore = new Map(work.begun);
			deliveries.send(events.filter((event) => !late.includes(event)));
			await deliveries.settled();
			await waitFor(() => kind.isIdle(trigger), { what: 'n8n to be idle', timeoutMs: MINUTES });

			const isLate = ({ id }: DeliveredEvent) => late.some((event) => event.id === id);
			const settled = events.filter((event) => !isLate(event));
			const lost = settled.filter(({ id }) => !work.succeeded.has(id));
			const afterSuccess = settled.filter(({ id }) => {
				const acknowledgedAt = deliveries.acknowledgedAt.get(id) ?? Infinity;
				const begunAt = work.begunAt.get(id) ?? [];
				return begunAt.some((at) => at > acknowledgedAt) || begunBefore.get(id) !== begunAt.length;
			});
			const twice = settled.filter(({ id }) => (work.succeeded.get(id) ?? 0) > 1);
			report(
				`${KILLS} kills of ${name}, "Once Succeeded": ${events.length} events, ${scene.interruptions()} executions cut off, ${lost.length} lost, ${afterSuccess.length} begun after a success, ${work.together} at the same time, ${twice.length} did their work twice, ${late.length} still waiting; accounts and n8n's status: ${JSON.stringify(pairs)}`,
			);
			expect(lost).toEqual([]);
			expect(afterSuccess).toEqual([]);
			expect(work.together).toBe(1);
			expect(settled.filter(({ id }) => byId.get(id)?.state !== 'done')).toEqual([]);
			expectToAgree(pairs);
			// Interrupted three times: at most one in a hundred events.
			expect(late.length).toBeLessThanOrEqual(Math.ceil(events.length / 100));
			await world.client.deactivate(trigger.workflow.id);
		},
		TEST_MS,
	);

	it(
		'begins no event twice, with "Once Stored"',
		async () => {
			const scene = await underFire('stored');
			const { work, events, trigger } = scene;
			await untilAcknowledged(scene);
			const { pairs } = await accountsByStatus(scene);
			const twice = events.filter(({ id }) => (work.begun.get(id) ?? 0) > 1);
			report(
				`${KILLS} kills of ${name}, "Once Stored": ${events.length} events, ${scene.interruptions()} executions cut off, ${twice.length} begun twice; accounts and n8n's status: ${JSON.stringify(pairs)}`,
			);
			expect(twice).toEqual([]);
			expectToAgree(pairs);
			await world.client.deactivate(trigger.workflow.id);
		},
		TEST_MS,
	);
});

function statusOf(
	account: Account | undefined,
	statuses: ReadonlyMap<string, ExecutionStatus>,
): string {
	if (account?.executionId === undefined) return 'no execution';
	return statuses.get(account.executionId) ?? 'unknown execution';
}

/**
 * The statuses of n8n that agree with an account. A kill may hit between n8n's own record of the end and the ledger's,
 * and n8n never notices the end of a worker.
 */
const AGREEING: Readonly<Record<string, readonly string[]>> = {
	done: ['success'],
	failed: ['error', 'canceled'],
	interrupted: ['crashed', 'running', 'success', 'error'],
	// n8n lost the execution before its first node.
	stored: ['no execution'],
};

function expectToAgree(pairs: Readonly<Record<string, number>>): void {
	const others = Object.entries(pairs).filter(([pair]) => {
		const [state = '', status = ''] = pair.split(': ');
		return AGREEING[state]?.includes(status) !== true;
	});
	expect(others).toEqual([]);
}
