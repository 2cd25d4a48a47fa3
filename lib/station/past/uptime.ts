/**
 * How long connectors, ports and stations were up in a period, and each time that they were down. A port is down if its EVSE is,
 * or if all of its connectors are; a station likewise with its ports. docs/uptime.md has the rules.
 */
import {
	type HistoryQuestion,
	historyOf,
	type KnownStation,
	type PlaceHistory,
	type StationHistory,
} from './history';
import type { StationFacts } from './log';
import type { PastPeriod } from './read';
import type { Span } from './spans';
import {
	byPart,
	combined,
	type DownCause,
	type ExcludedSpan,
	excluding,
	outagesIn,
	type Phase,
	shared,
	Sums,
	tally,
	type UnknownAs,
} from './tally';

export interface Exclusion extends ExcludedSpan {
	/** Every station if it is undefined, */
	readonly assetId: string | undefined;
	/** and every connector of the station. An EVSE stands for all of its connectors. */
	readonly connector: string | undefined;
}

export type Per = 'connector' | 'port' | 'station';

export interface OutageQuestion extends HistoryQuestion {
	readonly per: Per;
	readonly exclusions: readonly Exclusion[];
	/** Of the period: an item for each, or for each that has a time down. */
	readonly parts: readonly Span[];
	/** Called with each exclusion that fits a known place. */
	readonly onFit?: (exclusion: Exclusion) => void;
	/** Called with each station that the asset list does not have any more, and its last sign. */
	readonly onRemoved?: (assetId: string, at: number) => void;
}

export interface UptimeQuestion extends OutageQuestion {
	readonly unknownAs: UnknownAs;
}

type StationAsked = readonly [
	assetId: string,
	facts: StationFacts | undefined,
	known: KnownStation | undefined,
];

/** One item per place and part of the period, without the station. */
export function uptimeOf(
	station: StationAsked,
	past: PastPeriod,
	question: UptimeQuestion,
): Record<string, unknown>[] {
	const { parts, unknownAs } = question;
	const { places, finalUntil } = placesOf(station, past, question);
	const items: Record<string, unknown>[] = [];
	for (const { name, phases } of places) {
		let n = 0;
		for (const found of byPart(phases, parts)) {
			const { from = 0, to = 0 } = parts[n++] ?? {};
			items.push({
				...name,
				from: iso(from),
				to: iso(to),
				...tally(found, unknownAs),
				final: to <= finalUntil,
			});
		}
	}
	return items;
}

/**
 * One item per time down of a place, without the station, oldest first; one that lasts over the end of a part is an item in each.
 * Their minutes add up to `outageMinutes` of `uptimeOf`.
 */
export function outagesOf(
	station: StationAsked,
	past: PastPeriod,
	question: OutageQuestion,
): Record<string, unknown>[] {
	const { places, finalUntil } = placesOf(station, past, question);
	const itemsIn = (found: Iterable<Phase>) =>
		downTimesOf(found).map(({ from, to, ...outage }) => ({
			from: iso(from),
			to: to < past.to ? iso(to) : null,
			...outage,
			final: to <= finalUntil,
		}));
	const items: (ReturnType<typeof itemsIn>[number] & NamedPlace['name'])[] = [];
	for (const { name, phases } of places) {
		for (const found of byPart(phases, question.parts)) {
			for (const item of itemsIn(found)) items.push({ ...name, ...item });
		}
	}
	return items.sort((a, b) => a.from.localeCompare(b.from));
}

/** With their columns. */
function downTimesOf(phases: Iterable<Phase>) {
	const sums = new Sums();
	const outages = outagesIn(addedTo(sums, phases));
	const { outageMinutes, excludedOutageMinutes } = sums.figures('leftOut');
	const lengths = outages.map(({ from, to }) => to - from);
	const minutes = shared(outageMinutes, lengths);
	const excluded = shared(
		excludedOutageMinutes,
		outages.map(({ excludedMs }) => excludedMs),
	);
	return outages.map(({ from, to, causes, errorCode = null, excludedMs, reasons }, n) => ({
		from,
		to,
		minutes: minutes[n],
		cause: causeOf(causes),
		causes,
		errorCode,
		excludedMinutes: excluded[n],
		exclusionReasons: reasons,
		seconds: { outage: (to - from) / 1000, excludedOutage: excludedMs / 1000 },
	}));
}

