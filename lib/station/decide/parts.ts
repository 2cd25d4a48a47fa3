/** The stretches of each part of a station that can have an incident of its own. */
import { evseOfAddress, type Places } from '../common/places';
import type { StationSettings } from '../common/settings';
import type { Fault, Incident, StationState } from '../common/state';
import { codesOf, isNone } from '../fold/codes';
import { type Components, componentsOf, CONNECTION } from '../fold/components';
import {
	type CountedFault,
	countedFaultOf,
	foldedFault,
	keysOf,
	NO_CODE,
	type Opening,
	openingsOf,
} from '../fold/faults';
import type { Outage } from '../fold/outages';
import { type Naming, type Run, runsOf, united } from '../fold/runs';
import { inOrder } from '../fold/sets';
import type { StateStretch } from '../fold/timeline';
import { endOf, lastsMs, touches } from './duration';
import type { Moment } from './moment';

interface Part {
	readonly connector: string | undefined;
	/** Its latest incident so far. */
	readonly known?: Incident;
	readonly runs: Opening[];
}

type Incidents = NonNullable<StationState['incidents']>;
type Latest = Pick<Incident, 'since' | 'until' | 'connector' | 'd' | 'from'> &
	Partial<Pick<Incident, 'reported' | 'closedUntil'>>;

/** Also the parts that have an incident and no stretch. */
export function partsOf(state: StationState, moment: Moment): ReadonlyMap<string, Part> {
	const { settings } = moment;
	const components = componentsAt(state, moment);
	const openings = stretchesOf(components, state, moment)
		.flatMap((run) => openingsOf(run, settings))
		.sort((a, b) => inOrder(a.first, b.first));
	const incidents = withOverruled(state, components, openings, settings);
	const begun = stretchesBegun(components, incidents);
	const parts = new Map<string, Part>();
	for (const [part, known] of Object.entries(incidents)) {
		parts.set(part, { connector: known.connector, known, runs: [] });
	}
	// With those that begin now: what belongs to one does not depend on which poll read it.
	const latest = new Map<string, Latest>(isWhole(settings) ? [] : Object.entries(incidents));
	const seen = new Set<string>();
	for (const opening of openings) {
		// No later one touches them either.
		for (const [name, { until = Infinity }] of latest) {
			if (opening.since - until > settings.resolveAfterMs) latest.delete(name);
		}
		const names = isWhole(settings) ? [''] : partsWith(opening, latest, begun, settings);
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
	}
	for (const [name, { runs }] of parts) {
		const heir = heirOf(name, runs, openings, { incidents, begun });
		if (heir === undefined) continue;
		runs.push(heir);
		runs.sort((a, b) => inOrder(a.first, b.first));
	}
	return parts;
}

/** The state of each component, as far as the settings let it be decided. */
function componentsAt(state: StationState, { settings, watermark, horizon }: Moment): Components {
	const { kind, forMs } = settings;
	const until = kind === 'stationOffline' || forMs === 0 ? horizon : watermark;
	return componentsOf(state, { until, watermark });
}

/** The stretches of all parts of a station, before they are assigned to incidents. */
function stretchesOf(components: Components, state: StationState, moment: Moment): Run[] {
	const { settings } = moment;
	if (settings.kind === 'stationOffline') {
		return components.outages.flatMap((one) => outageRun(one, moment, state.incidents?.['']));
	}
	const runs = runsOf(components, settings);
	return settings.kind === 'connectorFault' && settings.scope === 'station' ? united(runs) : runs;
}

