/**
 * n8n's durable scheduler for polls, with poll cursors.
 *
 * Facts (n8n 2.41.1, with N8N_SCHEDULER_ENABLED, N8N_USE_WORKFLOW_PUBLICATION_SERVICE, N8N_SCHEDULER_POLL_TRIGGERS_ENABLED and
 * N8N_POLLER_DURABLE_CURSORS_ENABLED): the Poll Times of a node are a job in the database, and each occurrence a task that any
 * main takes, whichever leads. What came due while n8n was down is skipped. A task is held by a lease of 60 s, which a living
 * process renews; another main repeats the task of one that died or was paused, and from then on nothing that the first one
 * commits counts. Activation polls only if the job is new: not at a restart. Each poll gets the version published then, and the
 * node's static data as a copy of its cursor. What a poll has changed in it is committed in one transaction with the execution
 * that it starts, or by itself when it ends without one; without the lease, the execution is dropped, and its `donePromise`
 * resolves all the same. After 45 s n8n stops waiting for a poll, which goes on: `getPollBudgetMs` says 36 s. A poll that fails
 * or takes too long is followed by a pause of 5 s, doubled with each failure, up to 30 min.
 */
import type { INodeExecutionData } from 'n8n-workflow';
import { pollContext, type PollingTrigger } from './contexts';
import { messageOf, type N8n, type N8nProcess } from './n8n';
import type { World } from './world';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const LEASE_MS = MINUTE_MS;
/** Leases that lapsed are looked for. */
const REAPED_AFTER_MS = 30 * SECOND_MS;
const TIMEOUT_MS = 45 * SECOND_MS;
const FIRST_PAUSE_MS = 5 * SECOND_MS;
const LONGEST_PAUSE_MS = 30 * MINUTE_MS;
const MOST_ATTEMPTS = 5;
export const SCHEDULED_BUDGET_MS = 36 * SECOND_MS;

/** What the database has of a polling node. */
interface Poller {
	readonly trigger: PollingTrigger;
	cursor: string;
	failures: number;
	pausedUntil: number;
}

/** An occurrence of the job. */
interface Task {
	/** Of the lease; each process that takes the task has the next one. */
	epoch: number;
	attempts: number;
	isOver: boolean;
}

export class Scheduler {
	readonly #world: World;
	readonly #n8n: N8n;
	readonly #pollers: readonly Poller[];
	#job = 0;
	/** The jobs of the published version are in the database. */
	isRegistered = false;

	constructor(world: World, n8n: N8n) {
		this.#world = world;
		this.#n8n = n8n;
		const { hasPoll, hasStation } = world.scenario;
		const triggers: PollingTrigger[] = [
			...(hasPoll ? (['poll'] as const) : []),
			...(hasStation ? (['station'] as const) : []),
		];
		const fresh = { cursor: '{}', failures: 0, pausedUntil: 0 };
		this.#pollers = triggers.map((trigger) => ({ trigger, ...fresh }));
	}

	/** The workflow is published: its jobs are new. Rejects with the error of a first poll. */
	async register(process: N8nProcess): Promise<void> {
		const job = ++this.#job;
		this.isRegistered = false;
		for (const poller of this.#pollers) {
			Object.assign(poller, { failures: 0, pausedUntil: 0 });
			await this.#poll(poller, process, { isHeld: () => true });
			this.#continue(poller, job);
		}
		this.isRegistered = true;
	}

	/** It is not published any more. */
	remove(): void {
		this.#job += 1;
		this.isRegistered = false;
	}

	#continue(poller: Poller, job: number): void {
		const { clock, scenario } = this.#world;
		clock.after(scenario.pollMinutes * MINUTE_MS, () => {
			if (this.#job !== job) return;
			this.#continue(poller, job);
			this.#take(poller, { epoch: 0, attempts: 0, isOver: false });
		});
	}

