/**
 * Charging sessions that have ended. What was created is gone through in order, and each session is decided when all that belongs
 * to it is known: so polls that come late, or miss some, decide the same.
 */
import { CLOSING_MS, SESSION_WAIT_MS, START_WAIT_MS } from '../common/settings';
import type { ReportEntry, Sessions, SessionStart, SessionStop } from '../common/state';
import { isTransaction } from '../facts/values';
import { isLater, mayBeSame } from '../fold/decided';
import { lastOf } from '../fold/sessions';
import { isStartAgain, isStopAgain, remember } from '../fold/told';
import { exactOf, join, mayBeNamed, mayBeOf, placeOfStop } from './join';
import { isOver, KnownSessions, type KnownSession } from './known';
import {
	endedEntry,
	hasRegister,
	openEntry,
	type OpenEntry,
	type SessionPlace,
	unendedEntry,
} from './sessionItem';

/** Whether one of the sessions may be over: a stop is not told, or a start follows another one. */
export function mayEnd({ starts, stops }: Sessions): boolean {
	const isOpen = starts.some(({ over }) => over === undefined);
	return stops.some(({ told }) => !told) || (isOpen && starts.length > 1);
}

/** Marks the sessions as told, and returns their items. */
export function endedSessions(sessions: Sessions, place: SessionPlace): ReportEntry[] {
	return played(sessions, place, true).entries.filter(({ t }) => t > place.publishedAt);
}

/** Those whose stop waits for what may come, as they stand: once `endedSessions` has decided. */
export function waitingSessions(sessions: Sessions, place: SessionPlace): ReportEntry[] {
	const { known } = played(sessions, place, false);
	return waitingIn(known).flatMap((stop) => toldStop(known, stop, true, place));
}

/** Those that have neither ended nor been followed by another one of their connector, once `endedSessions` has decided. */
export function openSessions(sessions: Sessions, place: SessionPlace): OpenEntry[] {
	const { known } = played(sessions, place, false);
	const ending = new Set(
		waitingIn(known).flatMap((stop) => {
			const { session, possible } = join(known, stop, false, place);
			return [session, ...possible];
		}),
	);
	return known.sessions
		.filter((one) => !isOver(one) && one.start.unsure !== true && !ending.has(one))
		.filter((one) => !known.isFollowed(one))
		.flatMap((one) => openEntry(known, one, place));
}

const waitingIn = ({ stops }: KnownSessions): SessionStop[] => stops.filter(({ told }) => !told);

/** Starts come before the responses to them, and decisions once all messages of that time are known. */
const RANK = { start: 0, response: 1, stop: 2, decision: 3 };

/** A message, or a decision that is due. */
interface SessionStep {
	readonly t: number;
	readonly rank: number;
	/** Of decisions that are due at once: by the station's clock. */
	readonly at: number;
	readonly id: string;
	readonly take: () => readonly ReportEntry[];
}

function played(sessions: Sessions, place: SessionPlace, isDeciding: boolean) {
	const known = new KnownSessions(sessions);
	const entries: ReportEntry[] = [];
	const steps = [
		...messagesOf(sessions, known),
		...(isDeciding ? decisionsOf(sessions, known, place) : []),
	].sort((a, b) => a.t - b.t || a.rank - b.rank || a.at - b.at || (a.id < b.id ? -1 : 1));
	for (const { t, take } of steps) {
		if (t > place.watermark) break;
		known.at = t;
		entries.push(...take());
	}
	known.at = place.watermark;
	return { known, entries };
}

function messagesOf({ starts, stops, named }: Sessions, known: KnownSessions): SessionStep[] {
	const message = (t: number, rank: number, id: string, add: () => void) => ({
		t,
		rank,
		at: t,
		id,
		take: () => {
			add();
			settle(known);
			return [];
		},
	});
	return [
		...starts.map((one) =>
			message(one.t, RANK.start, one.id, () => {
				if (one.over === undefined && isStartAgain(known.told, one)) one.over = one.t;
				known.addStart(one);
			}),
		),
		// Readings named it until it was over.
		...starts.flatMap((one) =>
			one.name === undefined || one.over === undefined
				? []
				: [
						message(one.over, RANK.decision, one.id, () => {
							known.nameStart(one);
						}),
					],
		),
		...named.flatMap((one) =>
			[...new Set([one.t, lastOf(one)])].map((t) =>
				message(t, RANK.response, one.tx, () => {
					const again = known.startAfter(one);
					if (again !== undefined) {
						starts.push(again);
						known.addStart(again);
					}
					known.addResponse(one);
				}),
			),
		),
		...stops.map((one) =>
			message(one.t, RANK.stop, one.id, () => {
				if (one.told || !isStopAgain(known.told, one)) {
					known.addStop(one);
					return;
				}
				one.told = true;
				stops.splice(stops.indexOf(one), 1);
			}),
		),
	];
}

