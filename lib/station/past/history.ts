/**
 * What was true of each place of a station at each moment of a period: whether it was down and why, and whether anything shows
 * its state. Get Uptime, Get Outages and Get Status say it in their ways; docs/uptime.md has the rules.
 */
import type { ListedConnector, ListedStation } from '../common/assets';
import {
	byName,
	evseOfAddress,
	is201,
	isConnector,
	isNumbered,
	type Places,
	STATION,
} from '../common/places';
import type { ConnectionSettings, EventFacts } from '../facts';
import { outagesIn } from '../fold/components';
import type { Outage } from '../fold/outages';
import {
	type BootWindow,
	inForceOrder,
	overOf,
	type StateStretch,
	stretchesOf,
} from '../fold/timeline';
import { type StatusPlace, type PlacesOfStation, placesIn } from './lines';
import { NO_FACTS, type StationFacts } from './log';
import type { Past } from './read';
import { merged, type Span, Spans, sweep } from './spans';
import { connectionOf } from './state';
import { DOWN_CAUSES, type Phase } from './tally';

/** A place that is known, for the whole period. */
export interface PlaceHistory {
	/** As items name it: `1`, or `1/2` for connector 2 of EVSE 1. */
	readonly connector: string;
	/** Where one vehicle at a time can charge. */
	readonly port: string;
	/** By the asset list. */
	readonly connectorType?: string | undefined;
	readonly powerType?: string | undefined;
	readonly phases: Iterable<Phase>;
}

/** Phases are made whenever they are gone through: a station that never rests has a million. */
export interface StationHistory {
	/** Of the station as a whole. */
	readonly own: Iterable<Phase>;
	readonly connectors: readonly PlaceHistory[];
	/** What is said up to then, no later event can change. */
	readonly finalUntil: number;
	/** When a station that the asset list no longer has was heard last: nothing counts from then on. */
	readonly removedAt: number | undefined;
}

export interface HistoryQuestion {
	readonly countUnavailable: boolean;
	readonly words: ConnectionSettings;
	/** In OCPP 1.6, whether a station with several connectors charges one vehicle at a time. */
	readonly portIs?: 'connector' | 'station';
}

/** What is known of a station besides its events. */
export interface KnownStation {
	readonly listed: ListedStation | undefined;
	/** The complete asset list lacks it. */
	readonly isRemoved: boolean;
}

type Read = Pick<
	Past,
	'from' | 'to' | 'knownUpTo' | 'heardUpTo' | 'readBackTo' | 'oldestAt' | 'silentAfterMs'
>;

const UNKNOWN_STATION: KnownStation = { listed: undefined, isRemoved: false };

/** What was said of a station over all time that was read. */
export interface StationTimes {
	readonly places: readonly StatusPlace[];
	readonly tree: Places;
	readonly connectors: readonly ConnectorTimes[];
	readonly outages: readonly Outage[];
	readonly silent: Spans;
	/** Where something shows that the station is in operation. */
	readonly living: Spans;
	/** When it was heard first and last; undefined for never. */
	readonly heard: Span | undefined;
	readonly finalUntil: number;
}

/** The state of a connector, with that of all above it. */
export interface ConnectorTimes {
	readonly name: string;
	readonly port: string;
	/** Of OCPP 2.0.1: it has an EVSE. */
	readonly is201: boolean;
	readonly listed: ListedConnector | undefined;
	/** The asset list says its state, since no event does. */
	readonly isByList: boolean;
	readonly faulted: Faults;
	readonly unavailable: Spans;
	readonly known: Spans;
	/** Since when it is a place of the station, and until when. */
	readonly exists: Span;
	/** The last one that lasts of its own statuses, or of what shows that it is operative while it says nothing of itself. */
	readonly lasting: Pick<StateStretch, 'key' | 'since'> | undefined;
}

/** The times of faults, each with its code. */
class Faults implements Iterable<Span> {
	readonly #spans = new Spans();
	readonly #codes: (string | undefined)[] = [];
	/** Their numbers by their beginning, if they are not sorted. */
	#order: Uint32Array | undefined;

	add({ from, to }: Span, code: string | undefined): void {
		this.#spans.add(from, to);
		this.#codes.push(code);
	}