	#take(poller: Poller, task: Task): void {
		const { clock, random } = this.#world;
		const mains = this.#n8n
			.staying('main')
			.filter(({ isReady, host }) => isReady && host.held === undefined);
		const main = mains[random.whole('scheduler', 0, Math.max(0, mains.length - 1))];
		// A task of which a process has died waits for the next one; otherwise it is skipped.
		if (main === undefined || task.attempts >= MOST_ATTEMPTS) return;
		task.attempts += 1;
		const epoch = ++task.epoch;
		this.#keepLease(poller, task, main);
		if (poller.pausedUntil > clock.now || this.#n8n.published === undefined) {
			task.isOver = true;
			return;
		}
		const isHeld = () => task.epoch === epoch;
		void this.#pollInTime(poller, main, isHeld).then(() => {
			if (isHeld()) task.isOver = true;
		});
	}

	/** Another main takes the task when its process does not renew the lease. */
	#keepLease(poller: Poller, task: Task, { host }: N8nProcess): void {
		const { clock } = this.#world;
		const { epoch } = task;
		const look = (silentMs: number) => {
			clock.after(REAPED_AFTER_MS, () => {
				if (task.isOver || task.epoch !== epoch) return;
				const isSilent = !host.isAlive || host.held !== undefined;
				const lapsedMs = isSilent ? silentMs + REAPED_AFTER_MS : 0;
				if (lapsedMs < LEASE_MS) look(lapsedMs);
				else this.#take(poller, task);
			});
		};
		look(0);
	}

	async #pollInTime(poller: Poller, main: N8nProcess, isHeld: () => boolean): Promise<void> {
		const failure = await Promise.race([
			this.#poll(poller, main, { isHeld }).then(
				() => false,
				() => true,
			),
			main.host.sleep(TIMEOUT_MS).then(() => true),
		]);
		poller.failures = failure ? poller.failures + 1 : 0;
		const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (poller.failures - 1), LONGEST_PAUSE_MS);
		poller.pausedUntil = failure ? this.#world.clock.now + pauseMs : 0;
	}

	async #poll(
		poller: Poller,
		{ host }: N8nProcess,
		{ isHeld }: { isHeld: () => boolean },
	): Promise<void> {
		const { note } = this.#world;
		const { published: settings, version } = this.#n8n;
		if (settings === undefined) return;
		const { trigger } = poller;
		const data = JSON.parse(poller.cursor) as Record<string, unknown>;
		let staged = poller.cursor;
		/** Undefined if it has not changed; otherwise commits it, and returns whether that counts. */
		const commitOf = (): (() => boolean) | undefined => {
			const next = JSON.stringify(data);
			if (next === staged) return undefined;
			staged = next;
			return () => {
				if (isHeld()) poller.cursor = next;
				return isHeld();
			};
		};
		const emit = (
			items: INodeExecutionData[],
			done?: { resolve: (run: unknown) => void; reject: (error: Error) => void },
		) => {
			const commit = commitOf();
			void this.#n8n.executions
				.fromPoll(host, trigger, items, { settings, ...(commit && { commit }) })
				.then(
					(run) => done?.resolve(run),
					(error: unknown) => done?.reject(error as Error),
				);
		};
		const mode = 'update';
		const poll = this.#n8n.nextPoll();
		const context = pollContext(this.#world, host, { trigger, poll, settings, mode, data, emit });
		const node =
			trigger === 'poll'
				? new host.nodes.AssetServicePollTrigger()
				: new host.nodes.AssetServiceStationTrigger();
		const by = { by: host.name, ...(trigger === 'station' && { trigger, version, poll }) };
		if (trigger === 'station') note({ what: 'polling', by: host.name, trigger, version, poll });
		try {
			await node.poll.call(context);
		} catch (error) {
			note({ what: 'polled', ...by, error: messageOf(error) });
			throw error;
		}
		note({ what: 'polled', ...by });
		if (this.#n8n.published !== undefined) commitOf()?.();
	}
}
