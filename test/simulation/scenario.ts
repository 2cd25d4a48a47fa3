/** What a seed decides before its history begins: the world, and what will be done to it. */
import type { Settings, StationSettings } from '../history/history';
import type { Random } from './random';
import { type Stations, withStations } from './stations/plan';
import type { ListedMessage } from './stations/stories';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

export interface Scenario {
	readonly mode: 'regular' | 'queue';
	readonly workers: number;
	/** Executions at once, for a main or a worker; Infinity for no limit. */
	readonly concurrency: number;
	readonly hasWebhook: boolean;
	readonly hasPoll: boolean;
	readonly hasStation: boolean;
	/** Polls are run by n8n's durable scheduler, by any main. */
	readonly isScheduled?: boolean;
	/** Stations behave as in the field. */
	readonly isField?: boolean;
	/** Undefined without a station trigger. */
	readonly stations?: Stations;
	readonly startFrom: 'now' | 'retained';
	readonly settings: Settings;
	readonly pollMinutes: number;
	readonly reports: 'hooks' | 'finish' | 'nothing';
	/** n8n's time limit for a poll; undefined on an n8n without one. */
	readonly pollBudgetMs: number | undefined;
	/** EXECUTIONS_TIMEOUT. */
	readonly timeoutMs: number;
	readonly failShare: number;
	/** An event that no execution can work with. */
	readonly alwaysFails: string | undefined;
	readonly sleepShare: number;
	readonly longShare: number;
	readonly isOldestFirst: boolean;
	readonly hasWholeSeconds: boolean;
	readonly jitterMs: number;
	readonly pageSize: number;
	readonly serviceAheadMs: number;
	readonly wrongUrlShare: number;
	/** How long the service waits for a response. */
	readonly hangsUpAfterMs: number;
	/** The share of executions that n8n takes up to 45 s to store. */
	readonly slowStoreShare: number;
	readonly quietMs: number;
	/** n8n loses some executions that only a poll starts again, and new events hide theirs from polls that look back. */
	readonly losesAlone?: boolean;
}

/** The next line of this kind in the history, and how long after it, in milliseconds. */
export interface Aim {
	readonly what: (typeof AIMS)[number] | 'polling';
	readonly ms: number;
}

const AIMS = ['stored', 'not stored', 'started', 'ended', 'entry', 'page'] as const;

/** What happens, and when, in milliseconds after the start; with an aim, after a line of the history that comes then. */
export type Action = { readonly at: number; readonly aim?: Aim } & (
	| {
			readonly does: 'event';
			readonly id: string;
			readonly type: string;
			readonly hasTime: boolean;
			readonly listedAfterMs: number;
			readonly isDelivered: boolean;
			/** Delivered again this long after the first delivery, acknowledged or not. */
			readonly duplicates: readonly number[];
	  }
	/** A record of the list that is odd in this way, before or among the others; also delivered, if there is a webhook trigger. */
	| {
			readonly does: 'odd';
			readonly id: string;
			readonly kind: string;
			readonly listedAfterMs: number;
			readonly isDelivered: boolean;
	  }
	/** Of a station. Before the publication if `at` is. */
	| ({ readonly does: 'message'; readonly id: string } & ListedMessage)
	| { readonly does: 'stationSettings'; readonly settings: StationSettings }
	/** The next page of the station trigger takes so long. */
	| { readonly does: 'heldPage'; readonly ms: number }
	/** n8n takes so long to store the next execution. */
	| { readonly does: 'heldStore'; readonly ms: number }
	/** No main runs. */
	| { readonly does: 'down'; readonly forMs: number }
	| { readonly does: 'forge'; readonly id: string }
	/** `aimed`: the event of the line that it aims at. */
	| { readonly does: 'redeliver'; readonly which: number | 'aimed' }
	| { readonly does: 'kill' | 'terminate'; readonly which: number; readonly downMs: number }
	| { readonly does: 'pause'; readonly which: number; readonly forMs: number }
	/** As soon as an execution has run for over a minute within this time, its process ends, and its senders come back. */
	| { readonly does: 'terminateBusy'; readonly forMs: number }
	| {
			readonly does:
				| 'locked'
				| 'broken'
				| 'syncFails'
				| 'syncSlow'
				| 'listFails'
				| 'slowPages'
				| 'notStored'
				| 'deniedStored'
				| 'lostJobs'
				| 'lostResults'
				| 'notSaved';
			readonly forMs: number;
	  }
	| {
			readonly does:
				| 'loseLedger'
				| 'restoreLedger'
				| 'powerCut'
				| 'secondMain'
				| 'restoreDatabase'
				| 'reconcile';
	  }
	| { readonly does: 'stop'; readonly which: number }
	| { readonly does: 'retry'; readonly which: number }
	| { readonly does: 'unpublish'; readonly forMs: number }
	| { readonly does: 'acknowledge' | 'widen' | 'narrow' }
	| { readonly does: 'replay'; readonly which: readonly number[] }
);

