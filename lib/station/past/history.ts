/** What was true of each place of a station at each moment of a period: from its facts to phases. */
import { flatMapped, inSteps, type Steps } from '../../shared/steps';
import type { Owner } from '../common/incident';
import type { StationSettings } from '../common/settings';
import { stretchesOf } from '../decide/parts';
import type { ConnectionSettings } from '../facts';
import { evseOf } from '../facts/values';
import { type Run, runsOfAll } from '../fold/timeline';
import type { Past, StationFacts } from './read';
import { merged, type Span, sweep } from './spans';
import { pastMoment, spellingsOf, stateOf } from './state';
import { DOWN_CAUSES, type Phase } from './tally';

/** A place that is known, for the whole period. */
export interface PlaceHistory {
	/** As items name it: `1`, or `1/2` for connector 2 of EVSE 1. */
	readonly connector: string;
	/** Where one vehicle at a time can charge: an EVSE, or a connector of OCPP 1.6. */
	readonly port: string;
	/** By the asset list. */
	readonly connectorType?: string | undefined;
	readonly powerType?: string | undefined;
	readonly phases: readonly Phase[];
}

export interface StationHistory {
	/** Of the station as a whole. */
	readonly own: readonly Phase[];
	/** Of each port that reports a state of its own: its EVSE. */
	readonly evses: ReadonlyMap<string, readonly Phase[]>;
	readonly connectors: readonly PlaceHistory[];
	/** No later event can change what is said of the time before it. */
	readonly finalUntil: number;
	/** The last sign of a station that the asset list does not have any more. */
	readonly removedAt?: number | undefined;
}

export interface HistoryQuestion {
	readonly countUnavailable: boolean;
	readonly words: ConnectionSettings;
	/** What a port is in OCPP 1.6: a connector by default. */
	readonly portIs?: 'connector' | 'station';
}

const STATION = '0';

/** Sets of moments, as merged spans. */
interface Layers {
	readonly offline: readonly Span[];
	readonly faulted: readonly Span[];
	readonly unavailable: readonly Span[];
	readonly known: readonly Span[];
}

const NEITHER: Owner = { workflowId: '', nodeId: '' };
const NO_FACTS: StationFacts = {
	...{ connections: [], states: [], sessions: [], signs: { times: [], ids: [] } },
};

export function* historyOf(
	facts: StationFacts = NO_FACTS,
	past: Pick<Past, 'from' | 'to' | 'serviceNow'>,
	question: HistoryQuestion,
): Steps<StationHistory> {
	const { names, of } = yield* layersOf(facts, past, question);
	const connectors: PlaceHistory[] = [];
	for (const connector of names) {
		const phases = yield* phasesOf(yield* of(connector), past);
		const isOfStation = question.portIs === 'station' && !connector.includes('/');
		connectors.push({ connector, port: isOfStation ? STATION : evseOf(connector), phases });
	}
	const own = yield* phasesOf(yield* of(undefined), past);
	return { own, evses: new Map(), connectors, finalUntil: Infinity };
}

function* phasesOf(
	{ offline, faulted, unavailable, known }: Layers,
	{ from, to }: Span,
): Steps<Phase[]> {
	const layers = [offline, [], faulted, unavailable];
	const phases = [...sweep([...layers, known], { from, to })].map(({ isIn, ...span }) => ({
		...span,
		causes: DOWN_CAUSES.filter((_cause, n) => isIn[n]),
		isKnown: isIn[layers.length] === true,
	}));
	yield;
	return phases;
}

function* layersOf(
	facts: StationFacts,
	{ to, serviceNow }: Pick<Past, 'from' | 'to' | 'serviceNow'>,
	{ words, countUnavailable }: HistoryQuestion,
): Steps<{ names: string[]; of: (connector: string | undefined) => Steps<Layers> }> {
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
	const names = [...knownFrom.keys()].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
	const of = function* (connector: string | undefined): Steps<Layers> {
		const places = connector === undefined ? [STATION] : [STATION, connector, evseOf(connector)];
		// Another connector of its EVSE is down only since the EVSE is.
		const sinceHere = (run: Run) =>
			Math.min(...places.map((place) => run.places.get(place) ?? Infinity));
		const since = connector === undefined ? undefined : knownFrom.get(connector);
		return {
			offline,
			faulted: yield* spansOf(faultRuns, sinceHere),
			unavailable: yield* spansOf(unavailableRuns, sinceHere),
			known: since === undefined ? [] : [{ from: since, to: Infinity }],
		};
	};
	return { names, of };
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
