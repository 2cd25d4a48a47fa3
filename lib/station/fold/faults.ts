/** Faults: which incident a report of one opens, by the codes that it names, and how often a fault comes. */
import { namesConnector } from '../common/places';
import { isRepeated, MOST_FAULTS, type StationSettings } from '../common/settings';
import type { Detail, Fault, Incident } from '../common/state';
import type { ConnectorStatus } from '../facts';
import { codesOf, isNoError, isNone, NamedCodes, sameError } from './codes';
import { type Naming, type Run, TOGETHER_MS } from './runs';
import { inOrder } from './sets';

const FAULTED = 'faulted';

export const isFault = ({ status }: Pick<ConnectorStatus, 'status'>): boolean =>
	status.toLowerCase() === FAULTED;

export function detailOf({
	errorCode,
	vendorErrorCode,
	info,
}: Pick<ConnectorStatus, 'errorCode' | 'vendorErrorCode' | 'info'>): Detail {
	const named = (code = '') => (code === '' || isNoError(code) ? undefined : code);
	return { error: named(errorCode), vendor: named(vendorErrorCode), info };
}

/** A stretch from the report that opens an incident, with what that is named by. */
export interface Opening extends Run {
	readonly keys: readonly string[];
	readonly d: Detail | undefined;
	/** All codes that the fault has named. */
	readonly errors: readonly string[];
	readonly vendors: readonly string[];
}

/** The key of a report that names no code. */
export const NO_CODE = '/';

/** Each vendor code with the error code. */
export function keysOf(
	detail: Detail | undefined,
	vendors: readonly string[] = codesOf(detail).vendors,
): string[] {
	const all = vendors.length > 0 ? vendors : codesOf(detail).vendors;
	const error = sameError(detail?.error ?? '');
	return (all.length > 0 ? all : ['']).map((vendor) => `${error}/${vendor}`);
}

/**
 * One for each state; of a fault with `scope` = `code`, one for each report that names a code which none before it has
 * named: what names one within a minute of a report that names none completes its opening, as a Problem does. With another
 * scope, the first code completes it whenever it comes. Of faults that repeat, codes count that are named within the time in
 * which faults have to be reported: later, their incident can be over.
 */
export function openingsOf(run: Run, settings: StationSettings): Opening[] {
	const { kind, scope } = settings;
	// Only faults have codes.
	if (kind !== 'connectorFault')
		return [{ ...run, d: run.first.d, keys: [run.key], errors: [], vendors: [] }];
	const isByCode = scope === 'code';
	const withinMs = countedMs(settings);
	const completesMs = isByCode ? Math.min(TOGETHER_MS, withinMs) : withinMs;
	const named = new NamedCodes();
	const found: { report: Run['first']; d: Detail | undefined; keys: string[] }[] = [];
	const { heldAt } = run;
	// A boot may have ended it: what comes later may be of another one.
	const reports = heldAt === undefined ? run.reports : run.reports.filter(({ t }) => t <= heldAt);
	for (const report of reports) {
		const news = report.key === '' ? undefined : named.add(report.d);
		if (news === undefined) continue;
		const keys = keysOf(report.d, news.vendors);
		const [first] = found;
		const isSoon = report.t - run.since <= completesMs;
		if (first === undefined) found.push({ report, d: report.d, keys: isByCode ? keys : [run.key] });
		else if (isNone(news)) continue;
		else if (found.length === 1 && isNone(codesOf(first.d)) && isSoon) first.d = report.d;
		else if (isByCode) found.push({ report, d: report.d, keys });
	}
	const later = reports.filter(({ key }) => key !== '').values();
	let next = later.next();
	const until = new NamedCodes();
	return found.map(({ report, d, keys }) => {
		for (; !next.done && next.value.t <= report.t + withinMs; next = later.next()) {
			until.add(next.value.d);
		}
		const codes = { errors: until.errors, vendors: [...until.vendors] };
		return { ...run, first: report, since: report.t, d, keys, ...codes };
	});
}

const countedMs = (settings: StationSettings): number =>
	isRepeated(settings) ? settings.withinMs : Infinity;

function faultOf(opening: Opening): Fault {
	const { since, first, connector, until, d = {}, keys, errors, vendors } = opening;
	const isMore = errors.length + vendors.length > 1;
	const more = isMore ? { errors: [...errors], vendors: [...vendors] } : {};
	const end = until === undefined ? {} : { until };
	return { t: since, id: first.id, connector, ...end, d, ...more, opens: keys.join() };
}