export interface Plan {
	readonly scenario: Scenario;
	readonly actions: readonly Action[];
}

/** Each history has only some of these, so that none of them hides what the others do. */
const DISTURBANCES = [
	...['kill', 'terminate', 'pause', 'locked', 'broken', 'syncFails', 'syncSlow', 'listFails'],
	...[
		'notStored',
		'deniedStored',
		'lostJobs',
		'lostResults',
		'notSaved',
		'loseLedger',
		'restoreLedger',
	],
	...['powerCut', 'secondMain', 'restoreDatabase', 'reconcile', 'stop', 'retry', 'unpublish'],
	...['acknowledge', 'widen', 'narrow', 'replay', 'redeliver', 'forge'],
] as const;

/** They take a process or the ledger when it hurts. */
const AIMED: ReadonlySet<string> = new Set([
	...['kill', 'terminate', 'pause', 'powerCut', 'stop'],
	...['locked', 'broken', 'syncFails', 'notStored', 'notSaved', 'loseLedger'],
]);
const ENDING: ReadonlySet<string> = new Set([
	...['kill', 'terminate', 'pause', 'powerCut', 'restoreDatabase', 'secondMain'],
]);
const LEDGER_FAULTS: ReadonlySet<string> = new Set(['locked', 'broken', 'syncFails']);

/** After these, an event starts again, or has other settings. */
const MORE_ATTEMPTS: ReadonlySet<string> = new Set([
	...['retry', 'replay', 'acknowledge', 'loseLedger', 'restoreLedger'],
]);

/** The share of the seeds that have a station trigger. */
const STATION_SHARE = 0.4;

/** `epoch` is when what is done begins, in Unix milliseconds. */
export function planOf(random: Random, epoch: number, isField = false): Plan {
	const plan = planWithoutStations(random);
	const scenario = { ...plan.scenario, ...(isField && { isField }) };
	return withOddRecords(
		random,
		random.chance('third trigger', isField ? 1 : STATION_SHARE)
			? withStations(random, { ...plan, scenario }, epoch)
			: plan,
	);
}

/** The share of the seeds whose list has odd records. */
const ODD_SHARE = 0.4;

/** Fewer without an ID than the shortest page has records: no service can be asked for what follows a page without IDs. */
const MOST_WITHOUT_ID = 2;

/** Some come together: they are all of a page, or its last records. */
function withOddRecords(random: Random, { scenario, actions }: Plan): Plan {
	const label = 'odd records';
	if (!random.chance(label, ODD_SHARE)) return { scenario, actions };
	const lengthMs = Math.max(0, ...actions.map(({ at }) => at));
	const count = random.spread(label, 1, 12);
	const start = random.whole(label, 0, lengthMs);
	const areTogether = random.chance(label, 0.3);
	const odd = Array.from({ length: count }, (_unused, n): Action => ({
		at: areTogether ? start + n : random.whole(label, 0, lengthMs),
		...{ does: 'odd', id: `odd${n + 1}` },
		kind: random.pick(label, ODD_KINDS[n < MOST_WITHOUT_ID ? 'withoutId' : 'withId']),
		listedAfterMs: random.chance(label, 0.8) ? 0 : random.spread(label, 1_000, 5 * MINUTE_MS),
		isDelivered: scenario.hasWebhook && random.chance(label, 0.3),
	}));
	return { scenario, actions: [...actions, ...odd].sort((a, b) => a.at - b.at) };
}

