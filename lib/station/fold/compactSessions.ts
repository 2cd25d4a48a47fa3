/** Removes the parts of a station's sessions that no session to come can need. */
import {
	LATE_STOP_MS,
	LATEST_MS,
	MOST_REPORTS,
	REPEATED_MS,
	START_WAIT_MS,
	type StationSettings,
	UNMATCHED_MS,
} from '../common/settings';
import type { Said, Sessions, SessionStop } from '../common/state';
import { isMeterDecided, isTransactionDecided } from './decided';
import { belongsAt, thinned } from './registers';
import { lastOf } from './sessions';

export function compactSessions(
	sessions: Sessions,
	watermark: number,
	{ includeIdTag = false, mostParts = MOST_REPORTS }: StationSettings,
	isUnread = false,
): void {
	const cut = watermark - LATEST_MS;
	/** What ended before is decided. */
	const settled = watermark - START_WAIT_MS;
	const isOpen = (t: number) => t >= watermark - UNMATCHED_MS;
	const isKept = (t: number, isReported: boolean | undefined) =>
		t >= (isReported ? watermark - REPEATED_MS : watermark - UNMATCHED_MS);
	const { stops, starts } = sessions;
	// One that was reported without its start may be the end of one that is listed later.
	const mayHaveStart = ({ reported, found, t }: SessionStop) =>
		reported && !found && t >= watermark - LATE_STOP_MS;
	sessions.stops = stops.filter(
		(stop) => isKept(lastOf(stop), stop.reported) || mayHaveStart(stop),
	);
	const byTime = starts.toSorted((a, b) => a.at - b.at);
	sessions.starts = starts.filter((start) => {
		const { used, unended, unsure, t, at, connector } = start;
		if (lastOf(start) >= cut || !isOpen(t)) return lastOf(start) >= cut;
		const before = byTime.findLast((other) => other.connector === connector && other.at < at);
		if (unended || unsure) return t >= watermark - LATE_STOP_MS;
		// A start also says that the session before it is over, as long as that one's stop is missing.
		return (
			used === undefined || (before !== undefined && (before.used === undefined || before.unended))
		);
	});
	const oldStops = stops.filter((stop) => stop.reported && stop.t < cut && !mayHaveStart(stop));
	/** Whether its transaction is over, by then: an ID is used again. */
	const isOfOld = (tx: string | undefined, t: number) =>
		oldStops.some((stop) => stop.tx === tx && t <= stop.t);
	// A response is of no use without its start.
	const [listed, left] = [starts, sessions.starts].map(
		(some) => new Set(some.flatMap(({ messages }) => messages)),
	);
	const isGone = (message: string) => listed?.has(message) === true && left?.has(message) === false;
	sessions.named = sessions.named.filter(
		({ t, tx, message }) => !isGone(message) && (t >= cut || (isOpen(t) && !isOfOld(tx, t))),
	);
	const before = { ...sessions, starts, stops };
	sessions.metered = sessions.metered.flatMap((meter) => {
		const { tx, t } = meter;
		const isDecided = (at: number, isOld: boolean) =>
			isMeterDecided(before, meter, at, tx === undefined && isOld);
		const readings = meter.readings.filter(
			(one) => isOpen(one.t) && !isDecided(belongsAt(one), one.t < cut),
		);
		const isNeeded = !isDecided(meter.at, t < cut) && isOpen(t) && !isOfOld(tx, t);
		const [first] = readings;
		if (isNeeded) return [{ ...meter, readings: thinned(readings, settled, cut) }];
		if (first === undefined) return [];
		return [
			{ ...meter, at: belongsAt(first), t: first.t, readings: thinned(readings, settled, cut) },
		];
	});
	// Only whether it comes again matters.
	for (const stop of sessions.stops) {
		if (!stop.reported) continue;
		delete stop.readings;
		delete stop.reason;
	}
	sessions.transactions = sessions.transactions.flatMap((transaction) => {
		const { starts: begun, ends, t } = transaction;
		// Which start an end belongs to, and whether another EVSE uses the ID meanwhile, depends on all of them.
		const isWaiting = (at: number) => begun.some((one) => !one.done && one.at <= at);
		// What is older may still be read: also the start of one that was reported without.
		const kept = ends.filter(
			(end) => isKept(end.t, end.reported) || (isOpen(end.t) && (isUnread || isWaiting(end.at))),
		);
		const isNeeded = (from: number) => kept.some(({ at }) => at >= from && isWaiting(at));
		const hasEnd = (from: number) => ends.some(({ at, reported }) => reported && at >= from);
		const isDecided = (at: number) => isTransactionDecided(transaction, at);
		const gone = ends.filter((end) => !kept.includes(end));
		/** A start that was read after its session had been reported goes with the end. */
		const isOver = (from: number) =>
			gone.some(({ at }) => at >= from && !begun.some((one) => one.at > from && one.at <= at));
		const left = begun.flatMap((start) => {
			const { t: since, at, done } = start;
			// It may be read again, as long as it was sent again.
			if (isOver(at)) return lastOf(start) >= cut ? [{ ...start, done: true }] : [];
			const isNext = done
				? (isNeeded(at) || !hasEnd(at)) && since >= watermark - LATE_STOP_MS
				: isOpen(since);
			return lastOf(start) >= cut || isNext ? [start] : [];
		});
		// The one before may wait for what its connector did next.
		const isWanted = (time: number) => !isDecided(time) || left.some(({ at }) => at <= time);
		const wanted = (all: readonly Said[]) =>
			all
				.filter(({ until }) => isWanted(until))
				.map((one) => (isWanted(one.at) ? one : { ...one, at: one.until }));
		const next = {
			...transaction,
			starts: left,
			ends: kept.map((end) => (end.reported ? { ...end, reason: undefined } : end)),
			where: wanted(transaction.where),
			who: wanted(transaction.who),
			readings: thinned(
				transaction.readings.filter((one) => !isDecided(belongsAt(one))),
				settled,
				cut,
			),
		};
		const isUnknown = begun.length + ends.length === 0 && isOpen(t);
		return t >= cut || next.starts.length + kept.length > 0 || isUnknown ? [next] : [];
	});
	for (const all of Object.values(sessions)) all.splice(0, all.length - mostParts);
	if (includeIdTag) return;
	for (const one of sessions.starts) delete one.tag;
	for (const one of sessions.transactions) one.who = [];
}
