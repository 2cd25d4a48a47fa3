/** Faults: which incident a report of one opens, by the codes that it names, and how often a fault comes. */
import { isRepeated, MOST_FAULTS, type StationSettings } from '../common/settings';
import type { Detail, Fault, Incident } from '../common/state';
import type { ConnectorStatus } from '../facts';
import { evseOf } from '../facts/values';
import { codesOf, isNoError, isNone, NamedCodes, sameError } from './codes';
import type { Run } from './runs';
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
 * named. If the first ones name none, the first that names one completes the opening. Of faults that repeat, codes count
 * that are named within the time in which faults have to be reported: later, their incident can be over.
 */
export function openingsOf(run: Run, settings: StationSettings): Opening[] {
	const { kind, scope } = settings;
	// Only faults have codes.
	if (kind !== 'connectorFault')
		return [{ ...run, d: run.first.d, keys: [run.key], errors: [], vendors: [] }];
	const isByCode = scope === 'code';
	const withinMs = countedMs(settings);
	const named = new NamedCodes();
	const found: { report: Run['first']; d: Detail | undefined; keys: string[] }[] = [];
	for (const report of run.reports) {
		const news = report.key === '' ? undefined : named.add(report.d);
		if (news === undefined) continue;
		const keys = keysOf(report.d, news.vendors);
		const [first] = found;
		const isSoon = report.t - run.since <= withinMs;
		if (first === undefined) found.push({ report, d: report.d, keys: isByCode ? keys : [run.key] });
		else if (isNone(news)) continue;
		else if (found.length === 1 && isNone(codesOf(first.d)) && isSoon) first.d = report.d;
		else if (isByCode) found.push({ report, d: report.d, keys });
	}
	const later = run.reports.filter(({ key }) => key !== '').values();
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

/**
 * By the connector that an EVSE with its own report is about, whichever of the two came first. What is known of the place only
 * after the time in which faults have to be reported changes nothing: by then its incident can be over.
 */
export function countedFaultOf(opening: Opening, settings: StationSettings): Fault {
	const { places, connector, since } = opening;
	const withinMs = countedMs(settings);
	const own = [...places].find(([place, from]) => place.includes('/') && from - since <= withinMs);
	return { ...faultOf(opening), connector: own?.[0] ?? connector };
}

/** Adds a fault to those of the incident: once, however often it is seen, and though a late report changes its time. */
export function countFault(incident: Incident, fault: Fault): void {
	const { faults = [], count = 0, errors = [], vendors = [] } = incident;
	const isOld = fault.t < (faults[0]?.t ?? -Infinity) && faults.length >= MOST_FAULTS;
	if (isOld) return;
	const own = codesOf(fault.d);
	const ownErrors = fault.errors ?? (own.error === undefined ? [] : [own.error]);
	const [allErrors, allVendors] = [
		union(errors, ownErrors, sameError),
		union(vendors, fault.vendors ?? own.vendors),
	];
	if (allErrors.length > 0) incident.errors = allErrors;
	if (allVendors.length > 0) incident.vendors = allVendors;
	const known = faults.find((other) => isSame(other, fault));
	const isFirst = known === undefined || known.t >= fault.t;
	const [first, last] = isFirst ? [fault, known ?? fault] : [known, fault];
	// The first that names a code, whichever was read first.
	const { d } = isNone(codesOf(first.d)) && !isNone(codesOf(last.d)) ? last : first;
	// What the connector has reported may be forgotten by now.
	const place = known?.connector.includes('/') === true ? known : fault;
	const next = { ...fault, t: first.t, id: first.id, d, connector: place.connector };
	const others = faults.filter((other) => other !== known);
	incident.faults = [...others, next].sort(inOrder).slice(-MOST_FAULTS);
	incident.count = known === undefined ? count + 1 : count;
}

/** That of an EVSE becomes that of a connector, once the connector reports it too. */
function isSame(a: Fault, b: Fault): boolean {
	const isOfOne = a.connector === b.connector;
	const isOfEvse = a.connector === evseOf(b.connector) || evseOf(a.connector) === b.connector;
	if (!isOfOne && !isOfEvse) return false;
	if (a.t === b.t && a.id === b.id) return true;
	return a.t < (b.until ?? Infinity) && b.t < (a.until ?? Infinity);
}

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
