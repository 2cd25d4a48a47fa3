/** What a seed decides about its station trigger: its settings, its stations, the load of the list, and what goes wrong. */
import type { History } from '../../../simulator/data/field/habits/history';
import type { Kind, StationSettings } from '../../history/history';
import type { Random } from '../random';
import { type Action, disturbances, type Scenario } from '../scenario';
import { SCHEDULED_BUDGET_MS } from '../scheduler';
import { fieldOf, fieldSettingsOf } from './field';
import { storiesOf } from './stories';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** As the specification has it. */
const PAGE_SIZE = 100;
/** A poll may read for half of the time that it has. */
const READING_SHARE = 0.5;

/** Events that say nothing. */
export interface Load {
	readonly everyMs: number;
	readonly pagesPerPoll: number;
	/** The list goes back so far before the start. */
	readonly pastMs: number;
}

/** The world of a station trigger. */
export interface Stations {
	readonly assets: readonly string[];
	/** They send, and the asset list lacks them. */
	readonly unlisted: readonly string[];
	readonly settings: StationSettings;
	/** How long the service takes for a page of its list; undefined for as long as for any other request. */
	readonly pageMs: number | undefined;
	readonly load: Load | undefined;
	/** What truly happens, if the stations behave as in the field. */
	readonly field?: History;
}

interface StationPlan {
	readonly scenario: Scenario;
	readonly actions: readonly Action[];
}

const LABEL = 'stations';

/** What may be done to a workflow that has only a station trigger. */
const FITTING: ReadonlySet<Action['does']> = new Set<Action['does']>([
	...['kill', 'terminate', 'pause', 'locked', 'broken', 'syncFails', 'syncSlow', 'listFails'],
	...['notStored', 'deniedStored', 'lostJobs', 'lostResults', 'notSaved', 'loseLedger'],
	...['restoreLedger', 'powerCut', 'secondMain', 'restoreDatabase', 'stop', 'retry'],
	...['unpublish', 'acknowledge', 'heldStore'],
] as Action['does'][]);

/** Of these, what loses nothing that was known. */
const FITTING_FIELD: ReadonlySet<Action['does']> = new Set(
	[...FITTING].filter(
		(does) =>
			![
				...['loseLedger', 'restoreLedger', 'restoreDatabase', 'powerCut', 'unpublish', 'heldStore'],
			].includes(does),
	),
);
/** Everything is over and reported by then. */
const AFTER_FIELD_MS = 3 * HOUR_MS;

/** The plan of a workflow that has a station trigger too, or only. */
export function withStations(random: Random, plan: StationPlan, epoch: number): StationPlan {
	const isScheduled = random.chance('scheduler', 0.25);
	const scenario = {
		...plan.scenario,
		...(isScheduled && { isScheduled, pollBudgetMs: SCHEDULED_BUDGET_MS }),
	};
	const next = { ...plan, scenario };
	if (scenario.isField === true) return inField(random, next, epoch);
	return random.chance(LABEL, 0.3) ? besides(random, next, epoch) : only(random, next, epoch);
}

function besides(random: Random, plan: StationPlan, epoch: number): StationPlan {
	const { scenario, actions } = plan;
	const lengthMs = Math.max(10 * MINUTE_MS, ...actions.map(({ at }) => at));
	const first = settingsOf(random, 3);
	const changes = changesOf(random, first, lengthMs);
	const all = [first, ...changes.map(({ settings }) => settings)];
	const assets = assetsOf(random, 2);
	const stories = storiesOf({
		...{ random, settings: all, assets, lengthMs, epoch, latestMs: 15 * MINUTE_MS },
		otherShare: 0.1,
		near: changes.map(({ at }) => at),
	});
	return {
		scenario: {
			...scenario,
			...{ hasStation: true, settings: { ...scenario.settings, station: first } },
			quietMs: 55 * MINUTE_MS,
			stations: { assets, unlisted: [], settings: first, pageMs: undefined, load: undefined },
		},
		actions: inOrder([...actions, ...heldPagesOf(random, changes), ...stories.map(asAction)]),
	};
}