/** One that an incident began with stays an outage; one that can be of an older socket counts once that is decided. */
function outageRun(
	{ first, since, until = Infinity, to, isVoid, isPending }: Outage,
	{ watermark }: Moment,
	known: Incident | undefined,
): Run[] {
	const names = { connector: '', places: new Map<string, Naming>(), stretches: [] };
	const run = { ...names, key: first.key, first, since };
	const isKnown = known !== undefined && since <= known.since && known.since < until;
	if ((isVoid === true && !isKnown) || since > watermark) return [];
	const reports = [first];
	if (until <= watermark && to !== undefined) return [{ ...run, reports, until, to }];
	return [{ ...run, reports, ...(isPending === true && { heldAt: -Infinity }) }];
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
	begun: StretchesBegun,
	settings: StationSettings,
): readonly string[] {
	const own = partOf(opening, settings);
	const known = incidentsOf(opening, latest, begun, settings);
	// A place that joined it later does not make it back of what was there.
	const isBack = (incident: Latest): boolean =>
		(opening.places.get(incident.connector ?? '')?.since ?? Infinity) <= opening.since &&
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

/** By the report that an incident began with: the stretches that have it now, though it may begin none of them any more. */
type StretchesBegun = ReadonlyMap<string, ReadonlySet<StateStretch>>;

function stretchesBegun({ all }: Components, incidents: Incidents): StretchesBegun {
	const begun = new Map<string, Set<StateStretch>>();
	const sinceOf = new Map(
		Object.values(incidents).map(({ from, since, begun: at = since }) => [from, at]),
	);
	for (const { reports, stretches } of sinceOf.size > 0 ? all : []) {
		for (const { id } of reports) {
			const at = sinceOf.get(id);
			const found = at !== undefined && stretches.find((one) => isIn(one, at));
			if (found) begun.set(id, (begun.get(id) ?? new Set()).add(found));
		}
	}
	return begun;
}

/** Whether the incident began with a report that is of the stretch by now. */
const isBegunIn = (
	{ reports, stretches }: Opening,
	{ from }: Pick<Incident, 'from'>,
	begun: StretchesBegun,
): boolean =>
	reports.some(({ id }) => id === from) ||
	stretches.some((one) => begun.get(from)?.has(one) === true);

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
	begun: StretchesBegun,
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
		const isBegun = isBegunIn(opening, incident, begun);
		const sharedSince =
			places.get(incident.connector ?? '')?.since ?? (isBegun ? opening.since : Infinity);
		if (sharedSince > (incident.until ?? Infinity) || sharedSince === Infinity) return [];
		const named = [...part.slice(part.indexOf('|') + 1).split(','), ...keysOf(incident.d)];
		const isShared = (some: readonly string[]) => some.some((key) => named.includes(key));
		const isSame = isShared(keys) && touches(opening, incident, 0);
		return isSame || (isShared(completed) && contains(opening, incident)) ? [part] : [];
	});
}

/** The latest incident of a part with the stretch, if that belongs to it or begins one. It ends as `follow` extends it. */
function latestAfter(
	known: Latest | undefined,
	opening: Opening,
	{ settings: { forMs, resolveAfterMs }, watermark, horizon }: Moment,
	isSeen: boolean,
): Latest | undefined {
	const { since, until, connector, d } = opening;
	if (known !== undefined && touches(opening, known, resolveAfterMs)) {
		const isEnded = known.reported === 'closed' && known.until !== undefined;
		const { until: last = Infinity, closedUntil = -Infinity } = known;
		const before = isSeen || isEnded ? last : closedUntil;
		const end = Math.max(until ?? Infinity, before);
		// A later report of the fault may be the first that names a code.
		const named = isNone(codesOf(known.d)) ? d : known.d;
		const joined = { ...known, since: Math.min(known.since, since), d: named };
		const { until: _until, ...lasting } = joined;
		return end === Infinity ? lasting : { ...lasting, until: end };
	}
	const isPast = known !== undefined && since <= known.since;
	const isShort = lastsMs(opening, forMs === 0 ? horizon : watermark) < forMs;
	return isPast || isShort
		? undefined
		: { since, connector, d, from: opening.first.id, ...endOf(opening) };
}

const isIn = ({ since, until = Infinity }: Pick<Run, 'since' | 'until'>, at: number): boolean =>
	since <= at && at < until;
const contains = (run: Run, { since }: Pick<Incident, 'since'>) => isIn(run, since);

/**
 * The incidents. An open one is over when it began, if what began it is overruled: by a report of the same time that was listed
 * later. Its state never lasted.
 */
function withOverruled(
	{ incidents = {}, lines = {} }: StationState,
	{ all, outages }: Components,
	openings: readonly Opening[],
	settings: StationSettings,
): Incidents {
	const isOffline = settings.kind === 'stationOffline';
	const connection = { reports: lines[CONNECTION]?.reports ?? [], stretches: outages };
	const endOfNone = (incident: Incident): Pick<Incident, 'until' | 'to'> | undefined => {
		const { from, since, begun: until = since } = incident;
		if (openings.some((run) => isIn(run, until) && isOf(run, incident, settings))) return undefined;
		for (const { reports, stretches } of isOffline ? [connection] : all) {
			const said = reports.filter(({ t, quiet }) => t === until && quiet !== true);
			const key = said.find(({ id, key: own }) => id === from && own !== '')?.key;
			const isOfKey = ({ first }: Pick<Run, 'first'>) => first.key === key;
			if (key === undefined || stretches.some((one) => isOfKey(one) && isIn(one, until))) continue;
			return { until, to: said.findLast((one) => one.key !== key)?.id };
		}
		return undefined;
	};
	let known = incidents;
	for (const [part, incident] of Object.entries(incidents)) {
		const isOpen = incident.reported !== 'closed' && incident.until === undefined;
		const end = isOpen ? endOfNone(incident) : undefined;
		if (end !== undefined) known = { ...known, [part]: { ...incident, ...end } };
	}
	return known;
}

