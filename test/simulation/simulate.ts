/** Runs one seed: the same seed gives the same history. */
import { join } from 'node:path';
import type { INodeExecutionData } from 'n8n-workflow';
import { asText } from '../../lib/shared/values';
import type { Redis } from '../../lib/vendor/ioredis';
import { check, type Violation } from '../history/checker/check';
import { MOST_ATTEMPTS } from '../history/checker/rules/facts';
import { View } from '../history/checker/view';
import type { Line, Step } from '../history/history';
import type { N8nProcess, Role } from './n8n';
import type { LoadPackage } from './package';
import { Random } from './random';
import { type Action, type Plan, planOf, type Scenario } from './scenario';
import { fieldComplaints } from './stations/field';
import { START, World } from './world';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** After it, an event whose execution was lost at the end of the disturbances can be claimed again, if it was the second one at most. */
const LAST_DELIVERIES_MS = 35 * MINUTE_MS;
/** With a poll trigger they come later, or they would hide what it does not start in time. */
const LAST_WITH_POLLS_MS = 50 * MINUTE_MS;

/** After the start of n8n. */
const PUBLISHED_MS = MINUTE_MS;
/** When what is done to the world begins, after its start. */
const BEGIN_MS = 2 * MINUTE_MS;

const REPORTS = { hooks: 'always', finish: 'if saved', nothing: 'never' } as const;

export interface SimulateOptions {
	readonly loadPackage: LoadPackage;
	/** Left out of the plan, by their places. */
	readonly without?: ReadonlySet<number>;
	/** In memory, of this process. */
	readonly folder?: string;
	/** Stations behave as in the field. */
	readonly isField?: boolean;
	/** A real one that holds the ledger, and nothing else. */
	readonly redis?: Redis | undefined;
}

export interface Simulated {
	readonly plan: Plan;
	readonly history: readonly Line[];
	/** What breaks a promise. */
	readonly violations: readonly Violation[];
}

export async function simulate(seed: number, options: SimulateOptions): Promise<Simulated> {
	const {
		loadPackage,
		without = new Set(),
		folder = `/dev/shm/simulation-${process.pid}`,
		redis,
	} = options;
	await redis?.flushall();
	const random = new Random(seed);
	const plan = planOf(random, START + BEGIN_MS, options.isField);
	const { scenario } = plan;
	const world = new World({
		...{ random, scenario, loadPackage, redis },
		folder: join(folder, String(seed)),
	});
	const unhandled = (error: unknown) => {
		world.note({
			what: 'unhandled',
			message:
				error instanceof Error
					? (error.stack ?? error.message).split('\n').slice(0, 3).join(' ')
					: String(error),
		});
	};
	process.on('unhandledRejection', unhandled);
	// Stacks cost more than all else.
	const { stackTraceLimit } = Error;
	Error.stackTraceLimit = 0;
	try {
		await play(
			world,
			plan.actions.filter((action, n) => !without.has(n) || isPartOfTruth(action, scenario)),
		);
	} finally {
		process.off('unhandledRejection', unhandled);
		Error.stackTraceLimit = stackTraceLimit;
		world.disk.clear();
	}
	if (world.crashed !== undefined) throw asError(world.crashed);
	const { history } = world;
	return { plan, history, violations: [...check(history), ...untrue(plan, world)] };
}

/** What happens in the field is only true as a whole. */
const isPartOfTruth = ({ does }: Action, { stations }: Scenario): boolean =>
	does === 'message' && stations?.field !== undefined;

function untrue({ scenario, actions }: Plan, { reported, history }: World): Violation[] {
	const { field, settings } = scenario.stations ?? {};
	if (field === undefined || settings === undefined) return [];
	// What says that an incident is over waits for one that still has to be repeated.
	const isWaiting = new View(history).items.some(({ starts }) => mayRepeat(starts));
	if (isWaiting) return [];
	const lateMs = actions.flatMap((action) =>
		action.does === 'message' ? [[action.id, action.listedAfterMs] as const] : [],
	);
	const at = history.at(-1)?.at ?? 0;
	return fieldComplaints(field, settings, reported, new Map(lateMs)).map((message) => ({
		...{ rule: 'what is reported is true', at, message },
	}));
}

function mayRepeat(starts: View['items'][number]['starts']): boolean {
	const isDone = starts.some(
		({ acknowledge, end }) => acknowledge === 'stored' || end?.outcome === 'success',
	);
	// Those that a user repeats don't count.
	const { length } = starts.filter(({ mode }) => mode === 'trigger');
	return length > 0 && length < MOST_ATTEMPTS && !isDone;
}

