/**
 * A station speaks one version of OCPP at a time, and each version numbers its places in its own way. So what a connector or an
 * EVSE said in one version ends when the station reports a status in the other one: nothing else can end it any more.
 */
import { is201, STATION } from '../common/places';
import type { Report } from '../common/state';

/** The first reports after those of the other version, oldest first. */
interface Changes {
	readonly to16: readonly Report[];
	readonly to201: readonly Report[];
}

const NONE: Changes = { to16: [], to201: [] };

interface Line {
	readonly address: string;
	/** Of statuses. */
	readonly reports: Iterable<Report>;
}

/** What is said of the station itself is of both versions. */
export function changesOf(lines: Iterable<Line>): Changes {
	const [of16, of201]: [Line[], Line[]] = [[], []];
	for (const line of lines) {
		if (line.address !== STATION) (is201(line.address) ? of201 : of16).push(line);
	}
	// Nearly all stations.
	if (of16.length === 0 || of201.length === 0) return NONE;
	const [times16, times201] = [timesOf(of16), timesOf(of201)];
	const [to16, to201]: [number[], number[]] = [[], []];
	let last: typeof to16 | undefined;
	for (let [n, m] = [0, 0]; n < times16.length || m < times201.length;) {
		const [old = Infinity, young = Infinity] = [times16[n], times201[m]];
		// Of the same time, the newer version is in force.
		const into = old <= young ? to16 : to201;
		if (last !== undefined && last !== into) into.push(Math.min(old, young));
		last = into;
		if (into === to16) n++;
		else m++;
	}
	return { to16: reportsAt(to16, of16), to201: reportsAt(to201, of201) };
}

function timesOf(lines: readonly Line[]): Float64Array {
	const times: number[] = [];
	for (const { reports } of lines) {
		// What a boot has ended was not said by the station.
		for (const { t, b } of reports) if (b !== true) times.push(t);
	}
	return Float64Array.from(times).sort();
}

/** Of several at one time, the one with the first ID. */
function reportsAt(times: readonly number[], lines: readonly Line[]): Report[] {
	const wanted = new Set(times);
	const found = new Map<number, Report>();
	for (const { reports } of lines) {
		for (const report of wanted.size === 0 ? [] : reports) {
			if (report.b === true || !wanted.has(report.t)) continue;
			const known = found.get(report.t);
			if (known === undefined || report.id < known.id) found.set(report.t, report);
		}
	}
	return times.flatMap((t) => found.get(t) ?? []);
}

/** The reports of a component, in order, and those of the other version that end what they say, made by `ended`. */
export function withChanges<T extends Iterable<Report>>(
	address: string,
	reports: T,
	{ to16, to201 }: Changes,
	ended: (report: Report) => Report = endOf,
): T | Iterable<Report> {
	const changes = address === STATION ? [] : is201(address) ? to16 : to201;
	// Nearly always.
	if (changes.length === 0) return reports;
	return { [Symbol.iterator]: () => merged(address, reports, changes, ended) };
}

function* merged(
	address: string,
	reports: Iterable<Report>,
	changes: readonly Report[],
	ended: (report: Report) => Report,
): Generator<Report, void> {
	const isNew = is201(address);
	let next = 0;
	for (const report of reports) {
		for (; next < changes.length; next++) {
			const change = changes[next];
			if (change === undefined || change.t > report.t || (!isNew && change.t === report.t)) break;
			yield ended(change);
		}
		yield report;
	}
	for (const change of changes.slice(next)) yield ended(change);
}

const endOf = ({ t, id }: Report): Report => ({ t, id, key: '' });
