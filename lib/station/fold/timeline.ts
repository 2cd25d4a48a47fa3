/**
 * The reports of a station, a connector, or an EVSE with its connectors, as a set: the state at any time follows from it,
 * in whatever order the reports arrived. Compacting it up to a time keeps what tells how the states in force then began,
 * which changes nothing for later reports.
 */
import type { Report, Timeline } from '../common/state';
import { isNone, NamedCodes } from './codes';
import { add, inOrder } from './sets';

export const emptyTimeline = (): Timeline => ({ reports: [] });

/** Returns whether it changed. */
export function addReport(timeline: Timeline, report: Report): boolean {
	const { reports, cut = -Infinity } = timeline;
	if (report.t < cut) return false;
	return add(reports, report, Infinity, isSame(report), (known, added) =>
		textOf(added) > textOf(known) ? added : known,
	);
}

const isSame =
	({ t, id, of, part }: Report) =>
	(other: Report): boolean =>
		t === other.t && id === other.id && of === other.of && part === other.part;

const textOf = ({ key, d }: Report) => JSON.stringify([key, d]);

/**
 * Adds a report that is kept only if it ends something: one that directly follows a report of a watched state; or, because
 * an older one may still be read, that directly follows the end of a stretch of the list that is unread.
 */
export function addQuiet(timeline: Timeline, report: Report, unreadUpTo: readonly number[]): void {
	const { reports, cut = -Infinity } = timeline;
	if (report.t < cut || reports.some(isSame(report))) return;
	const before = reports.findLast(
		(other) => isOfOneSource(other, report) && inOrder(other, report) < 0,
	);
	if (isEnd(before, report, unreadUpTo)) addReport(timeline, report);
}

/** Drops those that end nothing any more. */
export function dropQuiet(timeline: Timeline, unreadUpTo: readonly number[]): void {
	const last = new Map<string, Report>();
	timeline.reports = timeline.reports.filter((report) => {
		const source = sourceOf(report);
		const isKept = !report.quiet || isEnd(last.get(source), report, unreadUpTo);
		if (isKept) last.set(source, report);
		return isKept;
	});
}

const isEnd = (before: Report | undefined, { t }: Report, unreadUpTo: readonly number[]) =>
	(before?.key ?? '') !== '' ||
	unreadUpTo.some((end) => (before?.t ?? -Infinity) <= end && end < t);

const sourceOf = ({ of = '', part = '' }: Report) => `${of} ${part}`;
const isOfOneSource = (a: Report, b: Report) => a.of === b.of && a.part === b.part;

/**
 * The timeline that `addReport` and `addQuiet` make of these reports one by one, whatever their number. `quietAfter` is the
 * first report after another one of the same source that only ends something.
 */
export function timelineOf(
	reports: readonly Report[],
	quietAfter: (report: Report) => Report | undefined,
): Timeline {
	const known = new Map<string, Report>();
	for (const report of reports) {
		const key = `${report.t} ${report.id} ${sourceOf(report)}`;
		const other = known.get(key);
		if (other === undefined || textOf(report) > textOf(other)) known.set(key, report);
	}
	const loud = [...known.values()].sort(inOrder);
	const next = new Map<string, Report>();
	const quiet: Report[] = [];
	for (const report of loud.toReversed()) {
		const source = sourceOf(report);
		const after = next.get(source);
		next.set(source, report);
		const found = report.key === '' ? undefined : quietAfter(report);
		if (found === undefined || (after !== undefined && inOrder(found, after) >= 0)) continue;
		quiet.push({ ...found, quiet: true });
	}
	return { reports: quiet.length > 0 ? [...loud, ...quiet].sort(inOrder) : loud };
}

/**
 * Removes the reports before `cut`, except those of states that were in force then, or since `from`. While older reports may
 * still be read (`isOpen`), the first one of each source that ends something stays: those before it are over by then.
 */
