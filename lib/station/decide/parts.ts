/** The stretches of each part of a station that can have an incident of its own. */
import { flatMapped, inSteps, sortedInSteps, type Steps } from '../../shared/steps';
import { OLD_SOCKET_MS, type StationSettings } from '../common/settings';
import type { Fault, Incident, StationState } from '../common/state';
import { evseOf } from '../facts/values';
import { codesOf, isNone } from '../fold/codes';
import { countedFaultOf, keysOf, NO_CODE, type Opening, openingsOf } from '../fold/faults';
import { inOrder } from '../fold/sets';
import { type Run, runsOfAll } from '../fold/timeline';
import { endOf, touches, united } from './duration';
import type { Moment } from './moment';

interface Part {
	readonly connector: string | undefined;
	readonly runs: Opening[];
}

type Incidents = NonNullable<StationState['incidents']>;
type Latest = Pick<Incident, 'since' | 'until' | 'connector' | 'd'>;

/** Also the parts that have an incident and no stretch. */
export function* partsOf(state: StationState, moment: Moment): Steps<ReadonlyMap<string, Part>> {
	const { settings } = moment;
	const incidents = state.incidents ?? {};
	const parts = new Map<string, Part>();
	for (const [part, { connector }] of Object.entries(incidents)) {
		parts.set(part, { connector, runs: [] });
	}
	const stretches = yield* stretchesOf(state, moment);
	const openings = yield* sortedInSteps(
		yield* flatMapped(stretches, (run) => openingsOf(run, settings)),
		(a, b) => inOrder(a.first, b.first),
	);
	// With those that begin now: what belongs to one does not depend on which poll read it.
	const latest = new Map<string, Latest>(isWhole(settings) ? [] : Object.entries(incidents));
	const seen = new Set<string>();
	yield* inSteps(openings, (opening) => {
		// No later one touches them either.
		for (const [name, { until = Infinity }] of latest) {
			if (opening.since - until > settings.resolveAfterMs) latest.delete(name);
		}
		const names = isWhole(settings) ? [''] : partsWith(opening, latest, settings);
		for (const name of names) {
			const part = parts.get(name) ?? { connector: connectorOf(opening, settings), runs: [] };
			parts.set(name, part);
			part.runs.push(opening);
			if (isWhole(settings)) continue;
			const next = latestAfter(latest.get(name), opening, moment, seen.has(name));
			if (next === undefined) continue;
			latest.set(name, next);
			seen.add(name);
		}
	});
	for (const [name, { runs }] of parts) {
		const heir = heirOf(name, runs, openings, incidents);
		if (heir === undefined) continue;
		runs.push(heir);
		runs.sort((a, b) => inOrder(a.first, b.first));
	}
	return parts;
}

/** The stretches of all parts of a station, before they are assigned to incidents. */
export function* stretchesOf(
	state: StationState,
	{ settings, watermark, horizon }: Moment,
): Steps<Run[]> {
	const { kind, forMs } = settings;
	const isOffline = kind === 'stationOffline';
	const until = isOffline || forMs === 0 ? horizon : watermark;
	const runs = yield* runsOfAll(state.lines, until);
	if (isOffline) return yield* outages(runs, watermark, state.incidents?.['']);
	return kind === 'connectorFault' && settings.scope === 'station' ? yield* united(runs) : runs;
}

/**
 * A lost connection that a message of the station follows at once, without a new connection, is that of an older socket.
 * It is decided when everything up to that message is known; one that an incident began with stays an outage.
 */
function outages(
	runs: readonly Run[],
	watermark: number,
	known: Incident | undefined,
): Steps<Run[]> {
	return flatMapped(runs, (run) => {
		const { until = Infinity, since, isEndedBySign } = run;
		const isKnown = known !== undefined && contains(run, known);
		const isOldSocket = isEndedBySign === true && until - since < OLD_SOCKET_MS;
		if ((isOldSocket && !isKnown) || since > watermark) return [];
		if (until <= watermark) return [run];
		const { until: _until, to: _to, ...lasting } = run;
		return [lasting];
	});
}

