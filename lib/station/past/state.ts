/** The state of a station from the facts of a period, without the bounds of a state that is stored, and when it is decided. */
import { inSteps, sortedInSteps, type Steps } from '../../shared/steps';
import type { Owner } from '../common/incident';
import { OLD_SOCKET_MS, type StationSettings } from '../common/settings';
import type { Report, StationState, Timeline } from '../common/state';
import type { Moment } from '../decide/moment';
import type { EventFacts } from '../facts';
import { inOrder } from '../fold/sets';
import { isQuiet, isWatched, reportOf } from '../fold/station';
import { timelineOf } from '../fold/timeline';
import type { StationFacts } from './read';

/** Everything that began is reported, of every station. */
export function pastMoment(owner: Owner, settings: StationSettings, watermark: number): Moment {
	return {
		...{ workflowId: owner.workflowId, nodeId: owner.nodeId, settings, watermark },
		...{ generation: 0, publishedAt: -Infinity, horizon: Infinity, listing: undefined },
	};
}

/** How a station writes a status: settings name statuses exactly as stations send them. */
export function* spellingsOf({ states }: StationFacts, status: string): Steps<string[]> {
	const found = new Set<string>();
	yield* inSteps(states, ({ facts }) => {
		for (const fact of facts) {
			if (fact.about === 'status' && fact.status.toLowerCase() === status) found.add(fact.status);
		}
	});
	return [...found];
}

interface Lines {
	readonly reports: Report[];
	readonly quiet: Report[];
}

/** The timelines by what was created before `end`; of connections also by what shows soon after it that a socket was older. */
export function* stateOf(
	facts: StationFacts,
	settings: StationSettings,
	end: number,
): Steps<StationState> {
	const isOffline = settings.kind === 'stationOffline';
	const until = isOffline ? end + OLD_SOCKET_MS : end;
	const found = new Map<string, Lines>();
	yield* inSteps(isOffline ? facts.connections : facts.states, (event) => {
		if (event.at < until) place(event, settings, found);
	});
	const lines: (readonly [string, Timeline])[] = [];
	for (const [name, { reports, quiet }] of found) {
		const after = yield* isOffline ? signAfter(facts, until) : firstOf(quiet);
		lines.push([name, yield* timelineOf(reports, after)]);
	}
	return { t: 0, lines: Object.fromEntries(lines) };
}

function place(event: EventFacts, settings: StationSettings, found: Map<string, Lines>): void {
	for (const fact of event.facts) {
		const placed = isWatched(fact, settings) ? reportOf(fact, event, settings) : undefined;
		if (placed === undefined) continue;
		const line = found.get(placed.name) ?? { reports: [], quiet: [] };
		found.set(placed.name, line);
		(isQuiet(fact) ? line.quiet : line.reports).push(placed.report);
	}
}

type ReportAfter = (report: Report) => Report | undefined;

/** The first report of the same source after a report. */
function* firstOf(quiet: readonly Report[]): Steps<ReportAfter> {
	const sourceOf = ({ of = '', part = '' }: Report) => `${of} ${part}`;
	const sorted = new Map<string, Report[]>();
	yield* inSteps(yield* sortedInSteps(quiet, inOrder), (report) => {
		const source = sourceOf(report);
		const own = sorted.get(source);
		if (own === undefined) sorted.set(source, [report]);
		else own.push(report);
	});
	return (report) => {
		const own = sorted.get(sourceOf(report)) ?? [];
		return firstAfter(report, own.length, (n) => own[n]);
	};
}

/** The first sign of life after a report. */
function* signAfter({ signs: { times, ids } }: StationFacts, until: number): Steps<ReportAfter> {
	const signAt = (n = 0): Report => ({ t: times[n] ?? 0, id: ids[n] ?? '', key: '' });
	const sorted = yield* sortedInSteps([...times.keys()], (a, b) => inOrder(signAt(a), signAt(b)));
	return (report) => {
		const sign = firstAfter(report, sorted.length, (n) => signAt(sorted[n]));
		return sign === undefined || sign.t >= until ? undefined : sign;
	};
}

/** Of `count` reports in order. */
function firstAfter(
	report: Report,
	count: number,
	at: (n: number) => Report | undefined,
): Report | undefined {
	let [low, high] = [0, count];
	while (low < high) {
		const middle = (low + high) >> 1;
		const found = at(middle);
		if (found !== undefined && inOrder(found, report) > 0) high = middle;
		else low = middle + 1;
	}
	return low < count ? at(low) : undefined;
}
