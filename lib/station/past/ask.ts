/** Questions about a period that has passed, over all stations, in steps that leave the event loop free; also what a published trigger has reported in it. */
import { readSaved } from '../../follow';
import type { Records } from '../../ledger';
import type { ApiClient, ApiRecord } from '../../service';
import {
	flatMapped,
	inOneGo,
	inSteps,
	inTurns,
	sortedInSteps,
	type Steps,
} from '../../shared/steps';
import { textOf } from '../../shared/values';
import { type Directory, isStation } from '../common/directory';
import { headOf, headFormat } from '../common/head';
import type { Owner } from '../common/incident';
import { DAY_MS, HOUR_MS, type StationSettings } from '../common/settings';
import type { ReportEntry } from '../common/state';
import type { KnownStation } from './history';
import { incidentsOf, type PastIncident } from './incidents';
import { type Past, readPast, type StationFacts, WANTS_OF } from './read';
import { sessionsOf } from './sessions';
import { STATION_STATUSES, statusOf } from './status';
import { type OutageQuestion, outagesOf, uptimeOf, type UptimeQuestion } from './uptime';

/** What all questions are asked with. */
export interface Asked extends AskedFacts {
	readonly directory: Directory;
}

interface AskedFacts {
	readonly past: Past;
	readonly owner: Owner;
	/** Undefined for all stations. */
	readonly assetIds: ReadonlySet<string> | undefined;
	/** Called between steps: throws if nobody waits for the result any more. */
	readonly check?: () => void;
}

/** One item per incident, oldest first. */
export async function pastIncidents(asked: Asked, settings: StationSettings): Promise<ApiRecord[]> {
	return await named(asked, await incidentsIn(asked, settings));
}

/** Oldest first. */
export async function incidentsIn(
	asked: AskedFacts,
	settings: StationSettings,
): Promise<PastIncident[]> {
	const found = ofEach(readStations(asked), (station) =>
		incidentsOf(station, asked.past, settings, asked.owner),
	);
	return await inTurns(
		sorted(found, (a, b) => a.since - b.since),
		asked.check,
	);
}

/** One item per session, in the order in which they ended; those that have not come last. */
export async function pastSessions(
	asked: Asked,
	settings: StationSettings,
	includeOpen: boolean,
): Promise<ApiRecord[]> {
	return await named(asked, await sessionsIn(asked, settings, includeOpen));
}

async function named(
	{ directory, check }: Asked,
	found: readonly Pick<ReportEntry, 'assetId' | 'item'>[],
): Promise<ApiRecord[]> {
	const items = flatMapped(found, ({ assetId, item }) => [
		{ station: directory.fieldsOf(assetId), ...item },
	]);
	return await inTurns(items, check);
}

export async function sessionsIn(
	asked: AskedFacts & Partial<Pick<Asked, 'directory'>>,
	settings: StationSettings,
	includeOpen: boolean,
): Promise<ReportEntry[]> {
	const { past, owner, directory } = asked;
	const limitOf = directory && { limitOf: directory.limitOf };
	const found = ofEach(readStations(asked), (station) =>
		inOneGo(sessionsOf(station, past, settings, { owner, includeOpen, ...limitOf })),
	);
	const isOpen = ({ item }: ReportEntry) => Number(item['state'] === 'open');
	return await inTurns(
		sorted(found, (a, b) => isOpen(a) - isOpen(b) || a.t - b.t),
		asked.check,
	);
}

/** One item per connector, port or station, and part of the period; also for listed stations of which nothing was read. */
export async function pastUptime(asked: Asked, question: UptimeQuestion): Promise<ApiRecord[]> {
	return await ofPlaces(asked, (station) => uptimeOf(station, asked.past, question));
}

/** One item per time down of a connector, port or station. */
export async function pastOutages(asked: Asked, question: OutageQuestion): Promise<ApiRecord[]> {
	return await ofPlaces(asked, (station) => outagesOf(station, asked.past, question));
}

async function ofPlaces(
	asked: Asked,
	itemsOf: (station: Named['station']) => Record<string, unknown>[],
): Promise<ApiRecord[]> {
	const found = ofEach(allStations(asked), ({ fields, station }) =>
		itemsOf(station).map((item) => ({ station: fields, ...item })),
	);
	return await inTurns(found, asked.check);
}

const STATUS_RANKS: ReadonlyMap<unknown, number> = new Map(
	STATION_STATUSES.map((one, n) => [one, n]),
);
const rankOf = ({ status }: ApiRecord): number => STATUS_RANKS.get(status) ?? 0;
const isWell = ({ status, problems }: ApiRecord): boolean =>
	status === 'ok' && Array.isArray(problems) && problems.length === 0;

