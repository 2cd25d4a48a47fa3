/** The state of a station from the facts of a period, without the bounds of a state that is stored, and when it is decided. */
import { countBefore } from '../../shared/sorted';
import type { Owner } from '../common/incident';
import { evseOfAddress, isNumbered } from '../common/places';
import { STRAGGLER_MS, type StationSettings } from '../common/settings';
import type { Report, StationState } from '../common/state';
import type { Moment } from '../decide/moment';
import type { EventFacts, Fact } from '../facts';
import { addressOfLine, CONNECTION } from '../fold/components';
import { OFFLINE, outagesOf } from '../fold/outages';
import { isWatched } from '../fold/quiet';
import { bootOf, know, reportOf } from '../fold/station';
import { inForceOrder } from '../fold/timeline';
import { changesOf } from '../fold/versions';
import { Reports, Sayings } from './lines';
import type { StationFacts } from './log';
import { merged, Spans } from './spans';

/** Everything that began is reported, of every station. */
export function pastMoment(owner: Owner, settings: StationSettings, watermark: number): Moment {
	return {
		workflowId: owner.workflowId,
		nodeId: owner.nodeId,
		settings,
		watermark,
		generation: 0,
		publishedAt: -Infinity,
		horizon: Infinity,
		listing: undefined,
	};
}

interface StateOptions {
	/** Called with each fact about a place that is watched. */
	readonly onFact?: (fact: Fact, event: EventFacts) => void;
	/** For the present: of numbered places, what was over by this time, up to which everything is decided, does not count. */
	readonly decidedUpTo?: number;
}

/** What is watched, by what was created before `end`; of connections also by what shows soon after it what they were. */
export function stateOf(
	facts: StationFacts,
	settings: StationSettings,
	end: number,
	{ onFact, decidedUpTo }: StateOptions = {},
): StationState {
	if (settings.kind === 'stationOffline') {
		return { lines: { [CONNECTION]: connectionOf(facts, end + STRAGGLER_MS) } };
	}
	const lines: Record<string, { reports: Report[] }> = {};
	const known = {};
	const state: StationState = { lines, known };
	const statuses = new Map<string, Reports>();
	const sayings = new Sayings();
	/** When something was said of a component without a number: it can be any of them. */
	const marks: number[] = [];
	for (const { place, ...event } of facts.states) {
		if (event.at >= end) continue;
		for (const fact of event.facts) {
			const boot = bootOf(fact, event);
			if (boot !== undefined) (state.boots ??= []).push(boot);
			if (!isWatched(fact, settings)) continue;
			onFact?.(fact, event);
			know(known, fact, event);
			if (fact.about === 'status' && isNumbered(fact.connector)) {
				const reports = statuses.get(fact.connector) ?? new Reports(facts.idOf, sayings);
				statuses.set(fact.connector, reports);
				lines[fact.connector] ??= { reports: [] };
				const said = sayings.of(fact, () => sayingOf(reportOf(fact, event, settings)?.report));
				reports.add(event.at, place, said);
				continue;
			}
			const placed = reportOf(fact, event, settings);
			if (placed === undefined) continue;
			if (fact.about === 'status') marks.push(event.at);
			(lines[placed.name] ??= { reports: [] }).reports.push(placed.report);
		}
	}
	const unnumbered = marks.length;
	for (const { t, as } of state.boots ?? []) if (as === undefined) marks.push(t);
	for (const reports of statuses.values()) reports.sort();
	const changes = changesIn(state, statuses);
	for (const { t } of changes) marks.push(t);
	marks.sort((a, b) => a - b);
	// Otherwise, what one of them says can be about another one.
	const isPlain = unnumbered === 0 && changes.length === 0;
	const isOfAll = decidedUpTo === undefined || !isPlain;
	const since = isOfAll ? undefined : lastingSince(statuses, decidedUpTo);
	for (const [name, reports] of statuses) {
		const from = since === undefined ? -Infinity : (since.get(portOf(name)) ?? Infinity);
		lines[name] = { reports: neededOf(reports, marks, from) };
	}
	// It pauses the time that stations have after a boot.
	if (state.boots !== undefined) lines[CONNECTION] = connectionOf(facts, end);
	return state;
}