/** By `POISONS`. The largest take too long. */
const ODD_KINDS = {
	withId: ['601 levels'],
	withoutId: [
		...(['601 levels', 'no ID', 'an object as ID', 'half a surrogate pair as ID'] as const),
		...(['null', 'a text', 'a list'] as const),
	],
} as const;

function planWithoutStations(random: Random): Plan {
	const r = (least: number, most: number) => random.whole('plan', least, most);
	const chance = (share: number) => random.chance('plan', share);
	const hasPoll = chance(0.75);
	const acknowledge = chance(0.5) ? 'stored' : 'succeeded';
	// Few events, each delivered again and again, in several processes.
	const isRush = chance(0.3);
	const reports = chance(0.85)
		? 'hooks'
		: acknowledge === 'succeeded' || chance(0.7)
			? 'finish'
			: 'nothing';
	const failsToBegin = isRush && random.chance('begin', 0.4);
	const isBusy = failsToBegin && random.chance('begin while busy', 0.5);
	const planned: Scenario = {
		mode: chance(isRush ? 0.8 : 0.4) ? 'queue' : 'regular',
		workers: isRush ? 2 : r(1, 2),
		concurrency: chance(0.4) ? r(1, 3) : Infinity,
		...{ hasPoll, hasWebhook: !hasPoll || isRush || chance(0.75), hasStation: false },
		startFrom: chance(0.8) ? 'now' : 'retained',
		settings: {
			acknowledge,
			batchSize: chance(0.4) ? r(2, 6) : 1,
			wants: chance(0.6) ? 'all' : 'messages',
		},
		pollMinutes: random.pick('plan', [1, 2, 5]),
		reports,
		pollBudgetMs: chance(0.3) ? undefined : random.pick('plan', [45_000, 300_000]),
		timeoutMs: chance(0.3) ? random.spread('plan', 30_000, 600_000) : Infinity,
		failShare: isRush ? 0.4 : chance(0.5) ? 0.3 * random.next('plan') : 0,
		alwaysFails: chance(0.3) ? `e${r(1, 4)}` : undefined,
		// Only the hooks tell of the sleep.
		sleepShare: reports === 'hooks' && chance(0.3) ? 0.2 * random.next('plan') : 0,
		longShare: isRush ? 0.5 : chance(0.5) ? 0.3 * random.next('plan') : 0.03,
		isOldestFirst: chance(0.3),
		hasWholeSeconds: chance(0.5),
		jitterMs: chance(0.5) ? 100 : random.spread('plan', 100, 60_000),
		pageSize: random.pick('plan', [3, 5, 10, 50]),
		serviceAheadMs: chance(0.5) ? 0 : r(-2_000, 2_000),
		wrongUrlShare: chance(0.1) ? 0.3 : 0,
		hangsUpAfterMs: chance(0.7) ? 30_000 : random.pick('plan', [2_000, 8_000, 20_000]),
		slowStoreShare: chance(0.3) ? 0.5 : 0.1,
		quietMs: (chance(0.03) ? 1_100 : 55) * MINUTE_MS,
	};
	// What is handed over then waits for long.
	const scenario: Scenario = isBusy ? { ...planned, workers: 1, concurrency: 1 } : planned;
	const losesAlone = hasPoll && scenario.mode === 'queue' && random.chance('lost', 0.4);
	const rush = { isRush, failsToBegin, isBusy };
	const actions = actionsOf(random, { ...scenario, losesAlone }, rush);
	// To see that there are no more than six attempts takes 15 hours, in which nobody asks for more of them.
	const isFailing = scenario.alwaysFails !== undefined && acknowledge === 'succeeded' && hasPoll;
	const isAsked = actions.some(({ does }) => MORE_ATTEMPTS.has(does));
	const isLong = isFailing && !isAsked;
	const quietMs = isLong ? 1_100 * MINUTE_MS : scenario.quietMs;
	// Short pages end where the poll may stop to read.
	const listed = losesAlone ? { pollMinutes: 1, pageSize: 3 } : {};
	return { scenario: { ...scenario, ...listed, losesAlone, quietMs }, actions };
}

/** `isRush`: few events come again and again. `failsToBegin`: an execution cannot. `isBusy`: others run for long then. */
interface Rush {
	readonly isRush: boolean;
	readonly failsToBegin: boolean;
	readonly isBusy: boolean;
}

