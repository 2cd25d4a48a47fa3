/** Questions about a period that has passed, over all stations, in steps that leave the event loop free. */
import { setImmediate } from 'node:timers/promises';
import type { ApiRecord } from '../service';
import type { Owner } from './common/incident';
import type { StationSettings } from './common/settings';
import type { Entry } from './common/state';
import type { Directory } from './directory';
import type { StationFacts } from './past/facts';
import { incidentsOf, type PastIncident } from './past/incidents';
import type { Past } from './past/read';
import { sessionsOf } from './past/sessions';
import { statusOf } from './past/status';
import { uptimeOf, type UptimeQuestion } from './past/uptime';

/** What all questions are asked with. */
export interface Asked {
	readonly past: Past;
	readonly directory: Directory;
	readonly owner: Owner;
	/** Undefined for all stations. */
	readonly assetIds: ReadonlySet<string> | undefined;
	/** Called between steps: throws if nobody waits for the result any more. */
	readonly check?: () => void;
}

/** As long as one step works, in milliseconds. */
const STEP_MS = 10;

/** One item per incident, oldest first. */
export async function pastIncidents(asked: Asked, settings: StationSettings): Promise<ApiRecord[]> {
	const found = await incidentsIn(asked, settings);
	return found.map(({ assetId, item }) => ({
		station: asked.directory.fieldsOf(assetId),
		...item,
	}));
}

/** Oldest first. */
export async function incidentsIn(
	asked: Asked,
	settings: StationSettings,
): Promise<PastIncident[]> {
	const found = await ofEach(asked, readStations(asked), (station) =>
		incidentsOf(station, asked.past, settings, asked.owner),
	);
	return found.sort((a, b) => a.since - b.since);
}

/** One item per session, in the order in which they ended; those that have not come last. */
export async function pastSessions(
	asked: Asked,
	settings: StationSettings,
	includeOpen: boolean,
): Promise<ApiRecord[]> {
	const found = await sessionsIn(asked, settings, includeOpen);
	return found.map(({ assetId, item }) => ({
		station: asked.directory.fieldsOf(assetId),
		...item,
	}));
}

export async function sessionsIn(
	asked: Asked,
	settings: StationSettings,
	includeOpen: boolean,
): Promise<Entry[]> {
	const { past, owner } = asked;
	const found = await ofEach(asked, readStations(asked), (station) =>
		sessionsOf(station, past, settings, { owner, includeOpen }),
	);
	const isOpen = ({ item }: Entry) => Number(item['state'] === 'open');
	return found.sort((a, b) => isOpen(a) - isOpen(b) || a.t - b.t);
}

/** One item per connector, or per station, and part of the period; also for listed stations of which nothing was read. */
export async function pastUptime(asked: Asked, question: UptimeQuestion): Promise<ApiRecord[]> {
	const { directory, past } = asked;
	return await ofEach(asked, allStations(asked), (station) =>
		uptimeOf(station, past, question).map((item) => ({
			...{ station: directory.fieldsOf(station[0]), ...item },
		})),
	);
}

/** One item per station, also for listed ones of which nothing was read. */
export async function stationStatus(
	asked: Asked,
	words: UptimeQuestion['words'],
): Promise<ApiRecord[]> {
	const { directory, past, owner } = asked;
	return await ofEach(asked, allStations(asked), (station) => [
		{ station: directory.fieldsOf(station[0]), ...statusOf(station, past, { owner, words }) },
	]);
}

type Station = readonly [assetId: string, facts: StationFacts];

/** Those of which something was read. */
function readStations({ past, assetIds }: Asked): Station[] {
	const all = [...past.facts.stations];
	return assetIds === undefined ? all : all.filter(([assetId]) => assetIds.has(assetId));
}

/** By name. */
function allStations(asked: Asked): (readonly [string, StationFacts | undefined])[] {
	const { past, directory, assetIds } = asked;
	const { stations } = past.facts;
	const listed = directory.assetIds.filter((assetId) => isStation(directory.fieldsOf(assetId)));
	const ids = assetIds ?? new Set([...listed, ...stations.keys()]);
	const named = [...ids].map((assetId) => ({
		assetId,
		name: String(directory.fieldsOf(assetId)['name']),
	}));
	const { compare } = new Intl.Collator('en', { numeric: true });
	return named
		.sort((a, b) => compare(a.name, b.name))
		.map(({ assetId }) => [assetId, stations.get(assetId)] as const);
}

/** An asset without a type is taken for one. */
function isStation({ type }: Readonly<Record<string, unknown>>): boolean {
	return typeof type !== 'string' || /station|charge/i.test(type);
}

async function ofEach<S, T>(
	{ check }: Asked,
	stations: readonly S[],
	answer: (station: S) => readonly T[],
): Promise<T[]> {
	const found: T[] = [];
	let since = performance.now();
	for (const station of stations) {
		for (const one of answer(station)) found.push(one);
		if (performance.now() - since < STEP_MS) continue;
		await setImmediate();
		check?.();
		since = performance.now();
	}
	return found;
}
