/** The faults of a station, for incidents that open when several come within a time: a set with the time each came first. */
import { MOST_FAULTS, MOST_REPORTS } from '../common/settings';
import type { Detail, Fault, Incident } from '../common/state';
import type { ConnectorStatus } from '../facts';
import { add, inOrder } from './sets';

const FAULTED = 'faulted';

export const isFault = ({ status }: ConnectorStatus): boolean => status.toLowerCase() === FAULTED;

/** What distinguishes one kind of fault from another: the error code, with that of the vendor. */
export function codeOf({ error, vendor }: Detail): string {
	return [error, vendor].filter((code) => code !== undefined).join('/');
}

export function detailOf(fact: ConnectorStatus): Detail {
	const { status, errorCode: error, vendorErrorCode: vendor, info } = fact;
	return { status, error, vendor, info };
}

/** A message that the station sends again has the same time of the station. Returns whether the set changed. */
export function addFault(
	faults: Fault[],
	fact: ConnectorStatus,
	{ at: t, eventId: id }: { readonly at: number; readonly eventId: string },
): boolean {
	const d = detailOf(fact);
	const { connector, stationTime } = fact;
	const same = JSON.stringify([connector, codeOf(d), stationTime ?? id]);
	const added = { t, id, connector, same, d };
	return add(faults, added, MOST_REPORTS, (known) => known.same === same);
}

/** Removes the faults that are too old for an incident to come. */
export function compactFaults(faults: readonly Fault[], before: number): Fault[] {
	return faults.filter(({ t }) => t >= before);
}

/** Adds a fault to those of the incident: once, however often it is seen. Returns whether it is new. */
export function countFault(incident: Incident, fault: Fault): boolean {
	const { faults = [], count = 0 } = incident;
	const isOld = fault.t < (faults[0]?.t ?? -Infinity) && faults.length >= MOST_FAULTS;
	if (isOld || faults.some(({ same }) => same === fault.same)) return false;
	incident.faults = [...faults, fault].sort(inOrder).slice(-MOST_FAULTS);
	incident.count = count + 1;
	return true;
}