function actionsOf(random: Random, scenario: Scenario, rush: Rush): Action[] {
	const { isRush, failsToBegin, isBusy } = rush;
	const { hasWebhook } = scenario;
	const r = (least: number, most: number) => random.whole('actions', least, most);
	const spread = (least: number, most: number) => random.spread('actions', least, most);
	const chance = (share: number) => random.chance('actions', share);
	const lengthMs = (chance(0.5) ? r(2, 8) : r(5, 45)) * MINUTE_MS;
	const filters = otherFilters(random, lengthMs);
	const actions = filters.length > 0 ? filters : disturbances(random, lengthMs);
	const times = actions.map(endOf);
	const atOnce = chance(0.25) ? 0.9 : 0.4;
	const events = isRush ? r(2, 6) : spread(4, 40);
	const lateShare = chance(0.3) ? 0.3 : 0.02;
	const missingShare = chance(0.5) ? 0.4 : 0.05;
	const timelessShare = chance(0.15) ? 0.3 : 0;
	let at = 0;
	for (let n = 1; n <= events; n += 1) {
		const near = times[r(0, times.length - 1)];
		// Often several at once, and often when something else happens.
		if (chance(atOnce)) at += r(0, 300);
		else if (near !== undefined && chance(0.4)) at = Math.max(0, near + r(-5_000, 5_000));
		else at = r(0, lengthMs);
		actions.push({
			...{ at, does: 'event', id: `e${n}` },
			type: chance(0.7) ? 'ocpp.message' : 'asset.connectivity',
			hasTime: !chance(timelessShare),
			listedAfterMs: chance(lateShare) ? spread(1_000, 20 * MINUTE_MS) : r(0, 500),
			isDelivered: hasWebhook && !chance(missingShare),
			duplicates:
				hasWebhook && (isRush || chance(0.3))
					? Array.from({ length: isRush ? r(4, 16) : r(1, 3) }, () =>
							spread(1, (isRush ? 8 : 30) * MINUTE_MS),
						)
					: [],
		});
	}
	const { acknowledge } = scenario.settings;
	// Something runs for long then, and its senders come back.
	if (isRush && acknowledge === 'succeeded' && random.chance('busy', 0.5)) {
		const forMs = 4 * MINUTE_MS;
		actions.push({ at: random.whole('busy', 0, lengthMs), does: 'terminateBusy', forMs });
	}
	if (scenario.losesAlone === true) actions.push(...lostAlone(random, actions));
	if (failsToBegin) actions.push(...failedBegin(random, lengthMs, isBusy));
	return actions.sort((a, b) => a.at - b.at);
}

/** n8n loses executions of events that are delivered only once: nobody but a poll starts these again. */
function lostAlone(random: Random, actions: readonly Action[]): Action[] {
	const delivered = actions.filter(
		(action) => action.does === 'event' && action.isDelivered && action.duplicates.length === 0,
	);
	if (delivered.length === 0) return [];
	return Array.from({ length: 3 }, () => {
		const event = delivered[random.whole('lost', 0, delivered.length - 1)];
		return { at: event?.at ?? 0, does: 'lostJobs', forMs: 40 * SECOND_MS };
	});
}

/**
 * The ledger fails before an execution begins, for longer than that waits, and senders come back while it does and after. If n8n is
 * busy with others then, the execution of the first who comes back waits, and the next ones come a minute later.
 */
function failedBegin(random: Random, lengthMs: number, isBusy: boolean): Action[] {
	const r = (least: number, most: number) => random.whole('begin', least, most);
	const at = r(0, lengthMs / 2);
	const does = random.pick('begin', ['locked', 'syncFails', 'syncFails'] as const);
	const forMs = r(40, 90) * SECOND_MS;
	const sent = Array.from({ length: 16 }, (): Action => {
		const aim = { what: 'stored', ms: r(30 * SECOND_MS, forMs + 2 * MINUTE_MS) } as const;
		return { at, does: 'redeliver', which: r(0, 1_000), aim };
	});
	const again = (ms: number): Action => {
		const aim = { what: 'stored', ms: forMs + ms * SECOND_MS } as const;
		return { at, does: 'redeliver', which: 'aimed', aim };
	};
	const busy = [1, 2, 3].map((n): Action => {
		const aim = { what: 'stored', ms: forMs + r(3, 9) * SECOND_MS } as const;
		const event = { does: 'event', id: `busy${n}`, type: 'ocpp.message', hasTime: true } as const;
		return { at, ...event, listedAfterMs: 0, isDelivered: true, duplicates: [], aim };
	});
	const back = [r(12, 30), r(30, 55), r(64, 80), r(80, 100), r(100, 120)].map(again);
	const first = { at, does, forMs, aim: { what: 'stored', ms: 1 } } as const;
	return [first, ...sent, ...(isBusy ? [...busy, ...back] : [])];
}