function only(random: Random, plan: StationPlan, epoch: number): StationPlan {
	const r = (least: number, most: number) => random.whole(LABEL, least, most);
	const chance = (share: number) => random.chance(LABEL, share);
	const isLoaded = chance(0.4);
	// Long pages for a short time, so that a catch-up takes many polls and few records.
	const pollMinutes = random.pick(LABEL, isLoaded ? ([1, 2] as const) : ([1, 2, 5, 5] as const));
	const { isScheduled } = plan.scenario;
	const isShort = isLoaded && chance(0.7) && isScheduled !== true;
	const pollBudgetMs = isShort ? 45_000 : plan.scenario.pollBudgetMs;
	const scenario = { ...plan.scenario, pollMinutes, pollBudgetMs };
	const lengthMs = Math.round(
		HOUR_MS * Math.min(5, 0.6 + pollMinutes * 0.5) * (0.5 + random.next(LABEL)),
	);
	const first = settingsOf(random, 15);
	const isCalm = chance(0.3);
	const changes = chance(0.35) ? changesOf(random, first, lengthMs) : [];
	const all = [first, ...changes.map(({ settings }) => settings)];
	const assets = assetsOf(random, r(2, 4));
	const load = isLoaded ? loadOf(random, scenario) : undefined;
	const stories = storiesOf({
		...{ random, settings: all, assets, lengthMs, epoch, latestMs: 55 * MINUTE_MS },
		otherShare: 0.2,
		near: changes.map(({ at }) => at),
	});
	const downs = chance(load === undefined ? 0.4 : 0.9) ? downsOf(random, lengthMs, scenario) : [];
	const trouble = isCalm
		? []
		: disturbances(random, lengthMs).filter(({ does }) => FITTING.has(does));
	const slow: Action[] = chance(0.3)
		? [{ at: r(0, lengthMs), does: 'slowPages', forMs: random.spread(LABEL, MINUTE_MS, HOUR_MS) }]
		: [];
	const downMs = downs.reduce((sum, { forMs }) => sum + forMs, 0);
	return {
		scenario: {
			...scenario,
			...{ hasWebhook: false, hasPoll: false, hasStation: true },
			settings: { ...scenario.settings, station: first },
			stations: {
				assets,
				unlisted: chance(0.3) ? assets.slice(-1) : [],
				settings: first,
				pageMs: load?.pageMs,
				load,
			},
			quietMs: quietMsOf(scenario, lengthMs + downMs, load),
		},
		actions: inOrder([
			...stories.map(asAction),
			...heldPagesOf(random, changes),
			...downs,
			...trouble,
			...slow,
		]),
	};
}

/** Nothing of the ledger is lost, and the settings stay: then the truth says what is reported. */
function inField(random: Random, { scenario }: StationPlan, epoch: number): StationPlan {
	const settings = fieldSettingsOf(random);
	const { history, messages } = fieldOf(random, epoch);
	const told = messages.map((message): Action => ({ ...message, does: 'message' }));
	const lengthMs = told.at(-1)?.at ?? 0;
	const isCalm = random.chance(LABEL, 0.3);
	const trouble = isCalm
		? []
		: disturbances(random, lengthMs).filter(({ does }) => FITTING_FIELD.has(does));
	const assets = [...history.habits.keys()];
	return {
		scenario: {
			...scenario,
			...{ hasWebhook: false, hasPoll: false, hasStation: true },
			// The truth is told by the service's clock, to the millisecond.
			...{ serviceAheadMs: 0, hasWholeSeconds: false },
			settings: { ...scenario.settings, station: settings },
			stations: {
				...{ assets, unlisted: [], settings, pageMs: undefined, load: undefined },
				field: history,
			},
			quietMs: AFTER_FIELD_MS,
		},
		actions: inOrder([...told, ...trouble]),
	};
}

/** Enough for the longest catch-up, for what is open, and for lost executions. */
function quietMsOf(
	{ pollMinutes, isScheduled }: Scenario,
	lengthMs: number,
	load: ReturnType<typeof loadOf> | undefined,
): number {
	const least = (30 + 8 * pollMinutes + (isScheduled === true ? 30 : 0)) * MINUTE_MS;
	if (load === undefined) return least;
	const pages = lengthMs / load.everyMs / PAGE_SIZE;
	return least + Math.ceil(pages / 2) * pollMinutes * MINUTE_MS;
}

/** A list that grows as fast as a poll can follow, and some pages to spare for what was missed. */
function loadOf(random: Random, { pollMinutes, pollBudgetMs = Infinity }: Scenario) {
	const pagesPerPoll = random.whole(LABEL, 5, 8);
	const readingMs = READING_SHARE * Math.min(pollMinutes * MINUTE_MS, pollBudgetMs);
	// Of them, a poll needs those of its own interval and of the two minutes before, each begun anew, and two to catch up.
	const perMinute = ((pagesPerPoll - 3) * PAGE_SIZE) / (pollMinutes + 2);
	return {
		pastMs: random.chance(LABEL, 0.12) ? random.whole(LABEL, 2, 4) * HOUR_MS : 0,
		everyMs: Math.ceil(MINUTE_MS / (perMinute * (0.3 + 0.6 * random.next(LABEL)))),
		pagesPerPoll,
		pageMs: Math.floor(readingMs / (pagesPerPoll + 0.9)),
	};
}