export function compact(
	timeline: Timeline,
	name: string,
	{ cut, from = cut, isOpen = false }: { cut: number; from?: number; isOpen?: boolean },
): void {
	if ((timeline.cut ?? cut) < cut) delete timeline.cut;
	if ((timeline.reports[0]?.t ?? Infinity) >= cut) return;
	const inForce = runsOf(timeline, name, Infinity).filter(({ until = Infinity }) => until >= from);
	const kept = new Set(inForce.flatMap(({ reports }) => withoutRepeats(reports)));
	const ends = isOpen ? timeline.reports.filter(({ key }) => key === '') : [];
	for (const report of new Map(ends.reverse().map((each) => [sourceOf(each), each])).values())
		kept.add(report);
	timeline.reports = timeline.reports.filter((report) => report.t >= cut || kept.has(report));
}

/** Without reports that say the same as the one before, and name no code that none has named. */
function withoutRepeats(reports: readonly Report[]): Report[] {
	const last = new Map<string, string>();
	const named = new NamedCodes();
	return reports.filter((report) => {
		const source = sourceOf(report);
		const isRepeat = last.get(source) === report.key;
		last.set(source, report.key);
		const isNews = report.key !== '' && !isNone(named.add(report.d));
		return !isRepeat || isNews;
	});
}

/** A stretch of time in which the state was the same, and watched. */
export interface Run {
	/** The connector, or the EVSE or station as a whole, that it began with. */
	readonly connector: string;
	/** With those that share it, an EVSE as a whole and one of its connectors: since when each of them does. */
	readonly places: ReadonlyMap<string, number>;
	readonly key: string;
	readonly first: Report;
	readonly since: number;
	/** When the state ended, and the event that says so; absent if it lasts. */
	readonly until?: number;
	readonly to?: string;
	/** A sign of life ended it, and no report. */
	readonly isEndedBySign?: boolean;
	/** All about it, with the one that ended it. */
	readonly reports: readonly Report[];
	/** Of one that is united from those of several connectors. */
	readonly parts?: readonly Run[];
}

interface OpenRun extends Run {
	readonly places: Map<string, number>;
	readonly reports: Report[];
	/** Whether the last status is that of the run, and which components have a problem. */
	hasStatus: boolean;
	readonly problems: Set<string>;
}

/**
 * The watched stretches, by the reports up to `horizon`, oldest first. What an EVSE says about itself while one of its
 * connectors is in the same state, or the other way round, is about the same thing: the first of the two that is over
 * ends it.
 */
export function runsOf({ reports }: Timeline, name: string, horizon: number): Run[] {
	const runs: Run[] = [];
	const open = new Set<OpenRun>();
	for (const report of reports) {
		if (report.t > horizon) break;
		const place = report.of ?? name;
		let known = [...open].find(({ places }) => places.has(place));
		if (known !== undefined && !isOver(known, report)) continue;
		if (known !== undefined) {
			open.delete(known);
			const isEndedBySign = report.quiet === true && report.part === undefined;
			runs.push({ ...known, until: report.t, to: report.id, isEndedBySign });
		}
		if (report.key === '') continue;
		known = [...open].find(
			({ key, places }) =>
				key === report.key && places.size === 1 && (place === name) !== places.has(name),
		);
		if (known === undefined) {
			const run = { connector: place, key: report.key, first: report, since: report.t };
			const sources = { hasStatus: false, problems: new Set<string>() };
			known = { ...run, places: new Map<string, number>(), reports: [], ...sources };
			open.add(known);
		}
		known.places.set(place, report.t);
		isOver(known, report);
	}
	return [...runs, ...open].sort((a, b) => inOrder(a.first, b.first));
}

/** Adds the report to the run, and returns whether that is over. */
function isOver(run: OpenRun, report: Report): boolean {
	run.reports.push(report);
	const problem = `${report.of ?? ''} ${report.part ?? ''}`;
	if (report.part === undefined) run.hasStatus = report.key === run.key;
	else if (report.key === '') run.problems.delete(problem);
	else run.problems.add(problem);
	return !run.hasStatus && run.problems.size === 0;
}