/** Sometimes the workflow wants fewer events for some polls, and then all again, and nothing else happens. */
function otherFilters(random: Random, lengthMs: number): Action[] {
	if (!random.chance('filters', 0.05)) return [];
	const at = random.whole('filters', 0, lengthMs);
	const forMs = random.whole('filters', 5, 20) * MINUTE_MS;
	return [
		{ at, does: 'narrow' },
		{ at: at + forMs, does: 'widen' },
	];
}

/** When it is over. */
function endOf(action: Action): number {
	return action.at + ('forMs' in action ? action.forMs : 'downMs' in action ? action.downMs : 0);
}

export function disturbances(random: Random, lengthMs: number): Action[] {
	const r = (least: number, most: number) => random.whole('actions', least, most);
	const chance = (share: number) => random.chance('actions', share);
	const actions: Action[] = [];
	for (const does of DISTURBANCES.filter(() => chance(0.25))) {
		for (let n = random.spread('actions', 1, 4); n > 0; n -= 1) {
			const at = r(0, lengthMs);
			const action = disturbance(does, { at, which: r(0, 1_000), random, n });
			const aim = {
				what: random.pick('actions', AIMS),
				ms: random.spread('actions', 1, 5_000),
			};
			const isAimed = AIMED.has(does) && chance(0.5);
			// While n8n stores an execution, only the ledger knows of it.
			if (does === 'loseLedger' && random.chance('storing', 0.4)) {
				const ms = random.whole('storing', 5, 40) * SECOND_MS;
				const claimed = { what: 'entry', ms: random.spread('storing', 1, SECOND_MS) } as const;
				actions.push({ at, does: 'heldStore', ms }, { ...action, aim: claimed });
			} else actions.push(isAimed ? { ...action, aim } : action);
			// What goes wrong seldom goes wrong by itself.
			if (ENDING.has(does) && chance(0.3)) {
				const forMs = random.spread('actions', 5 * SECOND_MS, 2 * MINUTE_MS);
				const fault = random.pick('actions', [
					'locked',
					'broken',
					'syncFails',
					'notStored',
				] as const);
				actions.push({ at: at + r(0, 15 * SECOND_MS), does: fault, forMs });
			}
			// Senders come back when the ledger does.
			if (LEDGER_FAULTS.has(does) && chance(0.5)) {
				for (let more = r(1, 6); more > 0; more -= 1)
					actions.push({
						...{ at: endOf(action) + r(0, 2_000), does: 'redeliver' },
						which: r(0, 1_000),
					});
			}
		}
	}
	return actions;
}

function disturbance(
	does: (typeof DISTURBANCES)[number],
	{ at, which, random, n }: { at: number; which: number; random: Random; n: number },
): Action {
	const forMs = random.spread('actions', SECOND_MS, 4 * MINUTE_MS);
	switch (does) {
		case 'kill':
		case 'terminate':
			return { at, does, which, downMs: random.spread('actions', SECOND_MS, 5 * MINUTE_MS) };
		case 'pause':
			return { at, does, which, forMs };
		case 'stop':
		case 'retry':
		case 'redeliver':
			return { at, does, which };
		case 'forge':
			return { at, does, id: `forged${n}` };
		case 'replay':
			return {
				at,
				does,
				which: Array.from({ length: random.whole('actions', 1, 4) }, () =>
					random.whole('actions', 0, 1_000),
				),
			};
		case 'loseLedger':
		case 'restoreLedger':
		case 'powerCut':
		case 'secondMain':
		case 'restoreDatabase':
		case 'reconcile':
		case 'acknowledge':
		case 'widen':
		case 'narrow':
			return { at, does };
		default:
			return { at, does, forMs };
	}
}
