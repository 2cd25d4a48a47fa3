/** What is wrong with a station now, and since when: connection, places, faults, problems, running sessions. */
import { isoOf, minutesOf, type Owner } from '../common/incident';
import type { LimitOf } from '../common/limits';
import {
	byName,
	evseOfAddress,
	isConnector,
	isNumbered,
	placeName,
	STATION,
} from '../common/places';
import type { StationSettings } from '../common/settings';
import type { ConnectionSettings, EventFacts, Fact } from '../facts';
import { componentsOf } from '../fold/components';
import { openingsOf } from '../fold/faults';
import { runsOf } from '../fold/runs';
import { badnessOf } from '../fold/station';
import { overOf, type StateStretch } from '../fold/timeline';
import {
	type ConnectorTimes,
	type KnownStation,
	lastingOf,
	type StationTimes,
	timesOf,
} from './history';
import type { StatusPlace } from './lines';
import type { StationFacts } from './log';
import type { PastPeriod } from './read';
import { runningOf } from './running';
import { merged, type Span, type Spans } from './spans';
import { stateOf } from './state';

interface StatusQuestion {
	readonly owner: Owner;
	readonly words: ConnectionSettings;
	readonly limitOf: LimitOf;
}

/** The worst first. */
export const STATION_STATUSES = [
	...(['offline', 'silent', 'faulted', 'unavailable', 'unknown', 'ok'] as const),
];
type StationStatus = (typeof STATION_STATUSES)[number];

interface PlaceStatus {
	readonly connector: string;
	readonly status: string | null;
	readonly since: number | undefined;
	readonly from: 'events' | 'asset list' | null;
}

/** Without the station. `facts` is undefined if nothing was read of it. */
export function statusOf(
	[assetId, facts, known]: readonly [string, StationFacts | undefined, KnownStation],
	past: PastPeriod,
	question: StatusQuestion,
): Record<string, unknown> {
	const { serviceNow: now } = past;
	const settings = settingsFor(question, 'sessionEnded');
	const minutesSince = (since: number | undefined) =>
		since === undefined ? null : minutesOf(now - since);
	const times = timesOf(facts, past, { ...known, isRemoved: false });
	const offlineSince = times.outages.findLast(
		({ until, isVoid }) => until === undefined && isVoid !== true,
	)?.since;
	const lastSeen = lastSignOf(facts, times);
	const places = placesAt(times, now);
	const { faults, problems } = openOf(facts, { times, places, past }, question);
	const [status, since] = wordOf(times, { now, places, faults, offlineSince, lastSeen });
	const isConnected = offlineSince === undefined && lastSeen !== undefined && status !== 'silent';
	return {
		status,
		since: isoOf(since),
		minutes: minutesSince(since),
		connected: offlineSince !== undefined ? false : isConnected ? true : null,
		connectors: places.map((one) => ({
			connector: one.connector,
			status: one.status,
			since: isoOf(one.since),
			minutes: minutesSince(one.since),
			from: one.from,
		})),
		faults: faults.map(({ since: from, ...fault }) => ({
			...fault,
			since: isoOf(from),
			minutes: minutesSince(from),
		})),
		problems: problems.map(({ since: from, ...problem }) => ({
			...problem,
			since: isoOf(from),
			minutes: minutesSince(from),
		})),
		sessions: facts ? runningOf([assetId, facts], { times, past }, { ...question, settings }) : [],
		lastSeenAt: isoOf(lastSeen),
	};
}

interface StatusBasis {
	readonly now: number;
	readonly places: readonly PlaceStatus[];
	readonly faults: readonly { readonly since: number }[];
	readonly offlineSince: number | undefined;
	readonly lastSeen: number | undefined;
}

function wordOf(
	{ silent, heard }: StationTimes,
	{ now, places, faults, offlineSince, lastSeen }: StatusBasis,
): readonly [StationStatus, number | undefined] {
	if (offlineSince !== undefined) return ['offline', offlineSince];
	if (lastsAt(silent, now)) return ['silent', heard?.to];
	// That its places were all right once says nothing of a station that says nothing.
	if (lastSeen === undefined) return ['unknown', undefined];
	if (faults.length > 0) return ['faulted', Math.min(...faults.map(({ since }) => since))];
	const unavailable = places.flatMap(({ status, since = now }) =>
		status?.toLowerCase() === 'unavailable' ? [since] : [],
	);
	if (unavailable.length > 0) return ['unavailable', Math.min(...unavailable)];
	const isKnown = places.some(({ connector, status }) => connector !== STATION && status !== null);
	return [isKnown ? 'ok' : 'unknown', undefined];
}

const isIn = ({ from, to }: Span, at: number): boolean => from <= at && at < to;

/** Whether one of them is in force. They are sorted. */
const lastsAt = (spans: Spans, at: number): boolean => (spans.begunBy(at)?.to ?? -Infinity) > at;

/** When the station last sent something, or was connected. */
function lastSignOf(
	facts: StationFacts | undefined,
	{ outages }: StationTimes,
): number | undefined {
	let last = -Infinity;
	for (const at of facts?.signs.times ?? []) last = Math.max(last, at);
	for (const { at, facts: said } of facts?.connections ?? []) {
		const isSign = said.some((fact) => fact.about === 'connection' && fact.isConnected);
		if (isSign) last = Math.max(last, at);
	}
	return last > -Infinity ? last : outages.at(-1)?.since;
}