/** One item per station, also for listed ones of which nothing was read; the worst first. */
export async function stationStatus(
	asked: Asked,
	words: OutageQuestion['words'],
	onlyProblems = false,
): Promise<ApiRecord[]> {
	const { past, owner, directory } = asked;
	const found = ofEach(allStations(asked), ({ fields, station }) => [
		{ station: fields, ...statusOf(station, past, { owner, words, limitOf: directory.limitOf }) },
	]);
	const all = await inTurns(found, asked.check);
	return all.filter((item) => !onlyProblems || !isWell(item)).sort((a, b) => rankOf(a) - rankOf(b));
}

/** The stations that a trigger watches; undefined for all. */
export function onlyOf({ onlyStations }: StationSettings): ReadonlySet<string> | undefined {
	return onlyStations && new Set(onlyStations);
}

type Station = readonly [assetId: string, facts: StationFacts];

/** Those of which something was read. */
function readStations({ past, assetIds }: AskedFacts): Station[] {
	const all = [...past.facts.stations];
	return assetIds === undefined ? all : all.filter(([assetId]) => assetIds.has(assetId));
}

interface Named {
	readonly fields: Readonly<Record<string, unknown>>;
	readonly station: readonly [
		assetId: string,
		facts: StationFacts | undefined,
		known: KnownStation,
	];
}

/** By name. */
function allStations({ past, directory, assetIds }: Asked): Named[] {
	const { stations } = past.facts;
	const ids = assetIds ?? new Set([...directory.assetIds, ...stations.keys()]);
	return [...ids]
		.map((assetId) => {
			const fields = directory.fieldsOf(assetId);
			return { fields, name: textOf(fields['name']) ?? assetId, assetId };
		})
		.filter(({ assetId, fields }) => isStation(fields) || stations.has(assetId))
		.sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)))
		.map(({ assetId, fields }) => ({
			...{ fields, station: [assetId, stations.get(assetId), knownOf(assetId, directory)] },
		}));
}

/** Of a list that could not be read, nothing is known. */
const knownOf = (assetId: string, { listing, stationOf }: Directory): KnownStation => ({
	listed: stationOf(assetId),
	isRemoved: listing !== undefined && !listing.has(assetId),
});

function* ofEach<S, T>(stations: readonly S[], itemsOf: (station: S) => readonly T[]): Steps<T[]> {
	const found: T[] = [];
	for (const station of stations) {
		yield* inSteps(itemsOf(station), (one) => {
			found.push(one);
		});
		yield;
	}
	return found;
}

function* sorted<T>(work: Steps<readonly T[]>, compare: (a: T, b: T) => number): Steps<T[]> {
	return yield* sortedInSteps(yield* work, compare);
}

interface ReportedQuestion extends Owner {
	readonly client: Pick<ApiClient, 'list'>;
	readonly records: Records;
	/** Those of the published trigger. */
	readonly settings: StationSettings;
	/** In Unix milliseconds; `to` is now by default. */
	readonly from: number;
	readonly to?: number | undefined;
	/** What to do if there are more events than may be read. */
	readonly hint: string;
	/** Called between steps: throws if nobody waits for the result any more. */
	readonly check?: () => void;
}

/** An item of the trigger. */
export interface ReportedEntry extends ReportEntry {
	/** Whether it began in the period: otherwise what was read may show only a part of it. */
	readonly isWhole: boolean;
}

const MOST_EVENTS = 1_000_000;

/**
 * What a published trigger has reported, or was to report, decided again from the list of events: the items about incidents
 * that lasted at some time of the period, and about sessions that ended in it, oldest first. What began before the publication
 * is not reported.
 * @throws the client's error, an error for more events than may be read, and `LedgerUnavailableError`
 */
export async function reportedIn(asked: ReportedQuestion): Promise<ReportedEntry[]> {
	const { client, records, settings, workflowId, nodeId, from, to, hint, check } = asked;
	const { kind, forMs, resolveAfterMs, withinMs } = settings;
	const { state: head } = await readSaved(records, headOf(asked), headFormat);
	// It has not polled yet.
	if (head === undefined) return [];
	const past = await readPast({
		...{ client, from, to, wants: WANTS_OF[kind], words: settings, maxEvents: MOST_EVENTS },
		...{ lookBackMs: DAY_MS + forMs + resolveAfterMs + withinMs + HOUR_MS, resolveAfterMs, hint },
	});
	const question = {
		...{ past, assetIds: onlyOf(settings), owner: { workflowId, nodeId } },
		...(check !== undefined && { check }),
	};
	if (kind === 'sessionEnded') {
		const sessions = await sessionsIn(question, settings, false);
		return sessions
			.filter(({ t }) => t > head.publishedAt)
			.map(({ item: { state: _state, ...item }, ...entry }) => ({
				...{ ...entry, item, isWhole: true },
			}));
	}
	const incidents = await incidentsIn(question, settings);
	const news = incidents.filter(({ since }) => since > head.publishedAt);
	return news.flatMap(({ since, entries }) =>
		entries
			.filter(({ item }) => settings.reportResolved || item['state'] !== 'resolved')
			.map((entry) => ({ ...entry, isWhole: since >= from })),
	);
}