/** The first reports in another version of OCPP. */
function changesIn({ lines = {} }: StationState, statuses: ReadonlyMap<string, Reports>) {
	const unnumbered = Object.entries(lines).flatMap(([name, { reports }]) => {
		const { address, component } = addressOfLine(name);
		return component === undefined && !isNumbered(address) ? [{ address, reports }] : [];
	});
	const numbered = [...statuses].map(([address, reports]) => ({ address, reports }));
	return changesOf([...numbered, ...unnumbered]).map(({ report }) => report);
}

function sayingOf({ t: _t, id: _id, ...said }: Report = { t: 0, id: '', key: '' }) {
	return said;
}

/** An EVSE and its only connector are one place. */
const portOf = (address: string): string => evseOfAddress(address) ?? address;

/** Since when something that may last has been so at a port, with all that touches it. */
function lastingSince(
	statuses: ReadonlyMap<string, Reports>,
	decidedUpTo: number,
): Map<string, number> {
	const spans = new Map<string, Spans>();
	for (const [address, reports] of statuses) {
		const port = portOf(address);
		const own = spans.get(port) ?? new Spans();
		spans.set(port, own);
		let since: number | undefined;
		for (const { t, key } of reports) {
			if (key !== '') since ??= t;
			else if (since !== undefined) {
				// Whether it is over, or a boot before has ended it, is not decided.
				own.add(since, t < decidedUpTo ? t : Infinity);
				since = undefined;
			}
		}
		if (since !== undefined) own.add(since, Infinity);
	}
	const found = new Map<string, number>();
	for (const [port, own] of spans) {
		const last = merged(own).begunBy(Infinity);
		if (last?.to === Infinity) found.set(port, last.from);
	}
	return found;
}

/**
 * Without those that say once more that nothing which is watched is so: most of a million. But the first one after a mark counts: it
 * shows that its connector reported after a boot, or ends what was said of a component without a number, or in the other version.
 * Nothing before `from` is watched.
 */
function neededOf(reports: Reports, marks: readonly number[], from: number): Report[] {
	const needed: Report[] = [];
	let next = 0;
	for (const report of reports) {
		const { t } = report;
		const key = t < from ? '' : report.key;
		const last = needed.at(-1);
		const isRepeated = key === '' && last?.key === '' && last.t < t;
		// One at the time of the last report may come after it.
		while ((marks[next] ?? Infinity) < (last?.t ?? -Infinity)) next++;
		const isMarked = (marks[next] ?? Infinity) <= t;
		if (!isRepeated || isMarked) needed.push(report.whole(key));
	}
	return needed;
}

const CONNECTION_ONLY = { kind: 'stationOffline', statuses: [] } as const;

/** The reports of the connection, and the signs of life that end an outage, or show what it was. */
export function connectionOf(facts: StationFacts, until: number): { reports: Report[] } {
	const loud = facts.connections
		.filter(({ at }) => at < until)
		.flatMap((event) =>
			event.facts.flatMap((fact) =>
				fact.about === 'connection' ? (reportOf(fact, event, CONNECTION_ONLY)?.report ?? []) : [],
			),
		)
		.sort(inForceOrder);
	if (!loud.some(({ key }) => key === OFFLINE)) return { reports: loud };
	const signAfter = signsOf(facts, until);
	const used = new Map<number, Report>();
	outagesOf(
		loud,
		(t) => {
			const sign = signAfter(t);
			if (sign !== undefined) used.set(sign.t, { ...sign, key: '', quiet: true });
			return sign;
		},
		Infinity,
	);
	return { reports: [...loud, ...used.values()] };
}

/** The first sign of life that was sent after a time. */
function signsOf({ signs: { times, places }, idOf }: StationFacts, until: number) {
	const idAt = (n: number) => idOf(places[n] ?? 0);
	const sorted = [...times.keys()].sort((a, b) => {
		const [first = 0, second = 0] = [times[a], times[b]];
		return first - second || (idAt(a) < idAt(b) ? -1 : 1);
	});
	return (t: number) => {
		const n = sorted[countBefore(sorted.length, (index) => (times[sorted[index] ?? 0] ?? 0) <= t)];
		const at = n === undefined ? undefined : times[n];
		return n === undefined || at === undefined || at >= until ? undefined : { t: at, id: idAt(n) };
	};
}