async function play(world: World, actions: readonly Action[]): Promise<void> {
	const { clock, note, n8n, scenario, service } = world;
	const start = clock.now;
	const { hasWebhook, hasPoll, hasStation, stations, startFrom, pollMinutes, reports } = scenario;
	note({
		what: 'world',
		hasWebhook,
		hasPoll,
		...(hasStation && { hasStation }),
		...(scenario.isField === true && { isField: true }),
		...(scenario.isScheduled === true && { isScheduled: true }),
		startFrom,
		pollMinutes,
		reportsEnd: REPORTS[reports],
	});
	n8n.start();
	// Some events are older than the publication.
	for (let n = 1; n <= 3; n += 1)
		service.create(`old${n}`, { type: 'ocpp.message', listedAfterMs: 0, hasTime: true });
	const begin = start + BEGIN_MS;
	if (stations?.load) service.startLoad(stations.load);
	const isBefore = (action: Action) => begin + action.at < start + PUBLISHED_MS;
	for (const action of actions.filter(isBefore))
		if (action.does === 'message') service.say(action.id, action, begin + action.at);
	await clock.runUntil(start + PUBLISHED_MS);
	// A task: no time passes before all that it begins at once has begun.
	clock.after(0, () => {
		n8n.publish();
	});
	const players = new Players(world);
	let last = begin;
	let isQuiet = false;
	for (const action of actions.filter((each) => !isBefore(each))) {
		clock.after(begin + action.at - clock.now, () => {
			if (action.aim === undefined) {
				players.play(action);
				return;
			}
			world.whenNext(action.aim, (line) => {
				if (!isQuiet) players.play(action, line);
			});
		});
		last = Math.max(last, begin + action.at);
	}
	await clock.runUntil(last + 5 * MINUTE_MS);
	isQuiet = true;
	players.calm();
	note({ what: 'quiet' });
	const quiet = clock.now;
	for (let n = 1; hasPoll && scenario.losesAlone === true && n <= 80; n += 1) {
		clock.after(30 * n * SECOND_MS, () => {
			service.create(`later${n}`, { type: 'ocpp.message', listedAfterMs: 0, hasTime: true });
		});
	}
	await clock.runUntil(quiet + (hasPoll ? LAST_WITH_POLLS_MS : LAST_DELIVERIES_MS));
	if (hasWebhook) {
		for (const event of service.events) {
			if (!event.id.startsWith('old')) service.deliver(event, { attempts: 4 });
		}
	}
	await clock.runUntil(quiet + scenario.quietMs);
	if (!hasWebhook && !hasPoll) {
		note({ what: 'over' });
		return;
	}
	let isOver = false;
	void players.reconcile().then(() => {
		isOver = true;
	});
	await clock.runWhile(() => !isOver, 10 * MINUTE_MS);
	note({ what: 'over' });
}

class Players {
	readonly #world: World;
	#backup: (() => void) | undefined;
	readonly #doing = new Map<string, number>();
	#requests = 0;

	constructor(world: World) {
		this.#world = world;
	}

