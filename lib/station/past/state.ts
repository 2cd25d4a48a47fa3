/** The state of a station from the facts of a period, without the bounds of a state that is stored, and when it is decided. */
import type { Owner } from '../common/incident';
import { STRAGGLER_MS, type StationSettings } from '../common/settings';
import type { Report, StationState } from '../common/state';
import type { Moment } from '../decide/moment';
import type { EventFacts, Fact } from '../facts';
import { CONNECTION } from '../fold/components';
import { OFFLINE, outagesOf } from '../fold/outages';
import { isWatched } from '../fold/quiet';
import { bootOf, know, type Placed, reportOf } from '../fold/station';
import { inForceOrder } from '../fold/timeline';
import type { StationFacts } from './log';

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

/** What is watched, by what was created before `end`; of connections also by what shows soon after it what they were. */
export function stateOf(facts: StationFacts, settings: StationSettings, end: number): StationState {
	if (settings.kind === 'stationOffline') {
		return { lines: { [CONNECTION]: connectionOf(facts, end + STRAGGLER_MS) } };
	}
	return stateBy(facts, end, (fact, event) =>
		isWatched(fact, settings) ? reportOf(fact, event, settings) : undefined,
	);
}

/** What all components said. */
export function stateBy(
	facts: StationFacts,
	end: number,
	placedOf: (fact: Fact, event: EventFacts) => Placed | undefined,
): StationState {
	const state: StationState = {};
	const lines = (state.lines = {} as Record<string, { reports: Report[] }>);
	const known = (state.known = {});
	for (const event of facts.states) {
		if (event.at >= end) continue;
		for (const fact of event.facts) {
			const boot = bootOf(fact, event);
			if (boot !== undefined) (state.boots ??= []).push(boot);
			const placed = placedOf(fact, event);
			if (placed === undefined) continue;
			know(known, fact, event);
			const line = lines[placed.name];
			if (line === undefined) lines[placed.name] = { reports: [placed.report] };
			else line.reports.push(placed.report);
		}
	}
	// It pauses the time that stations have after a boot.
	if (state.boots !== undefined) lines[CONNECTION] = connectionOf(facts, end);
	return state;
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
		let [low, high] = [0, sorted.length];
		while (low < high) {
			const middle = (low + high) >> 1;
			if ((times[sorted[middle] ?? 0] ?? 0) > t) high = middle;
			else low = middle + 1;
		}
		const n = sorted[low];
		const at = n === undefined ? undefined : times[n];
		return n === undefined || at === undefined || at >= until ? undefined : { t: at, id: idAt(n) };
	};
}
