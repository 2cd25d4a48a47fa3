/** Questions about a period that has passed, over all stations; also what a published trigger has reported in it. */
import { readSaved } from '../../follow';
import type { Records } from '../../ledger';
import type { ApiClient, ApiRecord } from '../../service';
import { textOf } from '../../shared/values';
import { type Directory, isStation } from '../common/directory';
import { headOf, headFormat } from '../common/head';
import type { Owner } from '../common/incident';
import { DAY_MS, HOUR_MS, type StationSettings } from '../common/settings';
import type { ReportEntry } from '../common/state';
import type { PastIncident } from './incidents';
import { type Past, readPast, WANTS_OF } from './read';
import { STATION_STATUSES } from './status';
import { decide } from './thread';
import type { OutageQuestion, UptimeQuestion } from './uptime';
import type { Question, ToDecide } from './worker';

/** What all questions are asked with. */
export interface Asked extends AskedFacts {
	readonly directory: Directory;
}

interface AskedFacts {
	readonly past: Past;
	readonly owner: Owner;
	/** Undefined for all stations. */
	readonly assetIds: ReadonlySet<string> | undefined;
	/** Aborted if nobody waits for the result any more. */
	readonly signal?: AbortSignal | undefined;
}

/** One item per incident, oldest first. */
export async function pastIncidents(asked: Asked, settings: StationSettings): Promise<ApiRecord[]> {
	return named(asked, await incidentsIn(asked, settings));
}

/** Oldest first. */
export async function incidentsIn(
	asked: AskedFacts,
	settings: StationSettings,
): Promise<PastIncident[]> {
	const { owner } = asked;
	const found = await decided<PastIncident>(asked, { about: 'incidents', settings, owner });
	return found.sort((a, b) => a.since - b.since);
}

/** One item per session, in the order in which they ended; those that have not come last. */
export async function pastSessions(
	asked: Asked,
	settings: StationSettings,
	includeOpen: boolean,
): Promise<ApiRecord[]> {
	return named(asked, await sessionsIn(asked, settings, includeOpen));
}

const named = (
	{ directory }: Asked,
	found: readonly Pick<ReportEntry, 'assetId' | 'item'>[],
): ApiRecord[] =>
	found.map(({ assetId, item }) => ({ station: directory.fieldsOf(assetId), ...item }));

export async function sessionsIn(
	asked: AskedFacts & Partial<Pick<Asked, 'directory'>>,
	settings: StationSettings,
	includeOpen: boolean,
): Promise<ReportEntry[]> {
	const { owner } = asked;
	const question = { about: 'sessions', settings, owner, includeOpen } as const;
	const found = await decided<ReportEntry>(asked, question);
	const isOpen = ({ item }: ReportEntry) => Number(item['state'] === 'open');
	return found.sort((a, b) => isOpen(a) - isOpen(b) || a.t - b.t);
}

/** Of the stations of which something was read. */
async function decided<T>(
	asked: AskedFacts & Partial<Pick<Asked, 'directory'>>,
	question: Question,
): Promise<T[]> {
	const { past, assetIds, directory, signal } = asked;
	const stations = [...past.facts.stations]
		.filter(([assetId]) => assetIds?.has(assetId) !== false)
		.map(([assetId]) => stationIn(past, directory, assetId));
	const all: T[] = [];
	const onItems = (_station: number, items: readonly T[]) => {
		for (const item of items) all.push(item);
	};
	await decide({ ...pieceOf(past), question, stations }, { signal, onItems });
	return all;
}

function stationIn(
	past: Past,
	directory: Directory | undefined,
	assetId: string,
	isOnlyHeard = true,
): ToDecide {
	return {
		assetId,
		log: past.facts.stations.get(assetId) ?? [],
		known: {
			listed: directory?.stationOf(assetId),
			// Of a list that could not be read, nothing is known.
			isRemoved: directory?.listing?.has(assetId) === false,
		},
		limits: directory?.limitsOf(assetId),
		isOnlyHeard,
	};
}