type Down = Extract<Action, { does: 'down' }>;

/** n8n is down, and often again as soon as it begins to catch up. */
function downsOf(random: Random, lengthMs: number, { pollMinutes }: Scenario): Down[] {
	const downs: Down[] = [];
	for (let at = random.whole(LABEL, 0, lengthMs); at < lengthMs && downs.length < 4;) {
		const forMs = random.spread(LABEL, 5 * MINUTE_MS, 2 * HOUR_MS);
		downs.push({ at, does: 'down', forMs });
		const pauseMs = random.chance(LABEL, 0.6)
			? random.whole(LABEL, 1, 4) * pollMinutes * MINUTE_MS
			: random.whole(LABEL, 10, 60) * MINUTE_MS;
		at += forMs + pauseMs;
		if (random.chance(LABEL, 0.3)) break;
	}
	return downs;
}

type Change = Extract<Action, { does: 'stationSettings' }>;

/** Some are published while a poll of the version before waits for a page, longer than the first poll of the new one. */
function heldPagesOf(random: Random, changes: readonly Change[]): readonly Action[] {
	return changes.flatMap((change): Action[] => {
		if (!random.chance('slow page', 0.4)) return [change];
		const { at } = change;
		const ms = random.whole('slow page', 5, 40) * SECOND_MS;
		const aim = { what: 'polling', ms: random.spread('slow page', 1, 2_000) } as const;
		return [
			{ at, does: 'heldPage', ms },
			{ ...change, aim },
		];
	});
}

function changesOf(random: Random, first: StationSettings, lengthMs: number): Change[] {
	const changes: Change[] = [];
	let settings = first;
	for (let n = random.whole(LABEL, 1, 2); n > 0; n -= 1) {
		settings = random.chance(LABEL, 0.5)
			? settingsOf(random, 15)
			: { ...settings, ...otherTimesOf(random, settings) };
		const aim = { what: 'page', ms: random.spread(LABEL, 1, 5_000) } as const;
		const action = { at: random.whole(LABEL, 0, lengthMs), does: 'stationSettings' } as const;
		changes.push({ ...action, settings, ...(random.chance(LABEL, 0.5) && { aim }) });
	}
	return changes;
}

/** What changes nothing of what counts as the same incident. */
function otherTimesOf(random: Random, before: StationSettings): Partial<StationSettings> {
	const { forMinutes, resolveAfterMinutes, reportResolved } = settingsOf(random, 15);
	const scope = random.pick(LABEL, ['code', 'connector', 'station'] as const);
	return {
		...{ forMinutes, resolveAfterMinutes, reportResolved },
		...(before.kind === 'connectorFault' && random.chance(LABEL, 0.5) && { scope }),
	};
}

const KINDS = ['stationOffline', 'connectorStatus', 'connectorFault', 'sessionEnded'] as const;
const STATUSES = ['Preparing', 'SuspendedEV', 'Finishing', 'Unavailable', 'Reserved', 'Occupied'];

function settingsOf(random: Random, mostMinutes: number): StationSettings {
	const kind: Kind = random.pick(LABEL, KINDS);
	const times = kind === 'connectorFault' && random.chance(LABEL, 0.4);
	const minutes = () =>
		Math.min(mostMinutes, random.pick(LABEL, [0, 0, 1, 2, 3, 5, 10, 15] as const));
	const statuses = STATUSES.filter(() => random.chance(LABEL, 0.6));
	return {
		kind,
		...{ forMinutes: minutes(), resolveAfterMinutes: minutes() },
		statuses: statuses.length > 0 ? statuses : ['Unavailable'],
		scope: random.pick(LABEL, ['code', 'connector', 'station'] as const),
		times: times ? random.whole(LABEL, 2, 4) : 1,
		withinMinutes: random.pick(LABEL, [10, 30, 60] as const),
		reportResolved: random.chance(LABEL, 0.85),
		catchUpHours: random.pick(LABEL, [8, 24] as const),
	};
}

function assetsOf(random: Random, count: number): string[] {
	const first = random.whole(LABEL, 1, 1_000);
	return Array.from({ length: count }, (_unused, n) => `station-${first + n}`);
}

const asAction = (message: ReturnType<typeof storiesOf>[number], n: number): Action => ({
	...{ ...message, does: 'message', id: `m${n + 1}` },
});

const inOrder = (actions: readonly Action[]) => [...actions].sort((a, b) => a.at - b.at);