	sort(): void {
		if (!this.#spans.isSorted) this.#order = this.#spans.order;
	}

	/** The first that lasts longer, of those from `first` on. */
	firstAfter(at: number, first: number): number {
		let n = first;
		while (this.#spans.toOf(this.#numberOf(n)) <= at) n++;
		return n;
	}

	/** What a fault that lasts then names, of those from `first` on. */
	codeAt(at: number, first: number): string | undefined {
		for (let n = first; ; n++) {
			const number = this.#numberOf(n);
			if (this.#spans.fromOf(number) > at) return undefined;
			const code = this.#codes[number];
			if (this.#spans.toOf(number) > at && code !== undefined) return code;
		}
	}

	[Symbol.iterator](): Iterator<Span> {
		return this.#spans[Symbol.iterator]();
	}

	#numberOf(n: number): number {
		return this.#order?.[n] ?? n;
	}
}

export function historyOf(
	facts: StationFacts | undefined,
	past: Read,
	question: HistoryQuestion,
	known = UNKNOWN_STATION,
): StationHistory {
	const { from, to } = past;
	const times = timesOf(facts, past, known, question.portIs);
	const removedAt = known.isRemoved ? (times.heard?.to ?? -Infinity) : undefined;
	const counted = { from: -Infinity, to: removedAt ?? Infinity };
	const { outages, silent, living } = times;
	const { connectors } = times;
	const whole = {
		offline: merged(
			outages
				.filter(({ isVoid }) => isVoid !== true)
				.map(({ since, until = Infinity }) => ({ from: since, to: until })),
		),
		silent,
		living,
		counted,
	};
	return {
		own: phasesOf(
			{ ...whole, ...ofStation(times.places), known: new Spans() },
			{ from, to },
			question,
		),
		connectors: connectors.map(({ name, port, listed, exists, ...states }) => ({
			connector: name,
			port,
			phases: phasesOf(
				{ ...whole, ...states, exists, counted: untilEndOf(exists, counted) },
				{ from, to },
				question,
			),
			...(listed?.connectorType !== undefined && { connectorType: listed.connectorType }),
			...(listed?.powerType !== undefined && { powerType: listed.powerType }),
		})),
		finalUntil: known.isRemoved ? past.knownUpTo : times.finalUntil,
		removedAt,
	};
}

/** A number that the station has given up is neither up nor down any more, and what is unknown of it counts as nothing. */
const untilEndOf = ({ to }: Span, counted: Span): Span => ({
	...counted,
	to: Math.min(to, counted.to),
});

interface Layers extends Pick<ConnectorTimes, 'faulted' | 'unavailable' | 'known'> {
	readonly offline: Spans;
	readonly silent: Spans;
	readonly living: Spans;
	readonly counted: Span;
	readonly exists?: Span;
}

function phasesOf(
	{ offline, silent, living, counted, faulted, unavailable, known, exists }: Layers,
	period: Span,
	{ countUnavailable }: HistoryQuestion,
): Iterable<Phase> {
	const layers = [
		offline,
		silent,
		merged(faulted),
		countUnavailable ? unavailable : new Spans(),
		known,
		living,
		merged([counted]),
		merged(exists === undefined ? [] : [exists]),
	];
	return { [Symbol.iterator]: () => phasesIn(layers, faulted, period, exists !== undefined) };
}

function* phasesIn(
	layers: readonly Spans[],
	faulted: Faults,
	period: Span,
	isPart: boolean,
): Generator<Phase, void> {
	let nextFault = 0;
	for (const { isIn, from, to } of sweep(layers, period)) {
		const isCounted = isIn[6] === true;
		const causes = isCounted ? DOWN_CAUSES.filter((_cause, n) => isIn[n]) : [];
		nextFault = faulted.firstAfter(from, nextFault);
		const errorCode = causes.includes('faulted') ? faulted.codeAt(from, nextFault) : undefined;
		const isLiving = isCounted && isIn[5] === true;
		yield {
			from,
			to,
			causes,
			isKnown: isCounted && isIn[4] === true,
			...(errorCode !== undefined && { errorCode }),
			...(!isLiving && { isLiving }),
			...(isPart && isIn[7] !== true && { isPlace: false }),
		};
	}
}

export function timesOf(
	facts: StationFacts = NO_FACTS,
	past: Omit<Read, 'from' | 'to'>,
	known = UNKNOWN_STATION,
	portIs: HistoryQuestion['portIs'] = 'connector',
): StationTimes {
	const { knownUpTo } = past;
	const horizon = { until: Infinity, watermark: knownUpTo };
	const outages = outagesIn(connectionOf(facts, Infinity), horizon);
	const places = placesIn(facts, horizon, outages);
	const heard = heardAt(facts);
	const quiet = silenceOf(heard, past, known);
	const undecided = [
		...places.windows.filter(({ isOver }) => !isOver).map(({ t }) => t),
		...outages.filter(({ isPending }) => isPending).map(({ since }) => since),
	];
	return {
		places: places.all,
		tree: places.tree,
		outages,
		silent: quiet.silent,
		living: quiet.living,
		connectors: connectorsOf(places, usesIn(facts.states, places.windows), known.listed, portIs),
		heard: heard.length === 0 ? undefined : { from: heard[0] ?? 0, to: heard.at(-1) ?? 0 },
		finalUntil: Math.min(knownUpTo, quiet.finalUntil, ...undecided),
	};
}

/** When the station, or something of its connection, was heard. Sorted. */
export function heardAt({ signs, connections }: StationFacts): Float64Array {
	const all = new Float64Array(signs.times.length + connections.length);
	all.set(signs.times);
	for (const [n, { at }] of connections.entries()) all[signs.times.length + n] = at;
	return all.sort();
}

function silenceOf(
	heard: Float64Array,
	{ heardUpTo, readBackTo, oldestAt = -Infinity, silentAfterMs }: Omit<Read, 'from' | 'to'>,
	{ listed, isRemoved }: KnownStation,
): { readonly silent: Spans; readonly living: Spans; readonly finalUntil: number } {
	const begin = Math.max(readBackTo, oldestAt);
	const silent = new Spans();
	const living = new Spans();
	const isOperated = listed?.isPlanned !== true && !isRemoved;
	let last = begin;
	for (const at of heard) {
		if (at - last > silentAfterMs) {
			if (isOperated) silent.join(last, at);
			// Before the list begins, it lived for as long as a station may say nothing.
		} else living.join(last === begin ? at - silentAfterMs : last, at);
		last = Math.max(last, at);
	}
	const isSilent = heardUpTo - last > silentAfterMs;
	if (isSilent && isOperated) silent.join(last, Infinity);
	else if (heard.length > 0 && !isSilent) living.join(last, Infinity);
	const finalUntil = isSilent || !isOperated ? Infinity : last;
	return { silent, living, finalUntil };
}

const FAULTED = 'faulted';
const UNAVAILABLE = 'unavailable';
const IN_USE: ReadonlySet<string> = new Set(['charging', 'suspendedev', 'suspendedevse']);
/** The charging state of a transaction. */
const CHARGING = 'Charging';
const isInUse = (status: string): boolean => IN_USE.has(status.toLowerCase());
const isStatus = (status: string, other: string): boolean => status.toLowerCase() === other;
const isOperative = (status: string): boolean =>
	!isStatus(status, FAULTED) && !isStatus(status, UNAVAILABLE);

const spanOf = (stretch: StateStretch): Span => ({
	from: stretch.since,
	to: overOf(stretch) ?? Infinity,
});
const codeOf = ({ reports }: StateStretch): string | undefined =>
	reports.find(({ d }) => d?.error ?? d?.vendor)?.d?.error;

function connectorsOf(
	{ all }: PlacesOfStation,
	uses: readonly PlacedUse[],
	listed: ListedStation | undefined,
	portIs: HistoryQuestion['portIs'],
): ConnectorTimes[] {
	const byAddress = new Map(all.map((one) => [one.address, one]));
	const versions = versionsOf(all);
	const found: ConnectorTimes[] = [];
	const evses = new Map<string, StatusPlace[]>();
	for (const one of all) {
		const evse = evseOfAddress(one.address);
		if (evse === undefined && one.address !== STATION) {
			const port = portIs === 'station' ? STATION : one.address;
			found.push({ ...connector16(one, byAddress.get(STATION), versions), port });
		}
		if (evse === undefined || !isNumbered(evse)) continue;
		const own = evses.get(evse);
		if (own === undefined) evses.set(evse, [one]);
		else own.push(one);
	}
	const stationWide = all.filter(
		({ address }) => address === STATION || evseOfAddress(address) === '?',
	);
	for (const [evse, own] of evses) {
		const connectors = own.filter(({ address }) => isConnector(address));
		const above = own.filter(({ address }) => !isConnector(address));
		const isListed = listed?.connectors.some(({ number }) => number === evse) === true;
		// An EVSE whose connectors are not known stands for them.
		const named: readonly (readonly [string, StatusPlace | undefined])[] =
			connectors.length > 0
				? connectors.map((one) => [one.address, one])
				: [[isListed && versions.isNew ? `${evse}/1` : evse, undefined]];
		const first = firstOf(connectors);
		for (const [name, one] of named) {
			// An EVSE and its only connector are one place; another one is a part of it since its own first status.
			const shownBy = one === undefined || firstOf([one]) <= first ? [one, ...above] : [one];
			const since = firstOf(shownBy);
			const use = uses.filter(({ connector }) =>
				isConnector(connector) ? connector === name : evseOfAddress(connector) === evse,
			);
			found.push({
				...connector201(name, one, above, stationWide, use),
				exists: existing(since, versions.of201),
				port: evse,
			});
		}
	}
	return withListed(found, listed, versions, portIs, byAddress.get(STATION)).sort((a, b) =>
		byName(a.name, b.name),
	);
}

/** Which version of OCPP the station spoke when. */
interface Versions {
	readonly of16: Span;
	readonly of201: Span;
	/** By its last status; undefined if it has sent none. */
	readonly isNew: boolean | undefined;
}

function versionsOf(all: readonly StatusPlace[]): Versions {
	let [last16, last201, first16, first201] = [-Infinity, -Infinity, Infinity, Infinity];
	for (const { address, reports } of all) {
		if (address === STATION) continue;
		const [first, last] = [reports.at(0)?.t ?? Infinity, reports.at(-1)?.t ?? -Infinity];
		if (is201(address)) {
			last201 = Math.max(last201, last);
			first201 = Math.min(first201, first);
		} else {
			last16 = Math.max(last16, last);
			first16 = Math.min(first16, first);
		}
	}
	const isNew = last16 === -Infinity && last201 === -Infinity ? undefined : last201 >= last16;
	// A station that was updated has no places of its old numbers any more.
	return {
		of16: { from: -Infinity, to: isNew && first201 > last16 ? first201 : Infinity },
		of201: { from: -Infinity, to: isNew === false && first16 > last201 ? first16 : Infinity },
		isNew,
	};
}

/** When one of them first said something of itself: what is of another component, its name has only the end of. */
const firstOf = (places: readonly (StatusPlace | undefined)[]): number =>
	Math.min(...places.map((one) => firstSaid(one)?.t ?? Infinity));

function firstSaid(place: StatusPlace | undefined) {
	for (const report of place?.reports ?? []) if (report.key !== '') return report;
	return undefined;
}

function* stretchesIn(
	...places: readonly (StatusPlace | undefined)[]
): Generator<StateStretch, void> {
	for (const one of places) yield* one?.stretches ?? [];
}

function* operativeIn(stretches: Iterable<StateStretch>): Generator<StateStretch, void> {
	for (const stretch of stretches) if (isOperative(stretch.key)) yield stretch;
}

function* spansOf(stretches: Iterable<StateStretch>): Generator<Span, void> {
	for (const stretch of stretches) yield spanOf(stretch);
}

export const lastingOf = (stretches: Iterable<StateStretch>): ConnectorTimes['lasting'] => {
	let last: ConnectorTimes['lasting'];
	for (const stretch of stretches) {
		if (overOf(stretch) === undefined) last = { key: stretch.key, since: stretch.since };
	}
	return last;
};

const NO_LIST = { listed: undefined, isByList: false } as const;

/** Connector 0 has no direct connection with the others: what it says counts until they show something else. */
function connector16(
	own: StatusPlace,
	station: StatusPlace | undefined,
	{ of16 }: Versions,
): Omit<ConnectorTimes, 'port'> {
	const { stretches } = own;
	return {
		...NO_LIST,
		...statesOf(stretches, aboveOf(own, station), stretches),
		lasting: lastingOf(stretches),
		name: own.address,
		is201: false,
		exists: existing(own.reports.at(0)?.t, of16),
	};
}

function* aboveOf(
	{ reports }: StatusPlace,
	station: StatusPlace | undefined,
): Generator<StateStretch, void> {
	let first = 0;
	for (const stretch of stretchesIn(station)) {
		while ((reports.at(first)?.t ?? Infinity) < stretch.since) first++;
		const ends = isStatus(stretch.key, FAULTED) ? isOperative : isInUse;
		const end = overOf(stretch) ?? Infinity;
		let until = end;
		for (let n = first; n < reports.length && until === end; n++) {
			const { t = end, key = '' } = reports.at(n) ?? {};
			if (t >= end) break;
			if (ends(key)) until = t;
		}
		yield { ...stretch, until };
	}
}

const existing = (from = Infinity, { to }: Span): Span => ({ from, to });

function statesOf(
	own: Iterable<StateStretch>,
	above: Iterable<StateStretch>,
	known: Iterable<StateStretch>,
): Pick<ConnectorTimes, 'faulted' | 'unavailable' | 'known'> {
	const faulted = new Faults();
	const unavailable = new Spans();
	for (const all of [own, above]) {
		for (const stretch of all) {
			const { from, to } = spanOf(stretch);
			if (isStatus(stretch.key, FAULTED)) faulted.add({ from, to }, codeOf(stretch));
			else if (isStatus(stretch.key, UNAVAILABLE)) unavailable.join(from, to);
		}
	}
	faulted.sort();
	return { faulted, unavailable: merged(unavailable), known: merged(spansOf(known)) };
}

/** The worst of its own components and of those above. In use is up, whatever is above. */
function connector201(
	name: string,
	own: StatusPlace | undefined,
	ofEvse: readonly StatusPlace[],
	ofStation: readonly StatusPlace[],
	uses: readonly InUse[],
): Omit<ConnectorTimes, 'port' | 'exists'> {
	const used = [...uses];
	const reports: number[] = [];
	for (const { t, key } of own?.reports ?? []) if (isInUse(key)) reports.push(t);
	for (const stretch of reports.length > 0 ? stretchesIn(own) : []) {
		if (isInUse(stretch.key)) used.push({ ...spanOf(stretch), reports });
	}
	const above = function* () {
		for (const stretch of stretchesIn(...ofEvse, ...ofStation)) {
			if (!isOperative(stretch.key)) yield* withoutUse(stretch, used);
		}
	};
	const since = firstOf([own, ...ofEvse]);
	// That it charges shows its state; but no session makes a place known.
	const shown = uses.map(({ from, to }) => ({ from: Math.max(from, since), to }));
	const states = statesOf(stretchesIn(own), above(), stretchesIn(own, ...ofEvse));
	const use = uses.findLast(({ to }) => to === Infinity);
	return {
		...NO_LIST,
		...states,
		known: shown.length === 0 ? states.known : merged([...states.known, ...shown]),
		lasting:
			lastingOf(stretchesIn(own)) ??
			(use && { key: CHARGING, since: use.from }) ??
			lastingOf(operativeIn(stretchesIn(...ofEvse))),
		name,
		is201: true,
	};
}

/** A vehicle charges at a connector or an EVSE, and when that was reported. */
interface InUse extends Span {
	readonly reports: readonly number[];
}

/** What is left of a state above a connector that has been in use since. */
function withoutUse(stretch: StateStretch, uses: readonly InUse[]): StateStretch[] {
	const { since } = stretch;
	let parts = [spanOf(stretch)];
	for (const { from, to, reports } of uses) {
		const begun = reports.find((t) => t >= since && t >= from && t < to);
		if (begun === undefined) continue;
		parts = parts.flatMap((part) =>
			[
				{ from: part.from, to: Math.min(part.to, begun) },
				{ from: Math.max(part.from, to), to: part.to },
			].filter((rest) => rest.from < rest.to),
		);
	}
	return parts.map((part) => ({ ...stretch, since: part.from, until: part.to }));
}

interface PlacedUse extends InUse {
	readonly connector: string;
}

/**
 * When vehicles charged, by the messages about transactions of OCPP 2.0.1, with the places that these name. A boot ends what is not
 * reported again, like a state.
 */
function usesIn(states: Iterable<EventFacts>, windows: readonly BootWindow[]): PlacedUse[] {
	const byTransaction = new Map<
		string,
		{ t: number; isCharging: boolean | undefined; connector: string | undefined }[]
	>();
	for (const { at: t, facts } of states) {
		for (const fact of facts) {
			if (fact.about !== 'use') continue;
			const { transaction, isCharging, connector } = fact;
			const own = byTransaction.get(transaction) ?? [];
			byTransaction.set(transaction, own);
			own.push({ t, isCharging, connector });
		}
	}
	return [...byTransaction.values()].flatMap((own) => {
		own.sort((a, b) => a.t - b.t);
		const said = own.filter(({ isCharging }) => isCharging !== undefined);
		const connector = own.find((one) => one.connector !== undefined)?.connector;
		if (connector === undefined) return [];
		const key = (isCharging: boolean | undefined) => (isCharging === true ? CHARGING : '');
		const reports = said.map(({ t, isCharging }) => ({ t, id: '', key: key(isCharging) }));
		reports.sort(inForceOrder);
		let next = 0;
		return stretchesOf(connector, reports, windows).map((stretch) => {
			const { from, to } = spanOf(stretch);
			const times: number[] = [];
			for (; (reports[next]?.t ?? Infinity) < to; next++) times.push(reports[next]?.t ?? from);
			return { from, to, connector, reports: times };
		});
	});
}

/**
 * With those that the asset list names, and the statuses that it knows where no event says anything. Its numbers are those of
 * EVSEs, unless an EVSE has a second connector: then only how many connectors it lists says something.
 */
function withListed(
	found: readonly ConnectorTimes[],
	listed: ListedStation | undefined,
	{ isNew = listed?.is201 === true }: Versions,
	portIs: HistoryQuestion['portIs'],
	station: StatusPlace | undefined,
): ConnectorTimes[] {
	const all = [...found];
	const connectors = listed?.connectors ?? [];
	const ofVersion = found.filter((one) => one.is201 === isNew);
	const hasOther = isNew && new Set(ofVersion.map(({ port }) => port)).size < ofVersion.length;
	if (hasOther && ofVersion.length >= connectors.length) return all;
	for (const one of connectors) {
		const { number } = one;
		const known = all.filter(
			({ is201: isOfNew, name, port }) => isOfNew === isNew && (isNew ? port : name) === number,
		);
		if (!hasOther) {
			for (const connector of known) {
				all[all.indexOf(connector)] = { ...connector, listed: one, exists: ALWAYS };
			}
		}
		if (known.length > 0) continue;
		const port = !isNew && portIs === 'station' ? STATION : number;
		const place = { name: isNew ? `${number}/1` : number, port, is201: isNew };
		all.push(connectorByList(hasOther ? { number } : one, place, station));
	}
	return all;
}

const ALWAYS: Span = { from: -Infinity, to: Infinity };

/** What the station says of itself counts, since the connector has shown nothing else. */
function connectorByList(
	listed: ListedConnector,
	place: Pick<ConnectorTimes, 'name' | 'port' | 'is201'>,
	station: StatusPlace | undefined,
): ConnectorTimes {
	const { status, updatedAt: since } = listed;
	const own: StateStretch[] = [];
	if (status !== undefined && since !== undefined) {
		const report = { t: since, id: '', key: status, d: { status } };
		own.push({ address: place.name, key: status, first: report, since, reports: [report] });
	}
	const states = statesOf(own, stretchesIn(station), own);
	const lasting = lastingOf(own);
	return { ...place, ...states, lasting, listed, isByList: own.length > 0, exists: ALWAYS };
}

/** The states of the station itself: they count for it before a connector is known. */
function ofStation(all: readonly StatusPlace[]): Pick<ConnectorTimes, 'faulted' | 'unavailable'> {
	const own = stretchesIn(...all.filter(({ address }) => address === STATION));
	return statesOf(own, [], []);
}
