/** n8n's processes are killed and stopped again and again at random moments: the promise of "If the Execution Fails" under both of its settings. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom } from '../../simulator/data/random';
import { type Deliveries, deliveriesBy } from '../support/deliveries';
import { expectPromisesKept } from '../support/expectations';
import { type HostileList, listed, startHostileList } from '../support/hostileList';
import { endAfterEach } from '../support/lifetime';
import { type Account, accountsOf, OPEN_TO_ALL } from '../support/n8n/accounts';
import { countedWorkflows, type CountedWorkflow } from '../support/n8n/countedWorkflow';
import { GRACE_MS, passTimeInRedis } from '../support/n8n/ledgerClock';
import { isQueueEmpty } from '../support/n8n/queue';
import type { ExecutionSummary } from '../support/n8n/responses';
import type { N8nServer } from '../support/n8n/server';
import { useQueueWorld, useWorld } from '../support/n8n/useWorld';
import type { World } from '../support/n8n/world';
import { report } from '../support/report';
import type { EventSender } from '../support/sender';
import { waitFor } from '../support/wait';

/** `KILLS=50` takes about a quarter of an hour for each test. */
const KILLS = Number(process.env['KILLS'] ?? 4);
const SECONDS = 1_000;
const MINUTES = 60_000;
const TEST_MS = KILLS * MINUTES + 20 * MINUTES;

/** New events per kill and setting. The executions of some are under way when it happens. */
const EVENTS = 4;
const SPREAD_MS = 1_500;
const LASTS_MS = 600;
/** One event in this many fails once. */
const FAILS_EVERY = 10;
/** Known events that are delivered again before each kill. */
const AGAIN = 3;
/** Time for due events to run before the next kill: an event that is interrupted three times waits for half an hour. */
const QUIET_MS = 2 * SECONDS;
/** An execution that is interrupted twice starts again 5 minutes later. */
const TAIL_MS = 9 * MINUTES;
/** n8n never responds for an execution that it lost before its first node, so its event has to wait for the grace of a stored one. */
const LOST_AFTER_MS = 3 * MINUTES;
/** How long before a kill an execution may have ended that n8n has recorded and the ledger has not. */
const END_WINDOW_MS = SECONDS;

/** How much of n8n's log a test shows that waits in vain, in characters. */
const LOG_SHOWN = 4_000;

/** n8n's queue notices after 30 s at the earliest that the worker of a job is dead. */
const STALLS_AFTER_MS = 30 * SECONDS;
/** What `statusOf` returns for a kill between n8n's own record of the end and the ledger's. */
const ENDED_JUST_BEFORE = 'ended just before a kill';
/** What `statusOf` returns if n8n records an error because the worker died. */
const STALLED = 'error of a stalled job';

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
	/** What n8n runs or is going to run, as text. */
	readonly unfinished: (trigger: CountedWorkflow) => Promise<readonly string[]>;
	/** Lets the grace of stored events pass, where n8n loses executions. */
	readonly passGrace: () => Promise<void>;
	/** n8n's statuses of an execution whose process was killed. */
	readonly cutOff: readonly string[];
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
				unfinished: async ({ client, workflow }) => {
					const rows = await client.listExecutions({ workflowId: workflow.id });
					const open = rows.filter(({ status }) => status === 'new' || status === 'running');
					return open.map(({ id, status, startedAt }) => `${id} ${status} ${String(startedAt)}`);
				},
				// n8n runs what it has stored after its restart.
				passGrace: async () => undefined,
				cutOff: ['crashed'],
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
				unfinished: async () => ((await isQueueEmpty(world.redis)) ? [] : ['jobs in the queue']),
				passGrace: () =>
					passTimeInRedis(world.redis.url, GRACE_MS + MINUTES, { expires: false, only: 'stored' }),
				// If the process that received the delivery is gone too, n8n looks for the execution only every three hours.
				cutOff: ['crashed', 'running', STALLED],
			};
		},
	],
];

/** A workflow under fire. */
interface Scene {
	readonly trigger: CountedWorkflow;
	readonly list: HostileList;
	readonly events: DeliveredEvent[];
	readonly deliveries: Deliveries;
	/** Delivers the next events, one after the other. */
	readonly sendNew: () => Promise<void>;
	/** Delivers events again. */
	readonly sendAgain: () => void;
}

