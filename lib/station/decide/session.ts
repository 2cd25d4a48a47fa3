/** Charging sessions that have ended: each is decided once, when everything up to its end is known. */
import { incidentId, isoOf, minutesOf, type Owner } from '../common/incident';
import { START_WAIT_MS } from '../common/settings';
import type { Entry, Sessions, SessionStop, SessionTransaction } from '../common/state';
import { inOrder } from '../fold/sets';
import { join } from './join';

interface Place extends Owner {
	readonly assetId: string;
	readonly watermark: number;
	/** Sessions that ended up to then are not reported. */
	readonly publishedAt: number;
}

/** Marks the sessions as reported, and returns their items. */
export function endedSessions(sessions: Sessions, place: Place): Entry[] {
	const entries = [
		...attemptsOf(sessions.stops, place.watermark).flatMap((attempt) =>
			endOf16(sessions, attempt, place),
		),
		...sessions.transactions.flatMap((transaction) => endOf201(transaction, place)),
	];
	return entries.filter(({ t }) => t > place.publishedAt);
}

/** Looks for the start of a session, by what was created up to `known`. */
interface Attempt {
	readonly stop: SessionStop;
	readonly known: number;
}

/** In the order in which they are decided by polls that miss none, so the result is the same for polls that come late. */
function attemptsOf(stops: readonly SessionStop[], watermark: number): Attempt[] {
	return stops
		.filter(({ reported }) => !reported)
		.flatMap((stop) => [stop.t, stop.t + START_WAIT_MS].map((known) => ({ stop, known })))
		.filter(({ known }) => known <= watermark)
		.sort((a, b) => a.known - b.known || a.stop.at - b.stop.at || inOrder(a.stop, b.stop));
}

function endOf16(sessions: Sessions, { stop, known }: Attempt, place: Place): Entry[] {
	const joined = join(sessions, stop, known);
	const mayWait = joined.start === undefined && known === stop.t;
	if (stop.reported || mayWait) return [];
	const { start, connector = null, foundBy } = joined;
	stop.reported = true;
	if (start !== undefined) start.used = known;
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
	const { tx, t, where, started, ended, first, last, reported } = transaction;
	if (reported || ended === undefined || ended.t > place.watermark) return [];
	if (started === undefined && place.watermark < ended.t + START_WAIT_MS) return [];
	transaction.reported = true;
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
