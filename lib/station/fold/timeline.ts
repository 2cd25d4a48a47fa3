/**
 * The reports of a station, a connector, or an EVSE with its connectors, as a set: the state at any time follows from it,
 * in whatever order the reports arrived. Compacting it up to a time keeps what tells how the states in force then began,
 * which changes nothing for later reports.
 */
import { flatMapped, inOneGo, inSteps, sortedInSteps, type Steps } from '../../shared/steps';
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
 * an older one may still be read, that directly follows the end of a stretch of the list that is unread. Returns whether it is.
 */
export function addQuiet(
	timeline: Timeline,
	report: Report,
	unreadUpTo: readonly number[],
): boolean {
	const { reports, cut = -Infinity } = timeline;
	if (report.t < cut || reports.some(isSame(report))) return false;
	const before = reports.findLast(
		(other) => isOfOneSource(other, report) && inOrder(other, report) < 0,
	);
	return isEnd(before, report, unreadUpTo) && addReport(timeline, report);
}

/** Drops those that end nothing any more. Returns whether there were such. */
export function dropQuiet(timeline: Timeline, unreadUpTo: readonly number[]): boolean {
	const { reports } = timeline;
	if (!reports.some(({ quiet }) => quiet)) return false;
	const last = new Map<string, Report>();
	timeline.reports = reports.filter((report) => {
		const source = sourceOf(report);
		const isKept = !report.quiet || isEnd(last.get(source), report, unreadUpTo);
		if (isKept) last.set(source, report);
		return isKept;
	});
	return timeline.reports.length < reports.length;
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
export function* timelineOf(
	reports: readonly Report[],
	quietAfter: (report: Report) => Report | undefined,
): Steps<Timeline> {
	const loud: Report[] = [];
	yield* inSteps(yield* sortedInSteps(reports, inOrder), (report) => {
		let n = loud.length - 1;
		const isOfOneEvent = (other: Report | undefined) =>
			other !== undefined && inOrder(other, report) === 0;
		while (isOfOneEvent(loud[n]) && sourceOf(loud[n] ?? report) !== sourceOf(report)) n -= 1;
		const other = loud[n];
		if (other === undefined || !isOfOneEvent(other)) loud.push(report);
		else if (textOf(report) > textOf(other)) loud[n] = report;
	});
	const next = new Map<string, Report>();
	const quiet = yield* flatMapped(loud.toReversed(), (report) => {
		const source = sourceOf(report);
		const after = next.get(source);
		next.set(source, report);
		const found = report.key === '' ? undefined : quietAfter(report);
		const isNeeded = found && (after === undefined || inOrder(found, after) < 0);
		return isNeeded === true ? [{ ...found, quiet: true }] : [];
	});
	const isChanged = quiet.length > 0;
	return { reports: isChanged ? yield* sortedInSteps(loud.concat(quiet), inOrder) : loud };
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
	const kept = new Set(inForce.flatMap(({ reports }) => reports));
	const ends = isOpen ? timeline.reports.filter(({ key }) => key === '') : [];
	for (const report of new Map(ends.reverse().map((each) => [sourceOf(each), each])).values())
		kept.add(report);
	const reports = timeline.reports.filter((report) => report.t >= cut || kept.has(report));
	// Once what these ended is dropped, they must not end the stretch of another connector in its place.
	const isSettled = ({ t, id, of: place = name }: Report) =>
		t < cut && !inForce.some(({ to, places }) => to === id && !places.has(place));
	timeline.reports = reports.some(({ only }) => only)
		? reports.map((report) => (isSettled(report) ? { ...report, settled: true } : report))
		: reports;
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
	/** All about it, with the one that ended it, but without those that say the same as the one before and name no new code. */
	readonly reports: readonly Report[];
	/** Of one that is united from those of several connectors. */
	readonly parts?: readonly Run[];
}

interface OpenRun extends Run {
	readonly places: Map<string, number>;
	readonly reports: Report[];
	/** What each source said last. */
	readonly last: Map<string, string>;
	/** What the reports name, once one of them is repeated. */
	named?: NamedCodes;
	/** It began with what the EVSE says of its only connector, and the EVSE has said nothing of itself since. */
	isOnly: boolean;
	/** Whether the last status is that of the run, and which components have a problem. */
	hasStatus: boolean;
	readonly problems: Set<string>;
}

/** Those of all timelines. */
export function* runsOfAll(
	lines: Readonly<Record<string, Timeline>> = {},
	horizon: number,
): Steps<Run[]> {
	const all: Run[][] = [];
	for (const [name, line] of Object.entries(lines)) all.push(yield* runsIn(line, name, horizon));
	return all.flat();
}

export const runsOf = (...of: Parameters<typeof runsIn>): Run[] => inOneGo(runsIn(...of));

/**
 * The watched stretches, by the reports up to `horizon`, oldest first. What an EVSE says about itself while one of its
 * connectors is in the same state, or the other way round, is about the same thing: the first of the two that is over
 * ends it.
 */
function* runsIn({ reports }: Timeline, name: string, horizon: number): Steps<Run[]> {
	// Most timelines.
	if (!reports.some(({ key }) => key !== '')) return [];
	const runs: Run[] = [];
	const open: OpenRun[] = [];
	let before: Report | undefined;
	yield* inSteps(reports, (report) => {
		if (report.t > horizon) return;
		const place = report.of ?? name;
		const own = open.find(({ places }) => places.has(place));
		// One that is sent again ends nothing else.
		const other = isSaidAgain(before, report) ? undefined : otherwiseNamed(open, own, report);
		before = report;
		let isKept = false;
		for (const run of [own, other]) {
			if (run === undefined) continue;
			if (!isOver(run, report)) {
				isKept = true;
				continue;
			}
			open.splice(open.indexOf(run), 1);
			const isEndedBySign = report.quiet === true && report.part === undefined;
			runs.push({ ...run, until: report.t, to: report.id, isEndedBySign });
		}
		if (isKept || report.key === '') return;
		let known = open.find(
			({ key, places }) =>
				key === report.key && places.size === 1 && (place === name) !== places.has(name),
		);
		if (known === undefined) {
			const run = { connector: place, key: report.key, first: report, since: report.t };
			const sources = { problems: new Set<string>(), last: new Map<string, string>() };
			const places = new Map<string, number>();
			known = {
				...run,
				...sources,
				places,
				reports: [],
				hasStatus: false,
				isOnly: report.only === true,
			};
			open.push(known);
		}
		known.places.set(place, report.t);
		isOver(known, report);
	});
	return yield* sortedInSteps([...runs, ...open], (a, b) => inOrder(a.first, b.first));
}

/**
 * The stretch that a report of another state is about, next to that of its own place: it speaks of the only connector of the
 * EVSE, or all that was said of the EVSE does.
 */
function otherwiseNamed(
	open: readonly OpenRun[],
	own: OpenRun | undefined,
	{ key, of, only, settled }: Report,
): OpenRun | undefined {
	// Which connector its place is, is known.
	const isNamed = [...(own?.places.keys() ?? [])].some(
		(place) => place !== of && isNumbered(place),
	);
	if ((of === undefined && !only) || settled || isNamed) return undefined;
	const [run, ...more] = open.filter((one) => one !== own);
	if (run === undefined || more.length > 0 || run.key === key) return undefined;
	return (only ?? (run.isOnly && run.places.size === 1)) ? run : undefined;
}

const isNumbered = (place: string): boolean => place.includes('/');

function isSaidAgain(before: Report | undefined, report: Report): boolean {
	const isOfSame = before !== undefined && isOfOneSource(before, report);
	return isOfSame && before.key === report.key && before.only === report.only;
}

/** Adds the report to the run, and returns whether that is over. */
function isOver(run: OpenRun, report: Report): boolean {
	// What an EVSE says of itself is kept, though it has said the same of its only connector.
	const source = `${sourceOf(report)} ${report.only === true ? 'only' : ''}`;
	if (report.of === undefined && !report.only) run.isOnly = false;
	if (!isRepeat(run, source, report)) run.reports.push(report);
	run.last.set(source, report.key);
	if (report.part === undefined) run.hasStatus = report.key === run.key;
	else if (report.key === '') run.problems.delete(source);
	else run.problems.add(source);
	return !run.hasStatus && run.problems.size === 0;
}

function isRepeat(run: OpenRun, source: string, { key, d }: Report): boolean {
	const isAgain = run.last.get(source) === key;
	if (isAgain && run.named === undefined) {
		run.named = new NamedCodes();
		for (const other of run.reports) if (other.key !== '') run.named.add(other.d);
	}
	const isNews = key !== '' && run.named !== undefined && !isNone(run.named.add(d));
	return isAgain && !isNews;
}
