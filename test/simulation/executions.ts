/**
 * The executions of n8n, from their storing to their end.
 *
 * Facts: an execution is stored before it runs, and a process may die or report a failure in between; then it is run at the next
 * start. In regular mode a response waits for the execution's turn; a queued one that a user stops is never responded to. In
 * queue mode a worker takes the job; a job, or its result, can get lost, and nothing runs it again. n8n saves how an execution ended, then
 * calls the handlers one by one and waits for them, then responds. If saving fails, it calls none of them, and tries once more. A Wait node of 65 s
 * or more ends the execution for its process; another one continues it, without the trigger. A retry by a user begins with the
 * node that failed. A stop may not reach the worker.
 */
import type { INodeExecutionData } from 'n8n-workflow';
import { asText } from '../../lib/shared/values';
import type { Outcome, Settings } from '../history/history';
import { deferred, executeContext, parametersOf, type PollingTrigger } from './contexts';
import type { HostProcess } from './hostProcess';
import { messageOf, type N8n, type N8nProcess, type Response } from './n8n';
import { toldBy } from './stations/told';
import type { World } from './world';

type Status = 'new' | 'running' | 'crashed' | Outcome;

interface Execution {
	readonly id: string;
	readonly trigger: 'webhook' | PollingTrigger;
	readonly mode: string;
	readonly settings: Settings;
	readonly items: readonly INodeExecutionData[];
	readonly events: readonly string[];
	status: Status;
	/** The process that runs it. */
	host?: HostProcess | undefined;
	/** What the trigger passed on. */
	passed?: readonly INodeExecutionData[];
	/** Of a retry that begins after the trigger: what that had passed on. */
	readonly skipsTo?: readonly INodeExecutionData[];
	cancel?: AbortController;
	/** For the process that stored it. */
	readonly ended: ReturnType<typeof deferred<Ended | undefined>>;
}

interface Ended {
	readonly status: Outcome;
}

/** What n8n's handlers get at the end. */
interface Run extends Ended {
	readonly data: object;
	/** The events that passed the trigger. */
	readonly passed: readonly string[];
	/** Whether n8n can save it, in both of its tries. */
	readonly isSaved: boolean;
}

interface Handlers {
	readonly after: ((run: unknown) => Promise<void>)[];
	readonly finish: readonly (() => Promise<void>)[];
}

const idOf = ({ json }: INodeExecutionData) => asText(json['id']);

export class Executions {
	readonly rows = new Map<string, Execution>();
	/** Shares from 0 to 1. */
	notStored = 0;
	deniedStored = 0;
	lostJobs = 0;
	lostResults = 0;
	notSaved = 0;
	/** So long does n8n take at least to store the next one. */
	nextStoreMs = 0;
	readonly #world: World;
	readonly #n8n: N8n;
	#ids = 0;
	/** In queue mode. */
	readonly #jobs: Execution[] = [];
	readonly #workers: N8nProcess[] = [];
	/** In regular mode: those that wait for their turn, by process. */
	readonly #turns = new Map<HostProcess, { running: number; waiting: (() => void)[] }>();
	readonly #tries = new Map<string, number>();

	constructor(world: World, n8n: N8n) {
		this.#world = world;
		this.#n8n = n8n;
	}

