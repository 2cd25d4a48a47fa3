/**
 * A station speaks one version of OCPP at a time, and each version numbers its places in its own way. So what was said in one
 * version ends when the station reports a status in the other one: nothing else may end it any more.
 */
import { is201, STATION } from '../common/places';
import type { Report } from '../common/state';

/** The first report after those of the other version. */
interface VersionChange {
	readonly report: Report;
	readonly isTo201: boolean;
}

interface Line {
	readonly address: string;
	/** Of statuses. */
	readonly reports: Iterable<Report>;
}

/** Oldest first. */
export function changesOf(lines: readonly Line[]): readonly VersionChange[] {
	// Nearly all stations.
	if (!isSpoken(lines, false) || !isSpoken(lines, true)) return [];
	const [of16, of201] = [saidIn(lines, false), saidIn(lines, true)];
	const [to16, to201]: [number[], number[]] = [[], []];
	let last: typeof to16 | undefined;
	for (let [n, m] = [0, 0]; n < of16.length || m < of201.length;) {
		const [old = Infinity, young = Infinity] = [of16[n], of201[m]];
		// Of the same time, the newer version is in force.
		const into = old <= young ? to16 : to201;
		if (last !== undefined && last !== into) into.push(Math.min(old, young));
		last = into;
		if (into === to16) n++;
		else m++;
	}
	return [
		...reportsAt(to16, lines, false).map((report) => ({ report, isTo201: false })),
		...reportsAt(to201, lines, true).map((report) => ({ report, isTo201: true })),
	].sort((a, b) => a.report.t - b.report.t);
}

/** Whether it was said in OCPP 2.0.1. Undefined if nobody said it, but a boot ended it, and for what an older package read. */
function versionOf(address: string, { b, v }: Report): boolean | undefined {
	if (b === true) return undefined;
	return address === STATION ? v : is201(address);
}

function isSpoken(lines: readonly Line[], isNew: boolean): boolean {
	return lines.some(({ address, reports }) => {
		if (address !== STATION) return is201(address) === isNew;
		for (const { v } of reports) if (v === isNew) return true;
		return false;
	});
}

/** When something was said in that version. */
function saidIn(lines: readonly Line[], isNew: boolean): Float64Array {
	const times: number[] = [];
	for (const { address, reports } of lines) {
		if (address !== STATION && is201(address) !== isNew) continue;
		for (const report of reports) {
			if (versionOf(address, report) === isNew) times.push(report.t);
		}
	}
	return Float64Array.from(times).sort();
}

/** Of several at one time, the one with the first ID. */
function reportsAt(times: readonly number[], lines: readonly Line[], isNew: boolean): Report[] {
	const wanted = new Set(times);
	const found = new Map<number, Report>();
	for (const { address, reports } of wanted.size === 0 ? [] : lines) {
		for (const report of reports) {
			if (!wanted.has(report.t) || versionOf(address, report) !== isNew) continue;
			const known = found.get(report.t);
			if (known === undefined || report.id < known.id) found.set(report.t, report);
		}
	}
	return times.flatMap((t) => found.get(t) ?? []);
}

/** The reports of a component, in order, and those of the other version that end what they say, made by `ended`. */
export function withChanges<T extends Iterable<Report>>(
	component: ComponentName,
	reports: T,
	changes: readonly VersionChange[],
	ended: (report: Report) => Report = endOf,
): T | Iterable<Report> {
	// Nearly always.
	if (changes.length === 0) return reports;
	return { [Symbol.iterator]: () => merged(component, reports, changes, ended) };
}

interface ComponentName {
	readonly address: string;
	/** Of problems. */
	readonly component?: string | undefined;
}

function* merged(
	{ address, component }: ComponentName,
	reports: Iterable<Report>,
	changes: readonly VersionChange[],
	ended: (report: Report) => Report,
): Generator<Report, void> {
	/** In which version the last one was said. */
	let was201: boolean | undefined;
	let next = 0;
	for (const report of reports) {
		// Only OCPP 2.0.1 has problems.
		const now201 = component !== undefined || versionOf(address, report);
		for (; next < changes.length; next++) {
			const change = changes[next];
			if (change === undefined || change.report.t > report.t) break;
			if (now201 === false && change.report.t === report.t) break;
			if (was201 === !change.isTo201) yield ended(change.report);
		}
		yield report;
		was201 = now201;
	}
	for (const { report, isTo201 } of changes.slice(next)) {
		if (was201 === !isTo201) yield ended(report);
	}
}

const endOf = ({ t, id }: Report): Report => ({ t, id, key: '' });