/** A fault that can count in an incident, with the names of its place that are known in time. */
export interface CountedFault {
	readonly fault: Fault;
	/** The names of its place, each with the time in which a fault of that name is one of this place. */
	readonly names: ReadonlyMap<string, Naming>;
}

/**
 * By the connector that an EVSE with its own report is about, whichever of the two came first. What is known of the place only
 * after the time in which faults have to be reported changes nothing: by then its incident can be over.
 */
export function countedFaultOf(opening: Opening, settings: StationSettings): CountedFault {
	const { places, connector: began, since } = opening;
	const withinMs = countedMs(settings);
	const inTime = [...places].filter(([, named]) => named.since - since <= withinMs);
	const names = new Map(inTime);
	const connector = [...names.keys()].find(namesConnector) ?? began;
	const fault = { ...faultOf(opening), connector };
	return { fault: connector === began ? fault : { ...fault, began }, names };
}

/** Of one whose reports may be forgotten. */
export const foldedFault = (fault: Fault): CountedFault => ({
	fault,
	names: new Map(ownNames(fault).map((name) => [name, ALWAYS])),
});

const ALWAYS: Naming = { since: -Infinity, until: Infinity };

const ownNames = ({ connector, began = connector }: Fault): string[] => [connector, began];

/** Adds a fault to those of the incident: once, however often it is seen, and though a late report changes its time. */
export function countFault(incident: Incident, counted: CountedFault): void {
	const { fault } = counted;
	const { faults = [], count = 0 } = incident;
	const isForgotten = count > faults.length && fault.t < (faults[0]?.t ?? -Infinity);
	if (isForgotten) return;
	// Several, if only this report shows that their places are one.
	const known = faults.filter((other) => isSame(other, counted));
	const [{ t, id } = fault] = [fault, ...known].sort(inOrder);
	// What the connector has reported may be forgotten by now.
	const place = known.find(({ connector }) => namesConnector(connector)) ?? fault;
	const { began } = [fault, ...known].find((one) => one.began !== undefined) ?? {};
	const next = { ...fault, t, id, connector: place.connector, ...(began && { began }) };
	const others = faults.filter((other) => !known.includes(other));
	incident.faults = [...others, next].sort(inOrder).slice(-MOST_FAULTS);
	incident.count = count + 1 - known.length;
	nameCodes(incident);
}

/** All that its faults have named. What those named that it does not know any more, since there were too many, stays. */
function nameCodes(incident: Incident): void {
	const { faults = [], count = 0 } = incident;
	const before: Pick<Incident, 'errors' | 'vendors'> = count <= faults.length ? {} : incident;
	const named = faults.map(({ d, errors, vendors }) => {
		const own = codesOf(d);
		const error = own.error === undefined ? [] : [own.error];
		return { errors: errors ?? error, vendors: vendors ?? own.vendors };
	});
	const errors = union(
		before.errors ?? [],
		named.flatMap((one) => one.errors),
		sameError,
	);
	const vendors = union(
		before.vendors ?? [],
		named.flatMap((one) => one.vendors),
	);
	incident.errors = errors.length > 0 ? errors : undefined;
	incident.vendors = vendors.length > 0 ? vendors : undefined;
}

/** Takes those that began within a time out of the incident. */
export function dropFaults(
	incident: Incident,
	{ since, until = Infinity }: Pick<Run, 'since' | 'until'>,
): void {
	const { faults = [], count = 0 } = incident;
	const left = faults.filter(({ t }) => t < since || t >= until);
	if (left.length === faults.length) return;
	incident.faults = left;
	incident.count = count - (faults.length - left.length);
	nameCodes(incident);
}

/** Whether a known fault is of the same place at the same time. */
const isSame = (known: Fault, { fault, names }: CountedFault): boolean =>
	ownNames(known).some((name) => isIn(names.get(name), known)) &&
	(known.t === fault.t ||
		(known.t < (fault.until ?? Infinity) && fault.t < (known.until ?? Infinity)));

/** A name is that of the place that had it when the fault began. */
const isIn = (naming: Naming | undefined, { t }: Fault): boolean =>
	naming !== undefined && naming.since <= t && t < naming.until;

function union(
	a: readonly string[],
	b: readonly string[],
	nameOf = (code: string): string => code,
): string[] {
	// Of two spellings the first in the alphabet, whichever was seen first.
	const sorted = [...a, ...b].sort().reverse();
	const all = new Map(sorted.map((code) => [nameOf(code), code] as const));
	return [...all.values()].sort().slice(0, MOST_FAULTS);
}
