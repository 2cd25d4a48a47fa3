/**
 * How long connectors and stations were up in a period. Each moment counts once, as the first of these that holds:
 *
 * - excluded: planned maintenance and the like
 * - offline, faulted, unavailable: down, because of the station, the EVSE or the connector
 * - unknown: the connector has not reported a status so far
 * - up
 *
 * A station is down if it is offline or down as a whole, or if all of its connectors are; excluded if all of them are.
 */
import { flatMapped, inSteps, type Steps } from '../../shared/steps';
import type { Owner } from '../common/incident';
import { MINUTE_MS, type StationSettings } from '../common/settings';
import { stretchesOf } from '../decide/parts';
import type { ConnectionSettings } from '../facts';
import { evseOf } from '../facts/values';
import { type Run, runsOfAll } from '../fold/timeline';
import type { Past, StationFacts } from './read';
import { merged, type Span, sweep } from './spans';
import { pastMoment, spellingsOf, stateOf } from './state';

export interface Exclusion extends Span {
	/** Every station if it is undefined, */
	readonly assetId: string | undefined;
	/** and every connector of the station. */
	readonly connector: string | undefined;
}

export interface UptimeQuestion {
	readonly per: 'connector' | 'station';
	readonly countUnavailable: boolean;
	readonly unknownAs: 'leftOut' | 'up' | 'down';
	readonly exclusions: readonly Exclusion[];
	readonly words: ConnectionSettings;
	/** Of the period: an item for each. */
	readonly parts: readonly Span[];
}

const STATION = '0';

/** Sets of moments, as merged spans. */
interface Layers {
	readonly excluded: readonly Span[];
	readonly offline: readonly Span[];
	readonly faulted: readonly Span[];
	readonly unavailable: readonly Span[];
	readonly known: readonly Span[];
}

type UptimeCause = 'excluded' | 'offline' | 'faulted' | 'unavailable' | 'unknown' | 'up';

const NEITHER: Owner = { workflowId: '', nodeId: '' };
const NO_FACTS: StationFacts = {
	...{ connections: [], states: [], sessions: [], signs: { times: [], ids: [] } },
};

/** One item per part of the period and connector, without the station; the connector is null if none is known. */
export function* uptimeOf(
	[assetId, facts = NO_FACTS]: readonly [string, StationFacts | undefined],
	past: Pick<Past, 'from' | 'to' | 'serviceNow'>,
	question: UptimeQuestion,
): Steps<Record<string, unknown>[]> {
	const { per, parts } = question;
	const { connectors, of } = yield* layersOf(assetId, facts, past, question);
	const named = per === 'station' || connectors.length === 0 ? [null] : connectors;
	const items: Record<string, unknown>[] = [];
	for (const connector of named) {
		const own = yield* of(connector ?? undefined);
		const others: Layers[] = [];
		for (const other of connector === null ? connectors : []) others.push(yield* of(other));
		for (const part of parts) {
			const moments = connector === null ? ofStation(own, others, part) : ofConnector(own, part);
			items.push(itemOf(connector, part, yield* tallied(moments, question)));
			yield;
		}
	}
	return items;
}

function* layersOf(
	assetId: string,
	facts: StationFacts,
	{ to, serviceNow }: Pick<Past, 'from' | 'to' | 'serviceNow'>,
	{ words, countUnavailable, exclusions }: UptimeQuestion,
): Steps<{ connectors: string[]; of: (connector: string | undefined) => Steps<Layers> }> {
	const settingsFor = (part: Partial<StationSettings>): StationSettings => ({
		...{ ...words, kind: 'stationOffline', forMs: 0, resolveAfterMs: 0, statuses: [] },
		...{ scope: 'connector', times: 1, withinMs: 0, reportResolved: true, catchUpMs: 0 },
		...part,
	});
	const offlineSettings = settingsFor({});
	const outages = yield* stretchesOf(
		yield* stateOf(facts, offlineSettings, to),
		pastMoment(NEITHER, offlineSettings, Math.max(to, serviceNow)),
	);
	const faults = yield* stateOf(facts, settingsFor({ kind: 'connectorFault' }), to);
	const unavailable = countUnavailable ? yield* spellingsOf(facts, 'unavailable') : [];
	const statuses = yield* stateOf(
		facts,
		settingsFor({ kind: 'connectorStatus', statuses: unavailable }),
		to,
	);
	const offline = yield* spansOf(outages);
	const faultRuns = yield* runsOfAll(faults.lines, Infinity);
	const unavailableRuns = yield* runsOfAll(statuses.lines, Infinity);

	/** When each connector first said something of its state. */
	const knownFrom = new Map<string, number>();
	for (const [name, { reports }] of Object.entries(faults.lines ?? {})) {
		const first = new Map<string, number>();
		yield* inSteps(reports, ({ of = name, t }) => {
			if (!first.has(of)) first.set(of, t);
		});
		const ofEvse = first.get(name) ?? Infinity;
		// An EVSE that has connectors is none itself.
		if (first.size > 1) first.delete(name);
		// What it said of itself, or of its only connector without its number, counts for an only connector.
		for (const [place, t] of first) {
			if (place !== STATION) knownFrom.set(place, first.size > 1 ? t : Math.min(t, ofEvse));
		}
	}
	const connectors = [...knownFrom.keys()].sort((a, b) =>
		a.localeCompare(b, 'en', { numeric: true }),
	);
	const of = function* (connector: string | undefined): Steps<Layers> {
		const places = connector === undefined ? [STATION] : [STATION, connector, evseOf(connector)];
		// Another connector of its EVSE is down only since the EVSE is.
		const sinceHere = (run: Run) =>
			Math.min(...places.map((place) => run.places.get(place) ?? Infinity));
		const since = connector === undefined ? undefined : knownFrom.get(connector);
		const excluded = exclusions.filter(
			(one) =>
				(one.assetId ?? assetId) === assetId &&
				(one.connector === undefined ||
					one.connector === connector ||
					one.connector === evseOf(connector ?? '')),
		);
		return {
			excluded: yield* merged(excluded),
			offline,
			faulted: yield* spansOf(faultRuns, sinceHere),
			unavailable: yield* spansOf(unavailableRuns, sinceHere),
			known: since === undefined ? [] : [{ from: since, to: Infinity }],
		};
	};
	return { connectors, of };
}