	/** `line` is that of the history that it aims at. */
	play(action: Action, line?: Step): void {
		const { service, clock, n8n } = this.#world;
		const by = line && 'by' in line ? line.by : undefined;
		switch (action.does) {
			case 'event': {
				const event = service.create(action.id, action);
				if (action.isDelivered)
					clock.after(20, () => {
						service.deliver(event);
					});
				for (const ms of action.duplicates)
					clock.after(ms, () => void service.send(event, `duplicate ${event.id}`));
				break;
			}
			case 'odd': {
				const event = service.createOdd(action.id, action);
				if (action.isDelivered)
					clock.after(20, () => {
						service.deliver(event);
					});
				break;
			}
			case 'message':
				service.say(action.id, action, clock.now);
				break;
			case 'stationSettings':
				this.#change({ station: action.settings });
				break;
			case 'heldPage':
				service.nextPageMs = action.ms;
				break;
			case 'heldStore':
				n8n.executions.nextStoreMs = action.ms;
				break;
			case 'down':
				this.#down(action.forMs);
				break;
			case 'forge': {
				this.#world.note({
					what: 'created',
					event: action.id,
					type: 'ocpp.message',
					isForged: true,
				});
				const event = {
					id: action.id,
					type: 'ocpp.message',
					createdAt: service.now,
					hasTime: true,
				};
				void service.send(event, action.id, 'whsec-of-somebody-else');
				break;
			}
			case 'redeliver': {
				const { which } = action;
				const event =
					which === 'aimed'
						? service.events.find(({ id }) => line?.what === 'stored' && line.events.includes(id))
						: this.#eventAt(which);
				if (event && this.#world.scenario.hasWebhook)
					void service.send(event, `redelivery ${event.id}`);
				break;
			}
			case 'kill':
			case 'terminate': {
				const process = this.#processAt(action.which, by);
				if (process === undefined) break;
				if (action.does === 'kill') n8n.kill(process);
				else n8n.terminate(process);
				this.#bootLater(process, action.downMs);
				break;
			}
			case 'terminateBusy':
				this.#terminateBusy(clock.now + action.forMs);
				break;
			case 'pause': {
				const process = this.#processAt(action.which, by);
				process?.host.pause();
				clock.after(action.forMs, () => process?.host.resume());
				break;
			}
			case 'stop': {
				const open = [...n8n.executions.rows.values()].filter(
					({ status }) => status === 'new' || status === 'running',
				);
				const execution = at(open, action.which);
				if (execution) n8n.executions.stop(execution);
				break;
			}
			case 'retry': {
				const failed = [...n8n.executions.rows.values()].filter(
					({ status }) => status === 'error' || status === 'crashed',
				);
				const execution = at(failed, action.which);
				if (execution) n8n.executions.retry(execution);
				break;
			}
			case 'unpublish':
				n8n.unpublish();
				clock.after(action.forMs, () => {
					if (n8n.published === undefined) n8n.publish();
				});
				break;
			case 'acknowledge': {
				if (this.#world.scenario.reports === 'nothing') break;
				const { acknowledge } = n8n.settings;
				this.#change({ acknowledge: acknowledge === 'stored' ? 'succeeded' : 'stored' });
				break;
			}
			case 'widen':
			case 'narrow':
				this.#change({ wants: action.does === 'widen' ? 'all' : 'messages' });
				break;
			case 'replay':
				void this.#replay(action.which);
				break;
			case 'reconcile':
				void this.reconcile();
				break;
			case 'powerCut':
				this.#powerCut();
				break;
			case 'secondMain': {
				const second = n8n.boot('main', true);
				clock.after(60_000, () => {
					if (second.host.isAlive) n8n.terminate(second);
				});
				break;
			}
			case 'restoreDatabase':
				this.#restoreDatabase();
				break;
			case 'loseLedger':
				this.#once('ledger lost');
				this.#world.storage.replaceWith(undefined);
				break;
			case 'restoreLedger':
				if (this.#backup === undefined) {
					this.#backup = this.#world.storage.backUp();
					break;
				}
				this.#once('ledger restored');
				this.#world.storage.replaceWith(this.#backup);
				break;
			default:
				this.#disturb(action.does, action.forMs);
		}
	}

	/** Ends all disturbances; every process is there. */
	calm(): void {
		const { n8n, service, storage } = this.#world;
		for (const key of this.#doing.keys()) this.#doing.set(key, Infinity);
		Object.assign(n8n.executions, {
			notStored: 0,
			deniedStored: 0,
			lostJobs: 0,
			lostResults: 0,
			notSaved: 0,
			nextStoreMs: 0,
		});
		service.failures = 0;
		service.isSlow = false;
		service.nextPageMs = undefined;
		Object.assign(storage, { failure: undefined, syncFailures: 0, longestSyncMs: 8 });
		for (const { host } of n8n.living()) host.resume();
		const { mode } = this.#world.scenario;
		const roles: Role[] = mode === 'queue' ? ['main', 'webhook', 'worker'] : ['main'];
		for (const role of roles) if (n8n.staying(role).length === 0) n8n.boot(role);
		if (n8n.published === undefined) n8n.publish();
	}

	async reconcile(): Promise<void> {
		const { n8n, note } = this.#world;
		const { items = [], error } = await n8n.act({ operation: 'reconcile', states: [] });
		const events = items.map(({ json }) => ({
			event: asText(json['id']),
			state: asText(json['state']),
			...(json['executionId'] !== null && { execution: asText(json['executionId']) }),
		}));
		note({ what: 'reconciled', events, ...(error !== undefined && { error }) });
	}

	async #replay(which: readonly number[]): Promise<void> {
		const { n8n, note } = this.#world;
		const events = which.flatMap((place) => this.#eventAt(place)?.id ?? []);
		const ids = [...new Set(events)];
		if (ids.length === 0) return;
		const request = ++this.#requests;
		note({ what: 'replay asked', request, events: ids });
		const { items = [], error } = await n8n.act({
			operation: 'replay',
			dryRun: false,
			eventIds: ids.join(', '),
		});
		note({
			what: 'replayed',
			request,
			events: items.map(replayed),
			...(error !== undefined && { error }),
		});
	}

	#change(settings: Partial<World['n8n']['settings']>): void {
		const { n8n } = this.#world;
		n8n.settings = { ...n8n.settings, ...settings };
		if (n8n.published !== undefined) n8n.publish();
	}