function* addedTo(sums: Sums, phases: Iterable<Phase>): Generator<Phase, void> {
	for (const phase of phases) {
		sums.add(phase);
		yield phase;
	}
}

const iso = (at: number): string => new Date(at).toISOString();
const causeOf = ([first]: readonly DownCause[]): DownCause | undefined => first;

interface NamedPlace {
	/** The first columns of its items. */
	readonly name: Readonly<
		Record<'port' | 'connector' | 'connectorType' | 'powerType', string | null>
	>;
	readonly phases: Iterable<Phase>;
}

/** The places to return items for: the station if none is known. */
function placesOf(
	[assetId, facts, known]: StationAsked,
	past: PastPeriod,
	question: OutageQuestion,
): { places: NamedPlace[]; finalUntil: number } {
	const history = historyOf(facts, past, question, known);
	const { finalUntil, removedAt } = history;
	if (removedAt !== undefined) question.onRemoved?.(assetId, removedAt);
	const own = ofStation(assetId, question);
	const connectors = history.connectors.map((place) => ({
		...place,
		phases: excluding(place.phases, [...own, ...ofConnector(assetId, place, question)]),
	}));
	const { per } = question;
	const whole = { ...history, own: excluding(history.own, own), connectors };
	if (per === 'station' || connectors.length === 0) {
		const name = { port: null, connector: null, ...typesOf(connectors) };
		return { places: [{ name, phases: phasesOfStation(whole) }], finalUntil };
	}
	const places =
		per === 'port' ? portsOf(whole).map(placeOfPort) : connectors.map(placeOfConnector);
	return { places, finalUntil };
}

function ofStation(assetId: string, { exclusions, onFit }: OutageQuestion): Exclusion[] {
	const fitting = exclusions.filter(
		(one) => (one.assetId ?? assetId) === assetId && one.connector === undefined,
	);
	for (const one of fitting) onFit?.(one);
	return fitting;
}

function ofConnector(
	assetId: string,
	{ connector, port }: PlaceHistory,
	{ exclusions, onFit }: OutageQuestion,
): Exclusion[] {
	const fitting = exclusions.filter(
		(one) =>
			(one.assetId ?? assetId) === assetId &&
			(one.connector === connector || one.connector === port),
	);
	for (const one of fitting) onFit?.(one);
	return fitting;
}

interface Port {
	readonly port: string;
	readonly connectors: readonly PlaceHistory[];
	readonly phases: Iterable<Phase>;
}

function portsOf({ own, connectors }: StationHistory): Port[] {
	return [...Map.groupBy(connectors, ({ port }) => port)].map(([port, ofPort]) => ({
		port,
		connectors: ofPort,
		phases: combined(
			own,
			ofPort.map(({ phases }) => phases),
		),
	}));
}

function phasesOfStation(history: StationHistory): Iterable<Phase> {
	return combined(
		history.own,
		portsOf(history).map(({ phases }) => phases),
	);
}

const placeOfConnector = ({ port, connector, phases, ...place }: PlaceHistory): NamedPlace => ({
	name: { port, connector, ...typesOf([place]) },
	phases,
});

const placeOfPort = ({ port, connectors, phases }: Port): NamedPlace => {
	const [only, ...others] = connectors;
	const connector = only !== undefined && others.length === 0 ? only.connector : null;
	return { name: { port, connector, ...typesOf(connectors) }, phases };
};

function typesOf(
	places: readonly Pick<PlaceHistory, 'connectorType' | 'powerType'>[],
): Pick<NamedPlace['name'], 'connectorType' | 'powerType'> {
	const all = (types: readonly (string | undefined)[]) =>
		[...new Set(types.filter((type) => type !== undefined))].join(', ') || null;
	return {
		connectorType: all(places.map(({ connectorType }) => connectorType)),
		powerType: all(places.map(({ powerType }) => powerType)),
	};
}