	/** For a delivery. Resolves when nothing more is to be done for the response. */
	async fromWebhook(
		host: HostProcess,
		{
			items,
			settings,
			response,
			isEarly,
		}: { items: INodeExecutionData[]; settings: Settings; response: Response; isEarly: boolean },
	): Promise<void> {
		const execution = this.#create('webhook', 'webhook', settings, items);
		const respond = (status: number) => {
			response.status(status).end();
		};
		try {
			await this.#store(host, execution);
		} catch {
			respond(500);
			return;
		}
		if (this.#world.scenario.mode === 'queue') this.#enqueue(host, execution);
		else await this.#turn(host, execution);
		if (isEarly) respond(200);
		try {
			const ended = await execution.ended.promise;
			if (!isEarly) respond(ended?.status === 'success' || ended?.status === 'waiting' ? 200 : 500);
		} catch {
			if (!isEarly) respond(500);
		}
	}

	/** For a poll: resolves with its end, rejects if n8n says that it did not store it. */
	async fromPoll(
		host: HostProcess,
		trigger: PollingTrigger,
		items: INodeExecutionData[],
		{ settings, commit }: { settings: Settings; commit?: () => boolean },
	): Promise<unknown> {
		const execution = this.#create(trigger, 'trigger', settings, items);
		if (trigger === 'station') {
			for (const event of execution.events) this.#world.nameEntry(event);
			const told = items.map(({ json }) => toldBy(json));
			this.#world.note({ what: 'told', execution: execution.id, items: told });
			for (const [n, { json }] of items.entries()) {
				const assetId = told[n]?.asset ?? '';
				this.#world.reported.push({ ...json, assetId, toldAt: this.#world.clock.now });
			}
		}
		if (!(await this.#store(host, execution, commit))) return undefined;
		if (this.#world.scenario.mode === 'queue') this.#enqueue(host, execution);
		else await this.#turn(host, execution);
		const ended = await execution.ended.promise;
		return ended && { status: ended.status };
	}

	/** By a user: of one that failed or crashed. */
	retry(execution: Execution): void {
		const host = this.#n8n.leader?.host;
		if (host === undefined) return;
		const { trigger, settings, items, passed } = execution;
		const fresh = this.#create(trigger, 'retry', settings, items);
		// The trigger runs again only if the execution had not passed it.
		const retried = {
			...fresh,
			...(passed !== undefined && passed.length > 0 && { skipsTo: passed }),
		};
		this.rows.set(retried.id, retried);
		this.#world.note({
			what: 'retried',
			execution: retried.id,
			of: execution.id,
			events: retried.events,
		});
		this.#start(host, retried);
	}

	/** By a user. */
	stop(execution: Execution): void {
		this.#world.note({ what: 'stopped', execution: execution.id });
		if (execution.status === 'new') {
			// Those who wait for it get no response.
			execution.status = 'canceled';
			this.#world.note({ what: 'lost', execution: execution.id });
			return;
		}
		const reaches =
			execution.host?.name.startsWith('main') === true || this.#world.random.chance('stop', 0.5);
		if (reaches) execution.cancel?.abort(new Error('The execution was cancelled manually'));
	}

	/** A main has started. */
	recover({ host }: N8nProcess, isSecond: boolean): void {
		if (this.#world.scenario.mode === 'queue') return;
		for (const execution of this.rows.values()) {
			if (execution.status === 'running' && execution.host?.isAlive === false && !isSecond) {
				execution.status = 'crashed';
			}
			if (execution.status === 'new') void this.#turn(host, execution);
		}
	}

	processDied(host: HostProcess): void {
		this.#turns.delete(host);
		if (this.#world.scenario.mode !== 'queue') return;
		for (const execution of this.rows.values()) {
			if (execution.host !== host || execution.status !== 'running') continue;
			// Bull finds the stalled job, and repeats nothing.
			this.#world.clock.after(45_000, () => {
				if (execution.status === 'running') {
					execution.status = 'crashed';
					this.#world.note({ what: 'lost', execution: execution.id });
				}
				execution.ended.reject(new Error('job stalled more than maxStalledCount'));
			});
			execution.ended.promise.catch(() => undefined);
		}
	}

	runsIn(host: HostProcess): boolean {
		return [...this.rows.values()].some((each) => each.host === host && each.status === 'running');
	}

	/** One that has run for at least so long. */
	runningFor(ms: number): Pick<Execution, 'host' | 'events'> | undefined {
		const { history, clock } = this.#world;
		return [...this.rows.values()].find(({ id, status }) => {
			const started = history.findLast((line) => line.what === 'started' && line.execution === id);
			return status === 'running' && started !== undefined && started.at <= clock.now - ms;
		});
	}

	/** A worker begins to take jobs. */
	work(process: N8nProcess): void {
		this.#workers.push(process);
		this.#takeJobs();
	}

	#takeJobs(): void {
		const { concurrency } = this.#world.scenario;
		const rows = [...this.rows.values()];
		for (const { host, isReady } of this.#workers) {
			// A paused worker takes its job when it continues, unless another one has.
			if (!isReady || !host.isAlive || host.held !== undefined) continue;
			let running = rows.filter((each) => each.host === host && each.status === 'running').length;
			while (running < Math.min(concurrency, 5)) {
				const job = this.#jobs.shift();
				if (job === undefined) return;
				if (job.status !== 'new') continue;
				running += 1;
				this.#start(host, job);
			}
		}
		// Bull's workers look again.
		if (this.#jobs.length > 0)
			this.#world.clock.after(1_000, () => {
				this.#takeJobs();
			});
	}

