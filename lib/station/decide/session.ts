/**
 * Charging sessions that have ended. What was created is gone through in order, and each session is decided when all that belongs
 * to it is known: so polls that come late, or miss some, decide the same.
 */
import { CLOSING_MS, SESSION_WAIT_MS, START_WAIT_MS } from '../common/settings';
import type { ReportEntry, Sessions, SessionStart, SessionStop } from '../common/state';
import { isLater } from '../fold/decided';
import { lastOf } from '../fold/sessions';
import { exactOf, join, mayBeOf, placeOfStop } from './join';
import { isOver, Known, type Session } from './known';
import { endedEntry, hasRegister, openEntry, type SessionPlace, unendedEntry } from './sessionItem';

/** Whether one of the sessions may be over: a stop is not told, or a start follows another one. */
export function mayEnd({ starts, stops }: Sessions): boolean {
	const isOpen = starts.some(({ over }) => over === undefined);
	return stops.some(({ told }) => !told) || (isOpen && starts.length > 1);
}

/** Marks the sessions as told, and returns their items. */
export function endedSessions(sessions: Sessions, place: SessionPlace): ReportEntry[] {
	return played(sessions, place).entries.filter(({ t }) => t > place.publishedAt);
}

/** Those whose stop waits for what may come, as they stand: once `endedSessions` has decided. */
export function waitingSessions(sessions: Sessions, place: SessionPlace): ReportEntry[] {
	const { known } = played(sessions, place);
	const waiting = known.stops.filter(({ told }) => !told);
	return waiting.flatMap((stop) => toldStop(known, stop, true, place));
}

/** Those that have neither ended nor been followed by another one of their connector, once `endedSessions` has decided. */
export function openSessions(sessions: Sessions, place: SessionPlace): ReportEntry[] {
	const { known } = played(sessions, place);
	const waiting = known.stops.filter(({ told }) => !told);
	const ending = new Set(waiting.flatMap((stop) => join(known, stop, false, place).session));
	return known.sessions
		.filter((one) => !isOver(one) && one.start.unsure !== true && !ending.has(one))
		.filter((one) => known.nextOf(one) === undefined)
		.flatMap((one) => openEntry(known, one, place));
}

/** Starts come before the responses to them, and decisions once all messages of that time are known. */
const RANK = { start: 0, response: 1, stop: 2, decision: 3 };

/** A message, or a decision that is due. */
interface Step {
	readonly t: number;
	readonly rank: number;
	/** Of decisions that are due at once: by the station's clock. */
	readonly at: number;
	readonly id: string;
	readonly take: () => ReportEntry[] | undefined;
}

function played(sessions: Sessions, place: SessionPlace) {
	const known = new Known(sessions);
	const entries: ReportEntry[] = [];
	for (const { t, take } of stepsOf(sessions, known, place)) {
		if (t > place.watermark) break;
		known.at = t;
		entries.push(...(take() ?? []));
	}
	known.at = place.watermark;
	return { known, entries };
}

function stepsOf(sessions: Sessions, known: Known, place: SessionPlace): Step[] {
	const { starts, stops, named } = sessions;
	const message = (t: number, rank: number, id: string, take: () => void) => ({
		...{ t, rank, at: t, id },
		take: () => {
			take();
			settle(known);
			return undefined;
		},
	});
	const decision = (t: number, { at, id }: SessionStart | SessionStop, take: Step['take']) => ({
		...{ t, rank: RANK.decision, at, id, take },
	});
	return [
		...starts.flatMap((start) => [
			message(start.t, RANK.start, start.id, () => known.addStart(start)),
			decision(start.t + SESSION_WAIT_MS, start, () => unendedBefore(known, start, place)),
		]),
		...named.flatMap((one) =>
			[...new Set([one.t, lastOf(one)])].map((t) =>
				message(t, RANK.response, one.tx, () => known.addResponse(one)),
			),
		),
		...stops.flatMap((stop) => [
			message(stop.t, RANK.stop, stop.id, () => known.addStop(stop)),
			...[stop.t + (hasRegister(stop) ? 0 : CLOSING_MS), stop.t + START_WAIT_MS].map((t, n) =>
				decision(t, stop, () => toldStop(known, stop, n === 1, place)),
			),
		]),
	].sort((a, b) => a.t - b.t || a.rank - b.rank || a.at - b.at || (a.id < b.id ? -1 : 1));
}

function toldStop(
	known: Known,
	stop: SessionStop,
	isLast: boolean,
	place: SessionPlace,
): ReportEntry[] {
	if (stop.told) return [];
	const { session, foundBy, isRepeated, possible } = join(known, stop, isLast, place);
	if (session === undefined && !isRepeated && !isLast) return [];
	const entries = isRepeated
		? []
		: endedEntry(known, { session, stop, foundBy, connector: placeOfStop(known, stop) }, place);
	stop.told = true;
	if (session !== undefined || isRepeated) stop.found = true;
	if (session !== undefined) end(known, session, stop.t);
	for (const { start } of possible) start.unsure = true;
	return entries;
}

/** A start that is read after its stop was told without it: that session is over. */
function settle(known: Known): void {
	for (const stop of known.stops) {
		if (!stop.told || stop.found) continue;
		const [session, ...others] = exactOf(known, stop).filter((one) => !isOver(one));
		if (session === undefined || others.length > 0) continue;
		stop.found = true;
		end(known, session, stop.t);
	}
}

/** What only readings named keeps that ID: they are dropped with the session. */
function end(known: Known, session: Session, t: number, isUnended = false): void {
	const [name] = known.namesOf(session);
	for (const start of session.starts) {
		start.over = t;
		if (isUnended) start.unended = true;
		if (name !== undefined) start.name = name;
	}
}

/** Sessions that this start follows, if no stop has come by then that is theirs or may be. */
function unendedBefore(known: Known, next: SessionStart, place: SessionPlace): ReportEntry[] {
	if (!known.sessions.some(({ start }) => start === next)) return [];
	return known.sessions
		.filter((one) => !isOver(one) && isLater(next, one.start))
		.flatMap((session) => {
			const later = known.nextOf(session);
			if (later === undefined || later.start.t + SESSION_WAIT_MS > known.at) return [];
			const stops = known.stops.filter(({ found }) => !found);
			if (stops.some((stop) => exactOf(known, stop).includes(session))) return [];
			const isUnsure =
				session.start.unsure === true || stops.some((stop) => mayBeOf(known, session, stop));
			const entries = isUnsure ? [] : unendedEntry(known, session, later.start, place);
			end(known, session, known.at, true);
			return entries;
		});
}