const isWhole = ({ kind, scope }: StationSettings) =>
	kind === 'stationOffline' || (kind === 'connectorFault' && scope === 'station');

const connectorOf = ({ connector }: Run, settings: StationSettings) =>
	isWhole(settings) ? undefined : connector;

/** The part that a stretch begins an incident of. */
export const partOf = ({ connector, keys }: Opening, settings: StationSettings) =>
	isWhole(settings) ? '' : `${connector}|${keys.join()}`;

/**
 * The parts that the stretch belongs to: those with an incident of it, and those with an incident that it is back of. What
 * it names that none of these has named is an incident of its own, as in a fault that lasts.
 */
function partsWith(
	opening: Opening,
	latest: ReadonlyMap<string, Latest>,
	settings: StationSettings,
): readonly string[] {
	const own = partOf(opening, settings);
	const known = incidentsOf(opening, latest, settings);
	const isBack = (incident: Latest): boolean =>
		incident.connector === opening.connector &&
		incident.since < opening.since &&
		touches(opening, incident, settings.resolveAfterMs);
	const before = [...latest]
		.filter(([part, one]) => part !== own && isBack(one))
		.map(([part, one]) => ({ part, named: namedBy(part, one) }))
		.filter(({ named }) => opening.keys.some((key) => named.includes(key)));
	const isNews = opening.keys.some((key) => !before.some(({ named }) => named.includes(key)));
	const parts = before.map(({ part }) => part);
	const others = known.filter((part) => !parts.includes(part));
	return [...(others.length === 0 && isNews ? [own] : others), ...parts];
}

/** The codes that an incident opened with, or the first that it named later. */
function namedBy(part: string, { d }: Latest): readonly string[] {
	const named = part.slice(part.indexOf('|') + 1).split(',');
	return named.includes(NO_CODE) ? [...named, ...keysOf(d)] : named;
}

/**
 * The parts with an incident that the stretch belongs to, though a late report may have changed what it is named by: of
 * the same EVSE, and with one of its codes. One of no code belongs to the stretch that it began in. Only the one with its
 * own name, if that has it.
 */
function incidentsOf(
	opening: Opening,
	latest: ReadonlyMap<string, Latest>,
	settings: StationSettings,
): string[] {
	const { resolveAfterMs, kind, scope } = settings;
	const { places, keys, d } = opening;
	const own = partOf(opening, settings);
	const namesake = latest.get(own);
	if (namesake !== undefined && touches(opening, namesake, resolveAfterMs)) return [own];
	const completed = kind === 'connectorFault' && scope === 'code' ? [...keysOf(d), NO_CODE] : [];
	return [...latest].flatMap(([part, incident]) => {
		// A place that joined the stretch after the incident had made the stretch no part of it.
		const sharedSince = places.get(incident.connector ?? '') ?? Infinity;
		if (sharedSince > (incident.until ?? Infinity) || sharedSince === Infinity) return [];
		const named = [...part.slice(part.indexOf('|') + 1).split(','), ...keysOf(incident.d)];
		const isShared = (some: readonly string[]) => some.some((key) => named.includes(key));
		const isSame = isShared(keys) && touches(opening, incident, 0);
		return isSame || (isShared(completed) && contains(opening, incident)) ? [part] : [];
	});
}

