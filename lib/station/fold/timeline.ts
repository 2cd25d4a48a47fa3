/**
 * The reports of one component as a set: its state at any time follows from it, in whatever order the reports arrived. A status
 * and the connection have one state at a time; of problems, each code has its own. Compacting keeps what tells how the states in
 * force then began, which changes nothing for later reports.
 */
import type { Report, Timeline } from '../common/state';
import { isNone, NamedCodes } from './codes';
import { add } from './sets';

export const emptyTimeline = (): Timeline => ({ reports: [] });

/** By time; of the same time, the last one is in force: connected, or the worse state. */
export function inForceOrder(a: Report, b: Report): number {
	if (a.t !== b.t) return a.t - b.t;
	const [worse, other] = [a.w ?? 0, b.w ?? 0];
	if (worse !== other) return worse - other;
	if (a.key !== b.key) return a.key < b.key ? -1 : 1;
	return a.id < b.id ? -1 : Number(a.id > b.id);
}

/** Returns whether it changed. */
export function addReport(timeline: Timeline, report: Report): boolean {
	const { reports, cut = -Infinity } = timeline;
	if (report.t < cut) return false;
	return add(reports, report, Infinity, isSame(report), (known, added) =>
		textOf(added) > textOf(known) ? added : known,
	);
}

const isSame =
	({ t, id, c }: Report) =>
	(other: Report): boolean =>
		t === other.t && id === other.id && c === other.c;

const textOf = ({ key, d }: Report) => JSON.stringify([key, d]);

/**
 * Adds a report that is kept only if it ends something: one that directly follows a report of a watched state; or, because
 * an older one may still be read, that directly follows the end of a stretch of the list that is unread. Returns whether it is.
 */
export function addQuiet(
	timeline: Timeline,
	report: Report,
	unreadUpTo: readonly number[],
	mayBeLate: MayBeLate,
): boolean {
	const { reports, cut = -Infinity } = timeline;
	if (report.t < cut || reports.some(isSame(report))) return false;
	const before = reports.filter((other) => inForceOrder(other, report) < 0);
	before.sort(inForceOrder);
	return isUseful(before, report, unreadUpTo, mayBeLate) && addReport(timeline, report);
}

/** Drops those that end nothing any more. Returns whether there were such. */
export function dropQuiet(
	timeline: Timeline,
	unreadUpTo: readonly number[],
	mayBeLate: MayBeLate,
): boolean {
	const { reports } = timeline;
	if (!reports.some(({ quiet }) => quiet)) return false;
	const kept: Report[] = [];
	for (const report of reports.toSorted(inForceOrder)) {
		if (!report.quiet || isUseful(kept, report, unreadUpTo, mayBeLate)) kept.push(report);
	}
	const isChanged = kept.length < reports.length;
	if (isChanged) {
		const set = new Set(kept);
		timeline.reports = reports.filter((report) => set.has(report));
	}
	return isChanged;
}

/** Whether a quiet report shows only that the one before it, which is quiet as well, has ended something. */
type MayBeLate = (
	quiet: Report,
	before: readonly Report[],
	unreadUpTo: readonly number[],
) => boolean;

/** `before` is in order. */
function isUseful(
	before: readonly Report[],
	report: Report,
	unreadUpTo: readonly number[],
	mayBeLate: MayBeLate,
): boolean {
	const last = before.at(-1);
	const { c } = report;
	const lastOf = (code: string) => before.findLast(isAbout(code));
	// The end of one code does not end the others, which may still be unread.
	const over = c === undefined ? [before.findLast(endsAll)] : [lastOf(c), lastOf('')];
	const isUnread = (one: Report | undefined) =>
		unreadUpTo.some((end) => (one?.t ?? -Infinity) <= end && end < report.t);
	if (over.some(isUnread)) return true;
	if (last?.quiet === true && last.t < report.t && mayBeLate(last, before, unreadUpTo)) return true;
	if (c === undefined && last?.c === undefined && !before.some((one) => one.c !== undefined))
		return (last?.key ?? '') !== '';
	const codes = c === undefined ? codesOfLine(before) : [c, ''];
	return codes.some((code) => (lastOf(code)?.key ?? '') !== '');
}

const endsAll = ({ c, key }: Report): boolean => c === undefined && key === '';

/**
 * Whether the report is about the problem of that code, empty for none: what has none is apart from no other, so the end of any
 * code of its component ends it. A boot ends each by itself.
 */
const isAbout =
	(code: string) =>
	(one: Report): boolean =>
		(one.c ?? '') === code || endsAll(one) || (code === '' && one.key === '' && one.b !== true);

/** The codes of problems that the reports name: empty for a problem without one, and for a status. */
const codesOfLine = (reports: readonly Report[]): string[] => [
	...new Set(reports.flatMap((one) => (endsAll(one) ? [] : [one.c ?? '']))),
];

/** When a station that booted had until to report what is still so. */
export interface BootWindow {
	readonly t: number;
	readonly id: string;
	readonly end: number;
	/** A connector has reported within it: what is not reported again by its end ended at the boot. */
	readonly isBegun: boolean;
	/** It has passed. */
	readonly isOver: boolean;
}

/** A stretch of time in which the state of a component was the same, and watched. */
export interface StateStretch {
	readonly address: string;
	readonly key: string;
	/** Of a problem: its code, empty for none. Absent for a status. */
	readonly code?: string;
	readonly first: Report;
	readonly since: number;
	/** When the state ended, and the event that says so; absent if it lasts. */
	readonly until?: number;
	readonly to?: string;
	/** Absent if a boot ended it. */
	readonly end?: Report;
	/** The boot after which it is to be reported again, and is not so far: nothing opens for it. */
	readonly heldAt?: number;
	/** A report shows that it is over by then: whether that has ended it, or the boot before, is not known yet. */
	readonly overAt?: number;
	/** All about it, but those that say the same as the one before, name no new code and show no monitor. */
	readonly reports: readonly Report[];
}