	#processAt(which: number, by: string | undefined): N8nProcess | undefined {
		const living = this.#world.n8n.living();
		return living.find(({ host }) => host.name === by) ?? at(living, which);
	}

	#eventAt(which: number) {
		return at(this.#world.service.events, which);
	}

	#bootLater({ role }: N8nProcess, ms: number): void {
		const { clock, n8n } = this.#world;
		clock.after(ms, () => {
			const least = role === 'worker' ? this.#world.scenario.workers : 1;
			if (n8n.living(role).length < least) n8n.boot(role);
		});
	}

	#terminateBusy(until: number): void {
		const { clock, n8n, random, service } = this.#world;
		const busy = n8n.executions.runningFor(MINUTE_MS);
		const process = n8n.living().find(({ host }) => host === busy?.host && !host.isEnding);
		if (busy === undefined || process === undefined) {
			if (clock.now < until)
				clock.after(5 * SECOND_MS, () => {
					this.#terminateBusy(until);
				});
			return;
		}
		n8n.terminate(process);
		// n8n waits half a minute for what runs.
		this.#bootLater(process, random.whole('busy', 31, 40) * SECOND_MS);
		for (const event of service.events.filter(({ id }) => busy.events.includes(id))) {
			for (let n = 0; n < 6; n += 1) {
				clock.after(random.whole('busy', 32, 65) * SECOND_MS, () => {
					void service.send(event, `redelivery ${event.id}`);
				});
			}
		}
	}

	#down(ms: number): void {
		const { n8n } = this.#world;
		const mains = n8n.living('main');
		for (const process of mains) n8n.terminate(process);
		const [first] = mains;
		if (first !== undefined) this.#bootLater(first, ms);
	}

	#powerCut(): void {
		const { n8n, storage, clock } = this.#world;
		this.#once('power cut');
		const restore = storage.powerCut();
		const killAll = () => {
			for (const process of n8n.living()) n8n.kill(process);
		};
		killAll();
		restore();
		clock.after(20 * SECOND_MS, () => {
			// Nothing that started meanwhile survives the start of the host.
			killAll();
			this.#world.reboot();
			n8n.start();
		});
	}

	/** n8n's database is that of some minutes ago: executions that have run are stored and have not run. */
	#restoreDatabase(): void {
		const { n8n, clock, random } = this.#world;
		if (this.#world.scenario.mode === 'queue') return;
		this.#once('database restored');
		for (const process of n8n.living()) n8n.kill(process);
		for (const row of n8n.executions.rows.values()) {
			if (row.status !== 'waiting' && random.chance('restore', 0.3)) row.status = 'new';
		}
		clock.after(5 * SECOND_MS, () => {
			if (n8n.living().length === 0) n8n.start();
		});
	}

	#once(fault: string): void {
		this.#world.note({ what: 'fault', fault, is: 'once' });
	}

	#disturb(fault: Extract<Action, { forMs: number }>['does'], forMs: number): void {
		const { note, clock, storage, service, n8n } = this.#world;
		const { executions } = n8n;
		const set: Partial<Record<typeof fault, (on: boolean) => void>> = {
			locked: (on) => {
				storage.failure = on ? 'locked' : undefined;
			},
			broken: (on) => {
				storage.failure = on ? 'broken' : undefined;
			},
			syncFails: (on) => {
				storage.syncFailures = on ? this.#world.random.pick('sync', [0.7, 1]) : 0;
			},
			syncSlow: (on) => {
				storage.longestSyncMs = on ? 8_000 : 8;
			},
			listFails: (on) => {
				service.failures = on ? 0.6 : 0;
			},
			slowPages: (on) => {
				service.isSlow = on;
			},
			notStored: (on) => {
				executions.notStored = on ? 0.6 : 0;
			},
			deniedStored: (on) => {
				executions.deniedStored = on ? 0.5 : 0;
			},
			lostJobs: (on) => {
				executions.lostJobs = on ? 0.5 : 0;
			},
			lostResults: (on) => {
				executions.lostResults = on ? 0.5 : 0;
			},
			notSaved: (on) => {
				executions.notSaved = on ? 0.4 : 0;
			},
		};
		const until = clock.now + forMs;
		if (until <= (this.#doing.get(fault) ?? 0)) return;
		this.#doing.set(fault, until);
		note({ what: 'fault', fault, is: 'on' });
		set[fault]?.(true);
		clock.after(forMs, () => {
			if (this.#doing.get(fault) !== until) return;
			note({ what: 'fault', fault, is: 'off' });
			set[fault]?.(false);
		});
	}
}

function replayed({ json }: INodeExecutionData) {
	const isReplayed = json['replayed'] ?? json['reopened'];
	return { event: asText(json['id']), state: asText(json['state']), replayed: isReplayed === true };
}

function at<T>(list: readonly T[], which: number): T | undefined {
	return list[which % Math.max(1, list.length)];
}

function asError(thrown: unknown): Error {
	return thrown instanceof Error ? thrown : new Error(String(thrown));
}