/** What crosses: not the facts of all. */
const pieceOf = ({ facts: _facts, events: _events, seen, ...period }: Past) => ({ seen, period });

/** One item per connector, port or station, and part of the period; also for listed stations of which nothing was read. */
export async function pastUptime(asked: Asked, question: UptimeQuestion): Promise<ApiRecord[]> {
	const { onFit: _fit, onRemoved: _removed, ...plain } = question;
	return await ofPlaces(asked, { about: 'uptime', question: plain }, question);
}

/** One item per time down of a connector, port or station. */
export async function pastOutages(asked: Asked, question: OutageQuestion): Promise<ApiRecord[]> {
	const { onFit: _fit, onRemoved: _removed, ...plain } = question;
	return await ofPlaces(asked, { about: 'outages', question: plain }, question);
}

async function ofPlaces(
	asked: Asked,
	question: Question,
	{ onFit, onRemoved }: Pick<OutageQuestion, 'onFit' | 'onRemoved'> = {},
): Promise<ApiRecord[]> {
	const { past, directory, assetIds, signal } = asked;
	const named = allStations(asked);
	const stations = named.map(({ assetId, fields }) => {
		const isAskedFor = assetIds !== undefined || directory.stationOf(assetId) !== undefined;
		return stationIn(past, directory, assetId, !isStation(fields) || !isAskedFor);
	});
	const found: ApiRecord[] = [];
	const onItems = (n: number, items: readonly ApiRecord[]) => {
		for (const item of items) found.push({ station: named[n]?.fields, ...item });
	};
	const { fitting, removed } = await decide(
		{ ...pieceOf(past), question, stations },
		{ signal, onItems },
	);
	const exclusions = 'question' in question ? question.question.exclusions : [];
	for (const n of new Set(fitting)) {
		const exclusion = exclusions[n];
		if (exclusion !== undefined) onFit?.(exclusion);
	}
	for (const [assetId, at] of removed) onRemoved?.(assetId, at);
	return found;
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
	const { owner } = asked;
	const all = await ofPlaces(asked, { about: 'status', words, owner });
	return all.filter((item) => !onlyProblems || !isWell(item)).sort((a, b) => rankOf(a) - rankOf(b));
}

/** The stations that a trigger watches; undefined for all. */
export function onlyOf({ onlyStations }: StationSettings): ReadonlySet<string> | undefined {
	return onlyStations && new Set(onlyStations);
}

/** By name. */
function allStations({ past, directory, assetIds }: Asked): {
	readonly assetId: string;
	readonly fields: Readonly<Record<string, unknown>>;
}[] {
	const { stations } = past.facts;
	const ids = assetIds ?? new Set([...directory.assetIds, ...stations.keys()]);
	return [...ids]
		.map((assetId) => {
			const fields = directory.fieldsOf(assetId);
			return { fields, name: textOf(fields['name']) ?? assetId, assetId };
		})
		.filter(({ assetId, fields }) => isStation(fields) || stations.has(assetId))
		.sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
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
	/** Aborted if nobody waits for the result any more. */
	readonly signal?: AbortSignal | undefined;
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
	const { client, records, settings, workflowId, nodeId, from, to, hint, signal } = asked;
	const { kind, forMs, resolveAfterMs, withinMs } = settings;
	const { state: head } = await readSaved(records, headOf(asked), headFormat);
	// It has not polled yet.
	if (head === undefined) return [];
	const past = await readPast({
		client,
		from,
		to,
		wants: WANTS_OF[kind],
		words: settings,
		maxEvents: MOST_EVENTS,
		lookBackMs: DAY_MS + forMs + resolveAfterMs + withinMs + HOUR_MS,
		resolveAfterMs,
		hint,
	});
	const question = {
		past,
		assetIds: onlyOf(settings),
		owner: { workflowId, nodeId },
		signal,
	};
	if (kind === 'sessionEnded') {
		const sessions = await sessionsIn(question, settings, false);
		return sessions
			.filter(({ t }) => t > head.publishedAt)
			.map(({ item: { state: _state, ...item }, ...entry }) => ({
				...entry,
				item,
				isWhole: true,
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