/** The latest incident of a part with the stretch, if that belongs to it or begins one. The first one seen of it decides how it ends. */
function latestAfter(
	known: Latest | undefined,
	opening: Opening,
	{ settings: { forMs, resolveAfterMs }, watermark, horizon }: Moment,
	isSeen: boolean,
): Latest | undefined {
	const { since, until, connector, d } = opening;
	if (known !== undefined && touches(opening, known, resolveAfterMs)) {
		const { until: before = isSeen ? Infinity : -Infinity } = known;
		const end = Math.max(until ?? Infinity, before);
		// A later report of the fault may be the first that names a code.
		const named = isNone(codesOf(known.d)) ? d : known.d;
		const joined = { ...known, since: Math.min(known.since, since), d: named };
		const { until: _until, ...lasting } = joined;
		return end === Infinity ? lasting : { ...lasting, until: end };
	}
	const isPast = known !== undefined && since <= known.since;
	const lastsMs = Math.min(until ?? Infinity, forMs === 0 ? horizon : watermark) - since;
	return isPast || lastsMs < forMs ? undefined : { since, connector, d, ...endOf(opening) };
}

const contains = ({ since, until = Infinity }: Run, incident: Pick<Incident, 'since'>) =>
	since <= incident.since && incident.since < until;

/** The stretch that an open incident ends with, if late reports have left it none of its own. */
function heirOf(
	part: string,
	runs: readonly Opening[],
	openings: readonly Opening[],
	incidents: Incidents,
): Opening | undefined {
	const incident = Object.hasOwn(incidents, part) ? incidents[part] : undefined;
	if (incident === undefined || incident.until !== undefined) return undefined;
	const { since, connector = '' } = incident;
	if (runs.some((run) => touches(run, incident, 0))) return undefined;
	const heir = openings.find((run) => run.places.has(connector) && contains(run, incident));
	return heir && { ...heir, since };
}

/** The part that a fault begins an incident of. */
export const partOfFault = (
	{ opens = '' }: Fault,
	connector: string,
	{ scope }: StationSettings,
): string =>
	scope === 'station' ? '' : scope === 'connector' ? connector : `${connector}|${opens}`;

interface CountedPlace {
	readonly name: string;
	connector: string | undefined;
	/** Of the last fault. */
	t: number;
}

/**
 * The names by which places count: an EVSE and the connector that was faulted last, within the time in which faults have to
 * be reported, have one, that of the first of them. Older ones are forgotten.
 */
class CountedPlaces {
	readonly #withinMs: number;
	readonly #last = new Map<string, CountedPlace>();

	constructor({ withinMs }: StationSettings) {
		this.#withinMs = withinMs;
	}

	nameOf(place: string, t: number): string {
		const evse = evseOf(place);
		const connector = place === evse ? undefined : place;
		const recent = (of: string) => {
			const known = this.#last.get(of);
			return known !== undefined && t - known.t <= this.#withinMs ? known : undefined;
		};
		const ofEvse = recent(evse);
		const isFree = connector === undefined || ofEvse?.connector === undefined;
		const found = recent(place) ?? (isFree ? ofEvse : undefined) ?? { name: place, connector, t };
		found.connector ??= connector;
		found.t = t;
		this.#last.set(evse, found).set(place, found);
		return found.name;
	}
}

/** The faults of each part, oldest first: those of its timelines, and those that are folded. */
export function* faultsOf(
	state: StationState,
	{ settings, horizon, publishedAt }: Moment,
): Steps<ReadonlyMap<string, readonly Fault[]>> {
	const runs = yield* runsOfAll(state.lines, horizon);
	const current = yield* flatMapped(runs, (run) => openingsOf(run, settings).map(countedFaultOf));
	const faults = yield* sortedInSteps([...(state.faults ?? []), ...current], inOrder);
	const parts = new Map<string, Fault[]>();
	const places = new CountedPlaces(settings);
	const incidents = Object.entries(state.incidents ?? {}).sort(([, a], [, b]) => a.since - b.since);
	for (const [part, { until = Infinity }] of incidents) {
		places.nameOf(part.split('|')[0] ?? '', until - settings.withinMs);
		parts.set(part, []);
	}
	yield* inSteps(faults, (fault) => {
		if (fault.t <= publishedAt) return;
		const part = partOfFault(fault, places.nameOf(fault.connector, fault.t), settings);
		const known = parts.get(part);
		if (known === undefined) parts.set(part, [fault]);
		else known.push(fault);
	});
	return parts;
}