function decisionsOf(
	{ starts, stops }: Sessions,
	known: KnownSessions,
	place: SessionPlace,
): SessionStep[] {
	const decision = (
		t: number,
		{ at, id }: SessionStart | SessionStop,
		take: SessionStep['take'],
	) => ({
		t,
		rank: RANK.decision,
		at,
		id,
		take,
	});
	return [
		...starts.map((start) =>
			decision(start.t + SESSION_WAIT_MS, start, () =>
				unended(
					known,
					known.openWith(start).filter((one) => one.start === start || isLater(start, one.start)),
					place,
				),
			),
		),
		...stops
			.filter(({ told }) => !told)
			.flatMap((stop) =>
				waitsOf(stop).map((waitMs) =>
					decision(stop.t + waitMs, stop, () => {
						const entries = toldStop(known, stop, waitMs === START_WAIT_MS, place);
						// Sessions can have waited for it.
						return stop.told ? [...entries, ...unended(known, known.held, place)] : entries;
					}),
				),
			),
	];
}

/** The last register may follow a stop, and one that names its session a stop that does not. */
const waitsOf = (stop: SessionStop): number[] => [
	...(hasRegister(stop) ? [0] : []),
	...(hasRegister(stop) && isTransaction(stop.tx) ? [] : [CLOSING_MS]),
	START_WAIT_MS,
];

function toldStop(
	known: KnownSessions,
	stop: SessionStop,
	isLast: boolean,
	place: SessionPlace,
): ReportEntry[] {
	if (stop.told) return [];
	const { session, foundBy, isRepeated, unended, possible } = join(known, stop, isLast, place);
	if (session === undefined && !isRepeated && !isLast) return [];
	const named = placeOfStop(known, stop);
	const isHere = possible.every((one) => mayBeSame(named, known.placeOf(one)));
	const connector = isHere ? named : undefined;
	// What names the ID of several belongs to one of them.
	const isShared = possible.filter(({ ids }) => ids.has(stop.tx)).length > 1;
	const found = { session, stop, foundBy, connector, isShared };
	const entries = isRepeated ? [] : endedEntry(known, found, place);
	const namings = isTransaction(stop.tx) ? known.namingsOf(stop.tx, stop) : [];
	stop.told = true;
	if (session !== undefined || (isRepeated && possible.length === 0)) stop.found = true;
	else if (namings.length > 0)
		stop.named = namings.map(({ connector, t, at }) => ({ connector, t, at }));
	if (session !== undefined) end(known, session, stop.t);
	const over = session ?? unended;
	if (!isRepeated || over) remember(known.told, stop.t, { start: over?.start, stop });
	// Its ID can be that of another one as soon as if the stop had come in time.
	if (isRepeated && unended !== undefined) end(known, unended, stop.t);
	for (const { start } of possible) start.unsure = true;
	return entries;
}

/** A start that is read after its stop was told without it: that session is over. One that was known then is as unsure as before. */
function settle(known: KnownSessions): void {
	for (const stop of known.stops) {
		if (!stop.told || stop.found || !known.isNamed(stop.tx)) continue;
		const [session, ...others] = exactOf(known, stop).filter((one) => !isOver(one));
		if (session === undefined || others.length > 0 || session.start.unsure) continue;
		stop.found = true;
		end(known, session, stop.t);
	}
}

/** What only readings named keeps that ID: they are dropped with the session. */
function end(
	known: KnownSessions,
	session: KnownSession,
	t: number,
	next?: Pick<SessionStart, 't' | 'at'>,
): void {
	const [name] = known.namesOf(session);
	for (const start of session.starts) {
		start.over = t;
		delete start.unended;
		delete start.next;
		if (next !== undefined)
			Object.assign(start, { unended: true, next: { t: next.t, at: next.at } });
		if (name !== undefined) start.name = name;
	}
	if (name !== undefined) known.name(session, name);
	if (next !== undefined) return;
	for (const refused of known.refusedIn(session, t)) {
		for (const start of refused.starts) start.over = t;
	}
}

/** Those of the sessions that another one follows, if no stop has come by then that is theirs or may be. */
const unended = (
	known: KnownSessions,
	sessions: readonly KnownSession[],
	place: SessionPlace,
): ReportEntry[] =>
	sessions.flatMap((session) => {
		const later = known.nextOf(session);
		if (later === undefined || later.start.t + SESSION_WAIT_MS > known.at) return [];
		known.hold(session);
		const stops = known.stops.filter(({ found }) => !found);
		const isOwn = (stop: SessionStop) => exactOf(known, stop).includes(session);
		const isToCome = (stop: SessionStop) =>
			(!stop.told && isOwn(stop)) ||
			(mayBeNamed(known, session, stop) && mayBeOf(known, session, stop));
		if (stops.some(isToCome)) return [];
		// It is over even if a stop that was told without it may be its own: what follows it is not kept as long as an open session.
		const isUnsure =
			session.start.unsure === true ||
			stops.some((stop) => isOwn(stop) || mayBeOf(known, session, stop));
		const entries = isUnsure ? [] : unendedEntry(known, session, later.start, place);
		end(known, session, known.at, later.start);
		remember(known.told, known.at, { start: session.start });
		return entries;
	});
