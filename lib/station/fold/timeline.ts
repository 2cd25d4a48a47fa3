/**
 * The reports of one station or connector, as a set: the state at any time follows from it, in whatever order the
 * reports arrived. Compacting it up to a time keeps the first report of the state in force then, which changes nothing
 * for later reports: a state that lasts until after that time began with that report, or begins later.
 */
import { MOST_REPORTS } from '../settings';
import type { Report, Timeline } from '../state';
import { add } from './sets';

export const emptyTimeline = (): Timeline => ({ reports: [] });

/** Returns whether it changed. */
export function addReport(timeline: Timeline, report: Report): boolean {
	const { reports, cut = -Infinity } = timeline;
	if (report.t < cut) return false;
	const changed = add(
		reports,
		report,
		MOST_REPORTS + 1,
		({ t, id }) => t === report.t && id === report.id,
		(known, added) => (textOf(added) > textOf(known) ? added : known),
	);
	// The start of a state that lasts is kept even then.
	if (reports.length > MOST_REPORTS) {
		foldFirst(timeline);
		const [oldest] = reports;
		if (oldest !== undefined) timeline.cut = oldest.t;
	}
	return changed;
}

const textOf = ({ key, d }: Report) => JSON.stringify([key, d]);

/** Folds the reports before `cut` into the base. */
export function compact(timeline: Timeline, cut: number): void {
	while ((timeline.reports[0]?.t ?? Infinity) < cut) foldFirst(timeline);
	if ((timeline.cut ?? cut) < cut) delete timeline.cut;
}

function foldFirst(timeline: Timeline): void {
	const first = timeline.reports.shift();
	if (first === undefined || first.key === timeline.base?.key) return;
	if (first.key === '') delete timeline.base;
	else timeline.base = first;
}

/** A stretch of time in which the state was the same, and watched. */
export interface Run {
	readonly connector: string;
	readonly first: Report;
	readonly since: number;
	/** When the state ended, and the event that says so; absent if it lasts. */
	readonly until?: number;
	readonly to?: string;
}

/** The watched stretches, by the reports up to `horizon`, oldest first. */
export function runsOf({ base, reports }: Timeline, connector: string, horizon: number): Run[] {
	const runs: Run[] = [];
	let first: Report | undefined;
	for (const report of base === undefined ? reports : [base, ...reports]) {
		if (report.t > horizon) break;
		if (report.key === (first?.key ?? '')) continue;
		if (first !== undefined) {
			runs.push({ connector, first, since: first.t, until: report.t, to: report.id });
		}
		first = report.key === '' ? undefined : report;
	}
	if (first !== undefined) runs.push({ connector, first, since: first.t });
	return runs;
}