	#create(
		trigger: Execution['trigger'],
		mode: string,
		settings: Settings,
		items: readonly INodeExecutionData[],
	): Execution {
		const events = items.map(idOf);
		const id = String(++this.#ids);
		return {
			id,
			trigger,
			mode,
			settings,
			items,
			events,
			status: 'new',
			ended: deferred<Ended | undefined>(),
		};
	}

	/**
	 * Rejects if n8n says that it could not store it. `commit` belongs to the same transaction: if it returns false, nothing is
	 * stored.
	 */
	async #store(
		host: HostProcess,
		execution: Execution,
		commit: () => boolean = () => true,
	): Promise<boolean> {
		const { random, note } = this.#world;
		const label = `store ${execution.events.join()}`;
		const mostMs = random.chance(label, this.#world.scenario.slowStoreShare) ? 45_000 : 300;
		const { nextStoreMs } = this;
		this.nextStoreMs = 0;
		await host.sleep(Math.max(nextStoreMs, random.spread(label, 5, mostMs)));
		const { id, events, mode, settings } = execution;
		if (random.chance(label, this.notStored)) {
			note({ what: 'not stored', events });
			throw new Error('n8n could not store the execution');
		}
		if (!commit()) return false;
		// As the database keeps it.
		this.rows.set(id, execution);
		const isDenied = random.chance(label, this.deniedStored);
		const { acknowledge } = settings;
		note({
			what: 'stored',
			execution: id,
			by: host.name,
			mode,
			events,
			acknowledge,
			...(isDenied && { isDenied }),
		});
		await host.sleep(random.spread(label, 1, 30));
		if (isDenied) throw new Error('n8n could not store the data of the execution');
		return true;
	}

	#enqueue(host: HostProcess, execution: Execution): void {
		const { random, note } = this.#world;
		if (random.chance(`lost ${execution.events.join()}`, this.lostJobs)) {
			note({ what: 'lost', execution: execution.id });
			host.after(60_000, () => {
				execution.ended.resolve(undefined);
			});
			return;
		}
		this.#jobs.push(execution);
		if (this.#jobs.length === 1) this.#takeJobs();
	}

	/** Regular mode: starts it as soon as the limit allows. */
	async #turn(host: HostProcess, execution: Execution): Promise<void> {
		const turns = this.#turns.get(host) ?? { running: 0, waiting: [] };
		this.#turns.set(host, turns);
		if (turns.running >= this.#world.scenario.concurrency) {
			await new Promise<void>((resolve) => turns.waiting.push(resolve));
		}
		if (execution.status === 'canceled') {
			turns.waiting.shift()?.();
			await new Promise<never>(() => undefined);
		}
		turns.running += 1;
		this.#start(host, execution, () => {
			turns.running -= 1;
			turns.waiting.shift()?.();
		});
	}

	#start(host: HostProcess, execution: Execution, whenOver: () => void = () => undefined): void {
		execution.status = 'running';
		execution.host = host;
		execution.ended.promise.catch(() => undefined);
		void this.#run(host, execution)
			.catch((error: unknown) => {
				this.#world.crash(error);
			})
			.finally(whenOver);
	}

	async #run(host: HostProcess, execution: Execution): Promise<void> {
		const { random, note, scenario } = this.#world;
		const { id, mode, trigger, settings, events } = execution;
		await host.sleep(random.spread(`run ${host.name}`, 2, 100));
		const cancel = new AbortController();
		execution.cancel = cancel;
		const after: Handlers['after'] = [
			async (run) => {
				this.#save(host, execution, run as Run);
			},
		];
		const finish: (() => Promise<void>)[] = [];
		const data: { resultData: { error?: unknown } } = { resultData: {} };
		const context = executeContext(this.#world, host, {
			...{ trigger, mode, id, items: execution.items, data, signal: cancel.signal },
			parameters: parametersOf(this.#world, settings),
			...(scenario.reports === 'hooks' && { hooks: { handlers: { workflowExecuteAfter: after } } }),
			...(scenario.reports !== 'nothing' && {
				onFinish: (handler: () => Promise<void>) => finish.push(handler),
			}),
		});
		if (scenario.timeoutMs < Infinity) {
			host.after(scenario.timeoutMs, () => {
				cancel.abort(new Error('The execution was cancelled because it timed out'));
			});
		}
		let status: Outcome = 'success';
		let passed = execution.skipsTo ?? [];
		const acknowledge = settings.acknowledge;
		try {
			if (execution.skipsTo === undefined) {
				const { AssetServiceTrigger, AssetServicePollTrigger, AssetServiceStationTrigger } =
					host.nodes;
				const node = {
					...{ webhook: AssetServiceTrigger, poll: AssetServicePollTrigger },
					station: AssetServiceStationTrigger,
				}[trigger];
				passed = (await new node().execute.call(context)).flat();
				execution.passed = passed;
			}
			if (passed.length === 0) note({ what: 'dropped', execution: id, events });
			else {
				const replayed = passed.filter(({ json }) => json['_replay'] !== undefined).map(idOf);
				const started = passed.map(idOf);
				note({
					what: 'started',
					execution: id,
					by: host.name,
					mode,
					events: started,
					acknowledge,
					...(replayed.length > 0 && { replayed }),
				});
				status = await this.#work(host, started, cancel.signal);
			}
		} catch (error) {
			data.resultData.error = error;
			status = 'error';
			note({ what: 'dropped', execution: id, events, error: messageOf(error) });
		}
		if (status === 'error') data.resultData.error ??= new Error('a node failed');
		const run = { status, data, passed: passed.map(idOf) };
		await this.#finish(host, execution, run, { after, finish });
		if (status === 'waiting') this.#wakeLater(execution);
	}

	/** The nodes after the trigger. */
	async #work(host: HostProcess, events: readonly string[], signal: AbortSignal): Promise<Outcome> {
		const { random, scenario } = this.#world;
		const key = events.join();
		const tries = (this.#tries.get(key) ?? 0) + 1;
		this.#tries.set(key, tries);
		const label = `work ${key}`;
		const isLong = random.chance(label, scenario.longShare);
		const ms = isLong ? random.spread(label, 5_000, 15 * 60_000) : random.spread(label, 5, 3_000);
		const fails =
			random.chance(label, scenario.failShare) ||
			events.some((event) => scenario.alwaysFails === event);
		const sleeps = random.chance(label, scenario.sleepShare);
		const isCancelled = await new Promise<boolean>((resolve) => {
			host.after(ms, () => {
				resolve(false);
			});
			signal.addEventListener('abort', () => {
				resolve(true);
			});
			if (signal.aborted) resolve(true);
		});
		if (isCancelled) return 'canceled';
		if (fails) return 'error';
		return sleeps ? 'waiting' : 'success';
	}

	async #finish(
		host: HostProcess,
		execution: Execution,
		run: Omit<Run, 'isSaved'>,
		handlers: Handlers,
	): Promise<void> {
		const { random, scenario } = this.#world;
		const { status } = run;
		await host.sleep(random.spread(`save ${host.name}`, 2, 80));
		const isSaved = !random.chance(`save ${host.name}`, this.notSaved);
		try {
			await this.#callHandlers({ ...run, isSaved }, handlers);
		} catch (error) {
			await this.#callHandlers({ ...run, isSaved }, handlers).catch(() => undefined);
			execution.ended.reject(error as Error);
			execution.host = undefined;
			return;
		}
		execution.host = undefined;
		const isLost = scenario.mode === 'queue' && random.chance('result', this.lostResults);
		if (!isLost) execution.ended.resolve({ status });
	}

	async #callHandlers(run: Run, { after, finish }: Handlers): Promise<void> {
		for (const handler of after) await handler(run);
		if (run.status === 'waiting') return;
		for (const handler of finish) await handler();
		// n8n may call it twice for a cancelled execution.
		if (run.status === 'canceled') for (const handler of finish) await handler();
	}

	/** The first handler is n8n's own. */
	#save(host: HostProcess, execution: Execution, { status, passed, isSaved }: Run): void {
		const { note } = this.#world;
		const { id } = execution;
		if (!isSaved) {
			note({
				...{ what: 'not saved', execution: id },
				...(status === 'canceled' && { isCanceled: true }),
			});
			throw new Error('n8n could not save the execution');
		}
		execution.status = status;
		note({ what: 'ended', execution: id, by: host.name, outcome: status, events: passed });
	}

	/** A Wait node is over: any process continues it. */
	#wakeLater(execution: Execution): void {
		const { random, clock, note } = this.#world;
		const wake = () => {
			const host = this.#n8n.leader?.host;
			if (host === undefined) {
				clock.after(10_000, wake);
				return;
			}
			execution.status = 'success';
			note({
				what: 'ended',
				execution: execution.id,
				by: host.name,
				outcome: 'success',
				events: [],
			});
		};
		clock.after(random.spread('wait', 65_000, 20 * 60_000), wake);
	}
}