interface OpenStretch extends StateStretch {
	readonly reports: Report[];
	named?: NamedCodes;
}

/** The stretches of a component with a status, oldest first; `reports` are in order. */
export const stretchesOf = (...component: Parameters<typeof stretchesIn>): StateStretch[] => [
	...stretchesIn(...component),
];

/** The same, one at a time. */
export function* stretchesIn(
	address: string,
	reports: Iterable<Report>,
	windows: readonly BootWindow[] = [],
	code?: string,
): Generator<StateStretch, void> {
	let stretches: StateStretch[] = [];
	let open: OpenStretch | undefined;
	const close = ({ t: until, id: to }: Pick<Report, 't' | 'id'>, end?: Report) => {
		if (open === undefined) return;
		const { named: _named, ...stretch } = open;
		// Several that say the same can be overruled by one of their time.
		if (stretch.since < until) stretches.push({ ...stretch, until, to, ...(end && { end }) });
		open = undefined;
	};
	const keep = (overAt?: number) => {
		if (open === undefined) return;
		const { named: _named, ...stretch } = open;
		stretches.push(overAt === undefined ? stretch : { ...stretch, overAt });
		open = undefined;
	};
	let nextWindow = 0;
	/** Ends what is in force at boots before the report that do not wait for it. */
	const boot = (next: Report | undefined) => {
		for (; nextWindow < windows.length; nextWindow++) {
			const window = windows[nextWindow];
			if (window === undefined || window.t > (next?.t ?? Infinity)) return;
			if (open === undefined || isExempt(open)) continue;
			const isSaid = next !== undefined && next.t <= window.end;
			if (isSaid && next.key === open.key) continue;
			if (window.isBegun && (isSaid || window.isOver)) close(window);
			else if (!window.isOver) {
				open = { ...open, heldAt: Math.min(window.t, open.heldAt ?? Infinity) };
			}
		}
	};
	for (const [report, next] of withNext(reports)) {
		yield* stretches;
		stretches = [];
		// Another one of the same time is in force.
		if (next !== undefined && next.t === report.t && next.key !== report.key) continue;
		boot(report);
		if (open !== undefined && open.key !== report.key) {
			if (open.heldAt === undefined) close(report, report.b === true ? undefined : report);
			else keep(report.t);
		}
		if (report.key === '') continue;
		if (open === undefined) {
			const about = { address, key: report.key, first: report, since: report.t, reports: [report] };
			open = code === undefined ? about : { ...about, code };
		} else if (isNews(open, report)) open.reports.push(report);
	}
	boot(undefined);
	keep();
	yield* stretches;
}

/** When the state was over; undefined if it lasts. */
export const overOf = ({ until, overAt }: StateStretch): number | undefined => until ?? overAt;

function* withNext<T>(all: Iterable<T>): Generator<readonly [T, T | undefined], void> {
	let last: T | undefined;
	for (const one of all) {
		if (last !== undefined) yield [last, one];
		last = one;
	}
	if (last !== undefined) yield [last, undefined];
}

/** Of problems that a monitor reports. */
const isExempt = ({ reports }: OpenStretch): boolean => reports.some(({ m }) => m === true);

function isNews(open: OpenStretch, { d, m }: Report): boolean {
	if (m === true && !isExempt(open)) return true;
	if (open.named === undefined) {
		open.named = new NamedCodes();
		for (const other of open.reports) open.named.add(other.d);
	}
	return !isNone(open.named.add(d));
}

/** Those of a component with problems: each code has its own. */
export function problemsOf(
	address: string,
	reports: readonly Report[],
	windows: readonly BootWindow[] = [],
): StateStretch[] {
	return codesOfLine(reports).flatMap((code) => {
		const own = reports.filter(isAbout(code));
		return stretchesOf(address, own, windows, code);
	});
}

/** The report that says in a timeline what a boot ended. */
export function endByBoot(timeline: Timeline, { until: t, to: id, code }: StateStretch): Report[] {
	if (t === undefined || id === undefined) return [];
	const end: Report = { t, id, key: '', b: true, ...(code !== undefined && { c: code }) };
	const known = timeline.reports.find(isSame(end));
	if (known !== undefined) return [known];
	add(timeline.reports, end, Infinity, isSame(end));
	return [end];
}

interface Needed {
	/** Those of states that are needed. */
	readonly kept: ReadonlySet<Report>;
	/** Those that end such a state. The states that they begin may be over, and forgotten. */
	readonly ends: ReadonlySet<Report>;
	/** What is older may still be read. */
	readonly isOpen: boolean;
}

/** Removes the reports before `cut` that are not needed, and of those that only end something what they begin. */
export function compact(timeline: Timeline, cut: number, { kept, ends, isOpen }: Needed): void {
	if ((timeline.cut ?? cut) < cut) delete timeline.cut;
	// The last of each that ends something: what is before it, and still read, is over by then.
	const open = isOpen ? timeline.reports.filter(({ key }) => key === '') : [];
	const last = new Set(new Map(open.map((each) => [each.c ?? '', each])).values());
	const isKept = (report: Report) => report.t >= cut || kept.has(report);
	timeline.reports = timeline.reports
		.filter((report) => isKept(report) || ends.has(report) || last.has(report))
		.map((report) => (report.key === '' || isKept(report) ? report : onlyEnd(report)));
}

function onlyEnd({ d: _begun, ...report }: Report): Report {
	return { ...report, key: '' };
}