/** Whether the stretch is of the place and the state of the incident. */
const isOf = (run: Opening, { connector = '', d }: Incident, settings: StationSettings): boolean =>
	isWhole(settings) ||
	(run.places.has(connector) && (settings.kind === 'connectorFault' || run.key === d?.status));

/** The stretch that an open incident ends with, if late reports have left it none of its own. */
function heirOf(
	part: string,
	runs: readonly Opening[],
	openings: readonly Opening[],
	{ incidents, begun }: { readonly incidents: Incidents; readonly begun: StretchesBegun },
): Opening | undefined {
	const incident = Object.hasOwn(incidents, part) ? incidents[part] : undefined;
	if (incident === undefined || incident.until !== undefined) return undefined;
	const { since, connector = '' } = incident;
	if (runs.some((run) => touches(run, incident, 0))) return undefined;
	const isOfRun = (run: Opening) => run.places.has(connector) || isBegunIn(run, incident, begun);
	const heir = openings.find((run) => isOfRun(run) && contains(run, incident));
	return heir && { ...heir, since };
}

/** The part that a fault begins an incident of. */
export const partOfFault = (
	{ opens = '' }: Fault,
	connector: string,
	{ scope }: StationSettings,
): string =>
	scope === 'station' ? '' : scope === 'connector' ? connector : `${connector}|${opens}`;

/** The part that counts the faults of a place, known by the place of the first of them. */
interface FaultedPart {
	readonly name: string;
	readonly members: Set<string>;
	/** Faults until then belong to it: that is when an incident of its faults would be over. */
	until: number;
}

/** An EVSE and its only connector count together, while a fault lasts and within the time in which faults have to be reported. */
class CountedParts {
	readonly #withinMs: number;
	readonly #places: Places;
	#recent: FaultedPart[] = [];

	constructor({ withinMs }: StationSettings, places: Places) {
		this.#withinMs = withinMs;
		this.#places = places;
	}

	/** `others`: further names of its place. */
	nameOf(
		{ connector, t, until = Infinity }: Pick<Fault, 'connector' | 't' | 'until'>,
		others: Iterable<string> = [],
	): string {
		this.#recent = this.#recent.filter((one) => t <= one.until);
		const end = Math.max(t + this.#withinMs, until);
		const names = [...others, ...this.#places.namesOf(addressOfName(connector), t)];
		const own = this.#recent.find(({ members }) => members.has(connector));
		const found =
			own ?? this.#recent.find(({ members }) => names.some((name) => members.has(name)));
		if (found === undefined) {
			this.#recent.push({ name: connector, members: new Set([connector]), until: end });
			return connector;
		}
		found.members.add(connector);
		found.until = Math.max(found.until, end);
		return found.name;
	}
}

/** Of a place as items name it: only in OCPP 2.0.1 another one can be the same. */
const addressOfName = (name: string): string =>
	evseOfAddress(name) === undefined ? `${name}/0` : name;

/** The faults of each part, oldest first: those of its timelines, and those that are folded. */
export function faultsOf(
	state: StationState,
	moment: Moment,
): ReadonlyMap<string, readonly CountedFault[]> {
	const { settings, horizon, publishedAt } = moment;
	const components = componentsOf(state, { ...moment, until: horizon });
	const current = runsOf(components, settings).flatMap((run) =>
		openingsOf(run, settings).map((opening) => countedFaultOf(opening, settings)),
	);
	const faults = [...(state.faults ?? []).map(foldedFault), ...current];
	faults.sort((a, b) => inOrder(a.fault, b.fault));
	const parts = new Map<string, CountedFault[]>();
	const named = new CountedParts(settings, components.places);
	const incidents = Object.entries(state.incidents ?? {}).sort(([, a], [, b]) => a.since - b.since);
	for (const [part, { until = Infinity }] of incidents) {
		named.nameOf({ connector: part.split('|')[0] ?? '', t: until - settings.withinMs, until });
		parts.set(part, []);
	}
	for (const counted of faults) {
		const { fault, names } = counted;
		if (fault.t <= publishedAt) continue;
		const part = partOfFault(fault, named.nameOf(fault, names.keys()), settings);
		const known = parts.get(part);
		if (known === undefined) parts.set(part, [counted]);
		else known.push(counted);
	}
	return parts;
}
