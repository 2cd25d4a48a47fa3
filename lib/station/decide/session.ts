/** Charging sessions that have ended: each is decided once, when everything up to its end is known. */
import { incidentId, isoOf, minutesOf, type Owner } from '../incident';
import { START_WAIT_MS } from '../settings';
import type { Entry, Sessions, SessionStop, SessionTransaction } from '../state';
import { join } from './join';

interface Place extends Owner {
	readonly assetId: string;
	readonly watermark: number;
	/** Sessions that ended up to then are not told. */
	readonly publishedAt: number;
}

/** Marks the sessions as told, and returns their items. */
export function endedSessions(sessions: Sessions, place: Place): Entry[] {
	const stops = sessions.stops
		.filter(({ t, told }) => !told && t <= place.watermark)
		.sort((a, b) => a.at - b.at || a.t - b.t);
	const entries = [
		...stops.flatMap((stop) => endOf16(sessions, stop, place)),
		...sessions.transactions.flatMap((transaction) => endOf201(transaction, place)),
	];
	return entries.filter(({ t }) => t > place.publishedAt);
}

function endOf16(sessions: Sessions, stop: SessionStop, place: Place): Entry[] {
	let joined = join(sessions, stop, stop.t);
	if (joined.start === undefined) {
		const waitsUntil = stop.t + START_WAIT_MS;
		if (place.watermark < waitsUntil) return [];
		joined = join(sessions, stop, waitsUntil);
	}
	const { start, connector = null, foundBy } = joined;
	stop.told = true;
	if (start !== undefined) start.used = true;
	return entryOf(place, {
		tx: stop.tx,
		connector: start?.connector ?? connector,
		start,
		stop,
		...{ meterStartWh: start?.wh, meterStopWh: stop.wh },
		foundBy,
	});
}

function endOf201(transaction: SessionTransaction, place: Place): Entry[] {
	const { tx, t, where, started, ended, first, last, told } = transaction;
	if (told || ended === undefined || ended.t > place.watermark) return [];
	if (started === undefined && place.watermark < ended.t + START_WAIT_MS) return [];
	transaction.told = true;
	return entryOf(place, {
		tx,
		connector: where?.connector ?? null,
		start: started && { at: started.at, t },
		stop: ended,
		...{ meterStartWh: first?.wh, meterStopWh: last?.wh },
		foundBy: started === undefined ? 'not found' : 'transaction ID',
	});
}

interface Session {
	readonly tx: string;
	readonly connector: string | null;
	/** `at` is the station's time, `t` the service's. */
	readonly start: { readonly at: number; readonly t: number } | undefined;
	readonly stop: { readonly at: number; readonly t: number; readonly reason: string };
	readonly meterStartWh: number | undefined;
	readonly meterStopWh: number | undefined;
	readonly foundBy: string;
}

function entryOf(place: Place, session: Session): Entry[] {
	const { assetId } = place;
	const { tx, start, stop, meterStartWh, meterStopWh } = session;
	const id = incidentId(place, 'sessionEnded', [assetId, tx, stop.at]);
	const item = {
		id,
		kind: 'sessionEnded',
		connector: session.connector,
		transactionId: tx,
		startedAt: isoOf(start?.at),
		stoppedAt: isoOf(stop.at),
		minutes: start === undefined ? null : minutesOf(lengthOf(start, stop)),
		meterStartWh: meterStartWh ?? null,
		meterStopWh: meterStopWh ?? null,
		energyKwh: energyOf(meterStartWh, meterStopWh),
		reason: stop.reason,
		startFoundBy: session.foundBy,
		receivedAt: isoOf(stop.t),
	};
	return [{ id, t: stop.t, assetId, item }];
}

/** By the station's clock, whose error cancels out, unless it was set in between. */
function lengthOf(start: { at: number; t: number }, stop: { at: number; t: number }): number {
	return stop.at >= start.at ? stop.at - start.at : stop.t - start.t;
}

/** A register that ran backwards measures nothing. */
function energyOf(startWh: number | undefined, stopWh: number | undefined): number | null {
	if (startWh === undefined || stopWh === undefined || stopWh < startWh) return null;
	return Math.round(stopWh - startWh) / 1000;
}
