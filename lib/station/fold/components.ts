/** The state of each component of a station over time, from all that is known of it: which reports are whose, and what a boot ended. */
import { isEvse, isNumbered, Places, STATION } from '../common/places';
import type { Boot, Report, StationState, Timeline } from '../common/state';
import { realBoots, windowsOf } from './boots';
import { OFFLINE, type Outage, outagesOf } from './outages';
import {
	type BootWindow,
	inForceOrder,
	problemsOf,
	type StateStretch,
	stretchesOf,
} from './timeline';
import { changesOf, withChanges } from './versions';

/** The name of the timeline of the connection. */
export const CONNECTION = '';
/** Between the address and the component in the name of a timeline of problems. */
const OF = ' ';

export const lineName = (address: string, component?: string): string =>
	component === undefined ? address : `${address}${OF}${component}`;

export function addressOfLine(name: string): {
	readonly address: string;
	readonly component?: string;
} {
	const end = name.indexOf(OF);
	return end < 0
		? { address: name }
		: { address: name.slice(0, end), component: name.slice(end + OF.length) };
}

type Lines = Pick<StationState, 'lines' | 'boots' | 'known'>;

export interface Horizon {
	/** Later reports do not count. */
	readonly until: number;
	/** Everything up to here is known: decides what was not reported. */
	readonly watermark: number;
}

export interface Component {
	readonly name: string;
	readonly address: string;
	/** Of problems. */
	readonly component?: string | undefined;
	/** In order. */
	readonly reports: readonly Report[];
	readonly stretches: readonly StateStretch[];
}

export interface Components {
	readonly places: Places;
	readonly outages: readonly Outage[];
	readonly windows: readonly BootWindow[];
	readonly all: readonly Component[];
}

/** `outages` if they are known better than by the timelines. */
export function componentsOf(
	{ lines = {}, boots = [], known }: Lines,
	{ until, watermark }: Horizon,
	outages: readonly Outage[] = outagesIn(lines[CONNECTION], { until, watermark }),
): Components {
	const places = new Places(known);
	const sorted = placed(lines, places, until);
	const windows = windowsIn(boots, sorted, { until, watermark }, outages);
	const named = [...sorted].map(([name, reports]) => ({ name, reports, ...addressOfLine(name) }));
	const changes = changesOf(named.filter(({ component }) => component === undefined));
	const all = named.map(({ name, address, component, reports }) => {
		const said = withChanges({ address, component }, reports, changes, endedBy);
		const stretches =
			component === undefined
				? stretchesOf(address, said, windows)
				: problemsOf(address, [...said], windows);
		return { name, address, component, reports, stretches };
	});
	return { places, outages, windows, all };
}

export function windowsIn(
	boots: readonly Boot[],
	sorted: ReadonlyMap<string, Iterable<Report>>,
	{ until, watermark }: Horizon,
	outages: readonly Outage[],
): BootWindow[] {
	const real = realBoots(boots).filter(({ t }) => t <= until);
	if (real.length === 0) return [];
	return windowsOf(real, { outages, watermark, reportedAt: reportedAt(sorted) });
}

/** The outages that a timeline of the connection shows. */
export function outagesIn(line: Timeline | undefined, { until, watermark }: Horizon): Outage[] {
	if (line === undefined || !line.reports.some(({ key }) => key === OFFLINE)) return [];
	const seen = line.reports.filter(({ t }) => t <= until).sort(inForceOrder);
	const signs = seen.filter(({ quiet }) => quiet);
	return outagesOf(
		seen.filter(({ quiet }) => !quiet),
		(t) => signs.find((sign) => sign.t > t),
		watermark,
	);
}

/**
 * The reports by the component that they are about, in order. What is said of a component without a number is of the only
 * one of its kind that was known then; otherwise it stays where it is, until that component speaks again.
 */
function placed(
	lines: Readonly<Record<string, Timeline>>,
	places: Places,
	until: number,
): ReadonlyMap<string, Report[]> {
	const sorted = new Map<string, Report[]>();
	const unnumbered: (readonly [string, Report])[] = [];
	for (const [name, { reports }] of Object.entries(lines)) {
		if (name === CONNECTION) continue;
		const { address, component } = addressOfLine(name);
		const seen = reports.filter(({ t }) => t <= until);
		if (component !== undefined || isNumbered(address)) sorted.set(name, seen);
		else for (const report of seen) unnumbered.push([name, report]);
	}
	const put = (name: string, report: Report) => {
		const own = sorted.get(name);
		if (own === undefined) sorted.set(name, [report]);
		else own.push(report);
	};
	for (const [name, report] of unnumbered) {
		const place = places.placeOf(name, report.t);
		const isFound = isSameKind(name, place);
		if (isFound) put(place, report);
		put(name, isFound ? endedBy(report) : report);
	}
	for (const reports of sorted.values()) reports.sort(inForceOrder);
	return sorted;
}

/** Of the reports that end what another component said: those that the state has. */
const originals = new WeakMap<Report, Report>();
export const originalOf = (report: Report): Report => originals.get(report) ?? report;

function endedBy(report: Report): Report {
	const ended = { ...report, key: '' };
	originals.set(ended, originalOf(report));
	return ended;
}

/** Whether the place is a component of that kind, and not the one above. */
export const isSameKind = (address: string, place: string): boolean =>
	place !== STATION && address.endsWith('/0') === place.endsWith('/0');

/** When connectors reported a status. */
function reportedAt(sorted: ReadonlyMap<string, Iterable<Report>>): number[] {
	const times: number[] = [];
	for (const [name, reports] of sorted) {
		const { address, component } = addressOfLine(name);
		if (component !== undefined || address === STATION || isEvse(address)) continue;
		for (const { t } of reports) times.push(t);
	}
	return times.sort((a, b) => a - b);
}
