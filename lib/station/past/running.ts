/** The sessions that are running: nothing that the station has said since they began shows otherwise. */
import type { Owner } from '../common/incident';
import type { LimitOf } from '../common/limits';
import { evseOfAddress, isConnector, isEvse } from '../common/places';
import type { StationSettings } from '../common/settings';
import { evseOf } from '../facts/values';
import type { StationTimes } from './history';
import type { StatusPlace } from './lines';
import type { StationFacts } from './log';
import type { PastPeriod } from './read';
import { sessionsOf } from './sessions';

interface RunningQuestion {
	readonly owner: Owner;
	readonly settings: StationSettings;
	readonly limitOf: LimitOf;
}

export function runningOf(
	station: readonly [string, StationFacts],
	{ past, times }: { readonly past: PastPeriod; readonly times: StationTimes },
	{ owner, settings, limitOf }: RunningQuestion,
): Record<string, unknown>[] {
	const found = sessionsOf(station, past, settings, { owner, includeOpen: true, limitOf });
	return found.flatMap(({ item, namedAt = Infinity }) => {
		const { state, connector, transactionId, startedAt, minutes, energyKwh } = item;
		const place = typeof connector === 'string' ? connector : undefined;
		const isRunning = state === 'open' && !isFree(place, namedAt, times, past.serviceNow);
		return isRunning ? [{ connector, transactionId, startedAt, minutes, energyKwh }] : [];
	});
}

/** A place that has said since then that it is available charges nobody, nor does one all of whose connectors have. */
function isFree(
	place: string | undefined,
	since: number,
	times: StationTimes,
	now: number,
): boolean {
	if (place !== undefined && saysFree(place, since, times)) return true;
	const connectors = times.connectors.filter(
		({ name, exists }) => now < exists.to && (place === undefined || evseOf(name) === place),
	);
	return connectors.length > 0 && connectors.every(({ name }) => saysFree(name, since, times));
}

function saysFree(place: string, since: number, { places, tree }: StationTimes): boolean {
	/** An EVSE whose connectors are not known stands for them. */
	const standsFor = (address: string) =>
		isEvse(address) &&
		evseOfAddress(address) === evseOf(place) &&
		!places.some((one) => isConnector(one.address) && evseOfAddress(one.address) === evseOf(place));
	return places.some((one) => {
		const isPlaceAt = (t: number) => tree.namesOf(one.address, t).includes(place);
		const isOf = standsFor(one.address) ? () => true : isPlaceAt;
		return wasAvailable(one, since, isOf);
	});
}

/** Of several statuses of the same time, the one in force counts. */
function wasAvailable(
	{ reports }: StatusPlace,
	since: number,
	isAsked: (t: number) => boolean,
): boolean {
	for (let n = reports.length - 1; n >= 0; n--) {
		const [report, next] = [reports.at(n), reports.at(n + 1)];
		if (report === undefined || report.t <= since) return false;
		const isInForce = next?.t !== report.t || next.key === report.key;
		if (isInForce && report.key.toLowerCase() === 'available' && isAsked(report.t)) return true;
	}
	return false;
}