describe.each(kinds)('with kills of %s', (name, declare) => {
	const kind = declare();
	const { world } = kind;
	const notReady = new Set<string>();

	async function sceneOf(acknowledge: 'stored' | 'succeeded', seed: number): Promise<Scene> {
		const random = createRandom(seed);
		const list = ended(await startHostileList([]));
		const failing = new Set<string>();
		const trigger = await publish(world, {
			parameters: { acknowledge, ...OPEN_TO_ALL },
			executions: {
				lastsMs: LASTS_MS,
				fails: (id, execution) => execution === 1 && failing.has(id),
			},
			...(kind.polls && { poll: { service: list, startFrom: 'retained' as const } }),
		});
		const sender = await trigger.startSender({ seed, notReady });
		const deliveries = deliveriesBy(sender);
		const events: DeliveredEvent[] = [];
		return {
			...{ trigger, list, events, deliveries },
			async sendNew() {
				for (const event of sender.events(EVENTS)) {
					if (random.int(FAILS_EVERY) === 0) failing.add(event.id);
					events.push(event);
					list.events.unshift(listed(event));
					deliveries.send([event]);
					await sleep(random.int((2 * SPREAD_MS) / EVENTS));
				}
			},
			sendAgain() {
				const known = Array.from({ length: AGAIN }, () => events[random.int(events.length)]);
				deliveries.send(deliveries.unacknowledged());
				deliveries.send(known.filter((event) => event !== undefined));
			},
		};
	}

	/** Kills and stops n8n's processes under both workflows; returns the moments, in Unix milliseconds. */
	async function fire(scenes: readonly Scene[]) {
		const random = createRandom(11);
		const killedAt: number[] = [];
		let cutOff = 0;
		const underWay = () => scenes.reduce((sum, { trigger }) => sum + trigger.counter.waiting, 0);
		const untilUnderWay = async (): Promise<void> => {
			await waitFor(() => underWay() > 0, {
				what: 'an execution to begin',
				timeoutMs: 5 * SECONDS,
				everyMs: 10,
			}).catch(() => undefined);
		};
		const end = async (kill: number): Promise<void> => {
			const targets = kind.targets();
			// Each process gets both signals, one after the other.
			const server = targets[Math.floor(kill / 2) % targets.length];
			if (!server) throw new Error('There is no process to kill.');
			await sleep(random.int(SPREAD_MS));
			// Half of the kills hit executions, also on a busy machine that begins them late.
			if (kill % 4 === 0) await untilUnderWay();
			cutOff += underWay();
			for (const { trigger } of scenes) {
				for (const url of trigger.urls) if (url.startsWith(server.url)) notReady.add(url);
			}
			if (kill % 2 === 0) {
				killedAt.push(Date.now());
				await server.kill();
			} else {
				await server.stop();
			}
			await server.start();
			notReady.clear();
		};
		for (let kill = 0; kill < KILLS; kill++) {
			for (const scene of scenes) scene.sendAgain();
			await sleep(QUIET_MS);
			await Promise.all([...scenes.map((scene) => scene.sendNew()), end(kill)]);
		}
		return { killedAt, cutOff };
	}

	/**
	 * Redelivers until each event is acknowledged, apart from those that have to wait for half an hour, which it returns.
	 * Events that have not begun by then only begin after the grace.
	 */
	async function untilAcknowledged({ deliveries, trigger }: Scene): Promise<DeliveredEvent[]> {
		const { begun } = trigger.counter;
		const open = () => deliveries.unacknowledged().filter(({ id }) => (begun.get(id) ?? 0) < 3);
		const lostAt = Date.now() + LOST_AFTER_MS;
		let hasPassed = false;
		await waitFor(
			async () => {
				if (!hasPassed && Date.now() >= lostAt && open().some(({ id }) => !begun.has(id))) {
					hasPassed = true;
					await kind.passGrace();
				}
				deliveries.send(open());
				return open().length === 0;
			},
			{
				what: 'every event to be acknowledged',
				timeoutMs: TAIL_MS,
				everyMs: 5 * SECONDS,
				detail: () => JSON.stringify(open().map(({ id }) => [id, begun.get(id)])),
			},
		);
		await deliveries.settled();
		return deliveries.unacknowledged();
	}

	const untilIdle = async ({ trigger }: Scene): Promise<void> => {
		let left: readonly string[] = [];
		await waitFor(async () => (left = await kind.unfinished(trigger)).length === 0, {
			what: 'n8n to have nothing left to run',
			timeoutMs: 3 * MINUTES,
			everyMs: SECONDS,
			detail: () =>
				[...left, ...kind.targets().map((server) => server.logs().slice(-LOG_SHOWN))].join('\n'),
		});
	};

	/**
	 * Each event's account, how often each pair of its state and n8n's status occurs, and the events for which the two
	 * disagree.
	 */
	async function accountsByStatus(scene: Scene, killedAt: readonly number[]) {
		const { trigger, list, events } = scene;
		await untilIdle(scene);
		const accounts = await accountsOf(world.client, trigger.workflow, list, trigger.recorder);
		// An interrupted execution is only known as such once its process counts as dead.
		const byId = await waitFor(
			async () => {
				const found = await accounts.reconcile();
				return [...found.values()].every(({ state }) => state !== 'running') && found;
			},
			{ what: 'no event to be running', timeoutMs: 3 * MINUTES, everyMs: 5 * SECONDS },
		);
		const rows = await world.client.listExecutions({ workflowId: trigger.workflow.id });
		const byExecution = new Map(rows.map((row) => [row.id, row]));
		const agreeing: Readonly<Record<string, readonly string[]>> = {
			done: ['success'],
			failed: ['error', 'canceled'],
			interrupted: [...kind.cutOff, ENDED_JUST_BEFORE],
			// n8n lost the execution before its first node.
			stored: ['no execution'],
		};
		const pairs: Record<string, number> = {};
		const disagreeing: object[] = [];
		for (const { id } of events) {
			const account = byId.get(id);
			const row = byExecution.get(account?.executionId ?? '');
			const status = statusOf(account, row, killedAt);
			const pair = `${account?.state ?? 'not listed'}: ${status}`;
			pairs[pair] = (pairs[pair] ?? 0) + 1;
			if (agreeing[account?.state ?? '']?.includes(status) !== true) {
				disagreeing.push({ id, account, row, begun: trigger.counter.begun.get(id) });
			}
		}
		return { byId, pairs, disagreeing };
	}

	/** With "Start Again": runs each event until one execution has succeeded, and never afterwards. */
	async function expectOneSuccess(scene: Scene, killedAt: readonly number[]): Promise<void> {
		const { trigger, events, deliveries } = scene;
		const late = new Set((await untilAcknowledged(scene)).map(({ id }) => id));
		const { byId, pairs, disagreeing } = await accountsByStatus(scene, killedAt);
		const settled = events.filter(({ id }) => !late.has(id));
		deliveries.send(settled);
		await deliveries.settled();
		await untilIdle(scene);
		report(
			`${KILLS} kills of ${name}, "Start Again": ${events.length} events, ${trigger.counter.calls.length} executions, ${late.size} still waiting; accounts and n8n's status: ${JSON.stringify(pairs)}`,
		);
		await expectPromisesKept(trigger);
		expect(trigger.counter.lost(settled)).toEqual([]);
		// The ledger knew of the success, whatever became of its process.
		const afterSuccess = settled.filter(({ id }) => {
			const recordedAt = byId.get(id)?.endedAt ?? 0;
			return trigger.counter.calls.some(
				({ at, events: [event] }) => event === id && at > recordedAt,
			);
		});
		expect(afterSuccess).toEqual([]);
		expect(settled.filter(({ id }) => byId.get(id)?.state !== 'done')).toEqual([]);
		expect(disagreeing).toEqual([]);
		// Interrupted three times: at most one in a hundred events.
		expect(late.size).toBeLessThanOrEqual(Math.ceil(events.length / 100));
	}

	/** With "Do Not Start Again": begins no event twice. */
	async function expectNoSecondBegin(scene: Scene, killedAt: readonly number[]): Promise<void> {
		const { trigger, events } = scene;
		await untilAcknowledged(scene);
		const { pairs, disagreeing } = await accountsByStatus(scene, killedAt);
		report(
			`${KILLS} kills of ${name}, "Do Not Start Again": ${events.length} events; accounts and n8n's status: ${JSON.stringify(pairs)}`,
		);
		await expectPromisesKept(trigger);
		expect(disagreeing).toEqual([]);
	}

	it(
		'keeps the promise of both settings',
		async () => {
			const succeeded = await sceneOf('succeeded', 3);
			const stored = await sceneOf('stored', 4);
			const { killedAt, cutOff } = await fire([succeeded, stored]);
			report(`${KILLS} kills of ${name}: ${cutOff} executions were under way`);
			for (const { trigger } of [succeeded, stored]) trigger.recorder.note({ what: 'quiet' });
			const results = await Promise.allSettled([
				expectOneSuccess(succeeded, killedAt),
				expectNoSecondBegin(stored, killedAt),
			]);
			for (const result of results) if (result.status === 'rejected') throw result.reason;
			for (const { trigger } of [succeeded, stored]) {
				await world.client.deactivate(trigger.workflow.id);
			}
		},
		TEST_MS,
	);
});

/** n8n's status of the execution that the account names. */
function statusOf(
	account: Account | undefined,
	row: ExecutionSummary | undefined,
	killedAt: readonly number[],
): string {
	if (account?.executionId === undefined) return 'no execution';
	if (row === undefined) return 'unknown execution';
	const { status, startedAt, stoppedAt } = row;
	if (account.state !== 'interrupted' || stoppedAt === null) return status;
	const tookMs = Date.parse(stoppedAt) - Date.parse(startedAt ?? stoppedAt);
	if (status === 'error' && tookMs > STALLS_AFTER_MS) return STALLED;
	const endedAt = Date.parse(stoppedAt);
	const isJustBefore = killedAt.some((at) => at >= endedAt && at - endedAt <= END_WINDOW_MS);
	return isJustBefore && (status === 'success' || status === 'error') ? ENDED_JUST_BEFORE : status;
}