function* spansOf(
	runs: readonly Run[],
	sinceOf: (run: Run) => number = ({ since }) => since,
): Steps<Span[]> {
	const spans = yield* flatMapped(runs, (run) => {
		const from = sinceOf(run);
		return from === Infinity ? [] : [{ from, to: run.until ?? Infinity }];
	});
	return yield* merged(spans);
}

interface Moments extends Span {
	readonly cause: UptimeCause;
}

const layersIn = ({ excluded, offline, faulted, unavailable, known }: Layers) => [
	...[excluded, offline, faulted, unavailable, known],
];

function causeOf([
	excluded,
	offline,
	faulted,
	unavailable,
	known,
]: readonly boolean[]): UptimeCause {
	if (excluded) return 'excluded';
	if (offline) return 'offline';
	if (faulted) return 'faulted';
	if (unavailable) return 'unavailable';
	return known ? 'up' : 'unknown';
}

function* ofConnector(layers: Layers, part: Span): Generator<Moments> {
	for (const { from, to, isIn } of sweep(layersIn(layers), part)) {
		yield { from, to, cause: causeOf(isIn) };
	}
}

const LAYERS = 5;

function* ofStation(
	station: Layers,
	connectors: readonly Layers[],
	part: Span,
): Generator<Moments> {
	const layers = [station, ...connectors].flatMap(layersIn);
	for (const { from, to, isIn } of sweep(layers, part)) {
		const own = causeOf(isIn.slice(0, LAYERS));
		const others = connectors.map((_one, n) =>
			causeOf(isIn.slice((n + 1) * LAYERS, (n + 2) * LAYERS)),
		);
		const isLeftOut = others.length > 0 && others.every((cause) => cause === 'excluded');
		const cause = isLeftOut ? 'excluded' : own === 'unknown' ? causeOfAll(others) : own;
		yield { from, to, cause };
	}
}

/** Of the connectors of a station that is not down as a whole. */
function causeOfAll(causes: readonly UptimeCause[]): UptimeCause {
	const found = (['up', 'unknown', 'faulted', 'unavailable'] as const).find((cause) =>
		causes.includes(cause),
	);
	return found ?? 'unknown';
}

interface Tally {
	readonly ms: Record<UptimeCause, number>;
	readonly percent: number | null;
	readonly outages: number;
	readonly longestMs: number;
}

function* tallied(moments: Iterable<Moments>, { unknownAs }: UptimeQuestion): Steps<Tally> {
	const ms = { excluded: 0, offline: 0, faulted: 0, unavailable: 0, unknown: 0, up: 0 };
	let [outages, longestMs, downSince, downUntil] = [0, 0, 0, -1];
	yield* inSteps(moments, ({ from, to, cause }) => {
		ms[cause] += to - from;
		if (cause === 'up' || cause === 'unknown' || cause === 'excluded') return;
		if (from !== downUntil) [outages, downSince] = [outages + 1, from];
		downUntil = to;
		longestMs = Math.max(longestMs, to - downSince);
	});
	const downMs = ms.offline + ms.faulted + ms.unavailable;
	const up = ms.up + (unknownAs === 'up' ? ms.unknown : 0);
	const down = downMs + (unknownAs === 'down' ? ms.unknown : 0);
	// Rounded down: 96.9999 is not yet 97.
	const percent = up + down === 0 ? null : Math.floor((up * 100_000) / (up + down)) / 1000;
	return { ms, percent, outages, longestMs };
}

function itemOf(
	connector: string | null,
	{ from, to }: Span,
	{ ms, percent, outages, longestMs }: Tally,
): Record<string, unknown> {
	const { up, offline, faulted, unavailable, unknown, excluded } = wholeMinutes(ms);
	return {
		connector,
		from: new Date(from).toISOString(),
		to: new Date(to).toISOString(),
		uptimePercent: percent,
		upMinutes: up,
		downMinutes: offline + faulted + unavailable,
		offlineMinutes: offline,
		faultedMinutes: faulted,
		unavailableMinutes: unavailable,
		unknownMinutes: unknown,
		excludedMinutes: excluded,
		outages,
		longestOutageMinutes: Math.floor(longestMs / MINUTE_MS),
	};
}

/** Whole minutes that add up to the period: the largest remainders are rounded up, and never the time up. */
function wholeMinutes(ms: Readonly<Record<UptimeCause, number>>): Record<UptimeCause, number> {
	const causes = Object.keys(ms) as UptimeCause[];
	const minutes = { ...ms };
	for (const cause of causes) minutes[cause] = Math.floor(ms[cause] / MINUTE_MS);
	const total = causes.reduce((sum, cause) => sum + ms[cause], 0);
	let left = Math.floor(total / MINUTE_MS) - causes.reduce((sum, cause) => sum + minutes[cause], 0);
	const rest = (cause: UptimeCause) => ms[cause] % MINUTE_MS;
	const ranked = causes.filter((cause) => cause !== 'up').sort((a, b) => rest(b) - rest(a));
	for (const cause of ranked) {
		if (left <= 0 || rest(cause) === 0) break;
		minutes[cause] += 1;
		left -= 1;
	}
	minutes.up += left;
	return minutes;
}