/** Each place that is known: the station and EVSEs if they say something of themselves, and connectors with all that is above them. */
function placesAt({ places, connectors }: StationTimes, now: number): PlaceStatus[] {
	const ofConnectors = connectors
		.filter(({ exists }) => isIn(exists, now))
		.map((one) => placeAt(one, now));
	const named = new Set(ofConnectors.map(({ connector }) => connector));
	const byPlace = Map.groupBy(places, ({ address }) => placeAbove(address));
	const above = [...byPlace].flatMap(([place, components]) =>
		place === undefined || isOne(place, named) ? [] : ownPlace(place, components),
	);
	return [...ofConnectors, ...above].sort((a, b) => byName(a.connector, b.connector));
}

/** The place above connectors that a component is at; undefined for a connector. One without a number that was the only one has its reports there. */
function placeAbove(address: string): string | undefined {
	if (isConnector(address)) return undefined;
	const evse = evseOfAddress(address);
	return evse === undefined || !isNumbered(evse) ? STATION : evse;
}

/** Each state of a place lasts since the worse ones are over. */
function placeAt({ name, isByList, ...times }: ConnectorTimes, now: number): PlaceStatus {
	const from = isByList ? 'asset list' : 'events';
	let over = -Infinity;
	for (const [status, spans] of [
		['Faulted', times.faulted],
		['Unavailable', times.unavailable],
	] as const) {
		const begun = merged(spans).begunBy(now);
		if (begun !== undefined && isIn(begun, now)) {
			return { connector: name, status, since: Math.max(begun.from, over), from };
		}
		over = Math.max(over, begun?.to ?? over);
	}
	const isKnown = lastsAt(times.known, now);
	const own = times.lasting;
	if (!isKnown || own === undefined) {
		return { connector: name, status: null, since: undefined, from: null };
	}
	return { connector: name, status: own.key, since: Math.max(own.since, over), from };
}

/** The worst that one of its components says; of what is equally bad, what came last. */
function ownPlace(connector: string, components: readonly StatusPlace[]): PlaceStatus[] {
	const [current] = components
		.flatMap(({ stretches }) => lastingOf(stretches) ?? [])
		.sort(
			(a, b) => badnessOf({ status: b.key }) - badnessOf({ status: a.key }) || b.since - a.since,
		);
	return current === undefined
		? []
		: [{ connector, status: current.key, since: current.since, from: 'events' }];
}

/** An EVSE of which one connector is known is that place. */
const isOne = (evse: string, named: ReadonlySet<string>): boolean =>
	evse !== STATION && [...named].filter((name) => name.split('/')[0] === evse).length <= 1;

const settingsFor = (
	{ words }: StatusQuestion,
	kind: StationSettings['kind'],
): StationSettings => ({
	...words,
	kind,
	forMs: 0,
	resolveAfterMs: 0,
	statuses: [],
	scope: 'connector',
	times: 1,
	withinMs: 0,
	reportResolved: true,
	catchUpMs: 0,
});

interface StatusOfPlaces {
	readonly times: StationTimes;
	readonly places: readonly PlaceStatus[];
	readonly past: PastPeriod;
}

/** Open faults, by the states of the components, and open problems. */
function openOf(
	facts: StationFacts | undefined,
	{ times, places, past }: StatusOfPlaces,
	question: StatusQuestion,
) {
	const settings = settingsFor(question, 'connectorFault');
	const spellings = new Map<string, string>();
	const options = { onFact: noteSpelling(spellings), decidedUpTo: times.finalUntil };
	const state = facts ? stateOf(facts, settings, Infinity, options) : {};
	const horizon = { until: Infinity, watermark: past.knownUpTo };
	const components = componentsOf(state, horizon, times.outages);
	const lasting = (stretch: StateStretch) => overOf(stretch) === undefined;
	const statuses = components.all.filter(({ component }) => component === undefined);
	const faults = runsOf({ ...components, all: statuses }, settings)
		.filter(({ stretches }) => stretches.some(lasting))
		.flatMap((run) => openingsOf(run, settings))
		.map(({ connector, since, d, errors }) => ({
			connector,
			errorCode: d?.error ?? null,
			vendorErrorCode: d?.vendor ?? null,
			info: d?.info ?? null,
			errorCodes: errors,
			since,
		}));
	const byList = places.flatMap(({ connector, status, since, from }) =>
		from === 'asset list' && status === 'Faulted' && since !== undefined
			? [{ connector, errorCode: null, vendorErrorCode: null, info: null, errorCodes: [], since }]
			: [],
	);
	const problems = components.all.flatMap(({ component = null, stretches }) =>
		component === null
			? []
			: stretches.filter(lasting).map(({ address, since, first: { d } }) => ({
					connector: placeName(components.places.placeOf(address, since)),
					component: spellings.get(problemAt(component, since)) ?? component,
					errorCode: d?.error ?? null,
					info: d?.info ?? null,
					since,
				})),
	);
	return { faults: [...faults, ...byList], problems: problems.sort((a, b) => a.since - b.since) };
}

const problemAt = (component: string, at: number): string => `${at} ${component}`;

/** How the station wrote the components of its problems, each time. */
function noteSpelling(spellings: Map<string, string>) {
	return (fact: Fact, { at }: EventFacts): void => {
		if (fact.about !== 'problem') return;
		const problem = problemAt(fact.component, at);
		if (!spellings.has(problem)) spellings.set(problem, fact.name);
	};
}
