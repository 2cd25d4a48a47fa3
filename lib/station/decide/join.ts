/**
 * Joins a stop to its start. What names its transaction is exact, and final; what is likely counts only for a stop that names
 * nothing, and for a station whose starts were never answered. If two fit, the stop has no start, because an empty field is
 * better than a wrong one.
 */
import { CLOSING_MS, LATE_STOP_MS, REPEATED_MS, RESPONSE_MS } from '../common/settings';
import type { Register, SessionStop } from '../common/state';
import { isTransaction } from '../facts/values';
import { mayBeSame } from '../fold/decided';
import { atOf, isFallen } from '../fold/registers';
import { lastOf } from '../fold/sessions';
import { canRise, valueOf } from './energy';
import { isOver, latest, type KnownSession, type KnownSessions } from './known';
import { type FoundBy, limitAt, namingOf, type SessionPlace } from './sessionItem';

interface Joined {
	readonly session?: KnownSession;
	readonly foundBy: FoundBy;
	/** Its session has ended before, */
	readonly isRepeated?: boolean;
	/** and this one was told without it. */
	readonly unended?: KnownSession | undefined;
	/** One of which may be its session. */
	readonly possible: readonly KnownSession[];
}

/** By what is known; `isLast` if nothing more is waited for. */
export function join(
	known: KnownSessions,
	stop: SessionStop,
	isLast: boolean,
	place: SessionPlace,
): Joined {
	const none = { foundBy: 'not found', possible: [] } as const;
	const limitOf = ({ start }: KnownSession) => limitAt(place, start.connector);
	const fits = (session: KnownSession) => canMeasure(session, stop, limitOf(session));
	const same = known.stopsOf(stop.tx);
	if (!isLast && same.some((one) => !one.told && isBefore(one, stop) && isSame(one, stop))) {
		return none;
	}
	const exact = exactOf(known, stop);
	if (exact.length > 0) {
		const open = exact.filter((one) => !isOver(one));
		const [session, ...others] = open.length > 1 ? open.filter(fits) : open;
		if (open.length === 0) {
			const over = Math.max(...exact.map(({ start }) => start.over ?? -Infinity));
			const isOther = isNamedElsewhere(known, exact, stop) || known.isOrphan(stop.tx, stop, over);
			const isRepeated = !isOther;
			return { ...none, isRepeated, unended: exact.find(({ start }) => start.unended) };
		}
		if (session === undefined || others.length > 0) return { ...none, possible: open };
		const { start } = session;
		// One with its ID that was told before may have been its own, unless the registers tell.
		const isDoubtful = (one: SessionStop) => one.told && !one.found && start.t <= one.t;
		if (
			open.length === 1 &&
			start.unsure &&
			same.some((one) => isDoubtful(one) && isBefore(one, stop))
		) {
			return { ...none, possible: open };
		}
		return { session, foundBy: foundByOf(session, stop), possible: [] };
	}
	const before = isTransaction(stop.tx) ? same : known.stops;
	const isNew = isTransaction(stop.tx) && known.isOrphan(stop.tx, stop);
	const again = isNew ? [] : before.filter((one) => isAgain(stop, one));
	if (again.length > 0) {
		// With another register, it can be that of another session with its ID.
		const isOther = again.every(({ wh }) => wh !== stop.wh);
		const possible = isOther ? known.sessions.filter((one) => mayBeOf(known, one, stop)) : [];
		return { ...none, isRepeated: true, possible };
	}
	if (isTransaction(stop.tx) && known.isAnswered) {
		return { ...none, possible: known.sessions.filter((one) => mayBeOf(known, one, stop)) };
	}
	// What has been decided since does not turn an earlier doubt into a guess.
	if (!isLast && known.at <= (place.decidedUpTo ?? -Infinity)) return none;
	const fitting = known.sessions.filter((one) => isLikely(known, one, stop) && fits(one));
	const own = fitting.find((one) => isStopOfRefused(one, stop, fitting));
	const likely = own === undefined ? fitting : [own];
	const [session, ...others] = likely;
	if (session === undefined || others.length > 0) return { ...none, possible: likely };
	// Its stop comes after it was reported without one.
	if (isOver(session)) {
		return { ...none, isRepeated: session.start.unended === true, unended: session };
	}
	if (isDenied(known, session, stop) || !canFollow(known, session, stop, limitOf(session))) {
		return none;
	}
	// A stop before may have been its own, and one that names it may come soon.
	const isEarly = !isLast && mayBeNamed(known, session, stop);
	if (session.start.unsure || isEarly || !isClear(known, session, stop)) {
		return { ...none, possible: likely };
	}
	return { session, foundBy: 'order', possible: [] };
}

/** Whether readings of another connector name its ID, too: it can be that of a session there. */
const isNamedElsewhere = (
	known: KnownSessions,
	exact: readonly KnownSession[],
	stop: SessionStop,
) =>
	known
		.namingsOf(stop.tx, stop)
		.some(({ connector }) => exact.every((one) => !mayBeSame(known.placeOf(one), connector)));

const isBefore = (one: SessionStop, stop: SessionStop): boolean =>
	one !== stop && (one.t < stop.t || (one.t === stop.t && one.id < stop.id));

/** Whether they may be one stop: what is sent again waits with the first. */
const isSame = (one: SessionStop, stop: SessionStop): boolean =>
	one.tx === stop.tx && one.wh === stop.wh && isTransaction(stop.tx);

/** The sessions that the stop names: of those of a connector, the one that it had when the stop says. */
export function exactOf(known: KnownSessions, stop: SessionStop): KnownSession[] {
	const { tx, at, t, connector } = stop;
	const named = known.namedBy(tx, stop);
	const isBegun = named !== undefined && (named.start.at <= at || named.start.t <= t);
	const all = known.withId(tx, stop).concat(isBegun ? named : []);
	const places = Map.groupBy(all, (one) => known.placeOf(one));
	const here = [...places].filter(([place]) => mayBeSame(place, connector));
	// Of a session, what its first message names counts: the last one may name another connector.
	const elsewhere = here.length > 0 ? [] : [...places].filter(([, some]) => !some.every(isOver));
	return [...here, ...elsewhere].flatMap(([, some]) => {
		const begun = latest(some, 'at', at) ?? latest(some, 't', t);
		// One that was created before then has begun, though its clock may have been ahead.
		const sent = begun && isOver(begun) ? latest(some, 't', at) : undefined;
		return sent && !isOver(sent) ? sent : (begun ?? []);
	});
}

function foundByOf({ start, ids }: KnownSession, { tx }: SessionStop): FoundBy {
	if (!ids.has(tx)) return 'meter values';
	return start.tx === tx ? 'transaction ID' : 'response';
}

/** Whether the stop repeats one that was told: with its ID, or without one and with its time or register. */
function isAgain(stop: SessionStop, one: SessionStop): boolean {
	const isInTime = isBefore(one, stop) || isSoonNamed(stop, one);
	if (!one.told || !isInTime) return false;
	const isRecent = stop.t - lastOf(one) <= (one.found ? REPEATED_MS : LATE_STOP_MS);
	// A register that has fallen is that of another session with the same ID.
	const hasFallen = (stop.wh ?? 0) > 0 && (one.wh ?? 0) > (stop.wh ?? 0) + 1;
	if (isTransaction(stop.tx)) return isRecent && one.tx === stop.tx && !hasFallen;
	const isSameTime = one.at === stop.at && one.wh === stop.wh;
	const isSameRegister = (stop.wh ?? 0) > 0 && one.wh === stop.wh;
	return (isSameTime || isSameRegister) && stop.t - lastOf(one) <= REPEATED_MS;
}

/** Whether a stop of a transaction that nothing else names can be that of the session: its start has no response. */
export function mayBeOf(known: KnownSessions, session: KnownSession, stop: SessionStop): boolean {
	const { start } = session;
	if (isOver(session) || !(start.at <= stop.at || start.t <= stop.t)) return false;
	if (!known.mayEnd(stop, session) || !known.isCurrent(session, stop)) return false;
	if (!isTransaction(stop.tx)) return !isDenied(known, session, stop);
	const names = known.namesOf(session);
	return names.length === 0 || names.includes(stop.tx);
}

/** Whether the stop, which names nothing, came just before one that does. */
const isSoonNamed = (stop: SessionStop, one: SessionStop): boolean =>
	!isTransaction(stop.tx) && isTransaction(one.tx) && one.t <= stop.t + CLOSING_MS;

/** Whether a stop that names the session is waited for: the station may know its ID after all. */
export const mayBeNamed = (
	known: KnownSessions,
	session: KnownSession,
	{ tx, t, told }: SessionStop,
): boolean =>
	!told &&
	!isTransaction(tx) &&
	known.at < t + CLOSING_MS &&
	session.ids.size + known.namesOf(session).length > 0;

/** The readings that name the session, as far as the register of a stop that names nothing can be compared with them. */
function readingsBeside(
	known: KnownSessions,
	session: KnownSession,
	{ tx, wh = 0 }: SessionStop,
): readonly Register[] {
	if (isTransaction(tx) || wh <= 0) return [];
	return namingOf(known, session).filter((one) => one.wh > 0 && one.l === undefined);
}

/** Whether the register of the session shows that the stop is another one's: it was above that of the stop, or changes after it. */
function isDenied(known: KnownSessions, session: KnownSession, stop: SessionStop): boolean {
	const end = { wh: stop.wh ?? 0 };
	return readingsBeside(known, session, stop).some((one) => {
		const isAfter = atOf(one) > stop.at;
		const isLast = isAfter && one.c === 'end' && atOf(one) <= stop.at + CLOSING_MS;
		return (isFallen(one, end) && !isLast) || (isAfter && isFallen(end, one));
	});
}

/** Whether the register can have risen to that of the stop since the last reading of the session. */
function canFollow(
	known: KnownSessions,
	session: KnownSession,
	stop: SessionStop,
	limitW: number,
): boolean {
	const before = readingsBeside(known, session, stop).filter((one) => atOf(one) <= stop.at);
	const last = before.toSorted((a, b) => atOf(a) - atOf(b)).at(-1);
	return last === undefined || canRise(valueOf(last), { ...stop, wh: stop.wh ?? 0 }, limitW);
}

/** Whether the session was open when the stop was sent, and can be meant: no stop names it, and it has no name that the stop lacks. */
function isLikely(known: KnownSessions, session: KnownSession, stop: SessionStop): boolean {
	const { start, ids } = session;
	if ((start.over ?? Infinity) <= stop.t && !start.unended) return false;
	if (!(start.at <= stop.at || start.t <= stop.t)) return false;
	const place = placeOfStop(known, stop);
	if (place !== undefined && !mayBeSame(place, start.connector)) return false;
	if (!known.isCurrent(session, stop)) return false;
	const names = [...ids, ...known.namesOf(session)];
	if (isTransaction(stop.tx) && names.length > 0) return false;
	return !known.stops.some(
		(one) => !one.told && names.includes(one.tx) && (isBefore(one, stop) || isSoonNamed(stop, one)),
	);
}

/**
 * Whether it is that of a start that the service refused and the station ended at once: the register is still the same. Another
 * session of its connector could have that register, too.
 */
const isStopOfRefused = (
	session: KnownSession,
	stop: SessionStop,
	fitting: readonly KnownSession[],
): boolean =>
	session.isRefused &&
	(stop.wh ?? 0) > 0 &&
	session.start.wh === stop.wh &&
	stop.t - session.start.t <= RESPONSE_MS &&
	!fitting.some(
		(one) => one !== session && mayBeSame(one.start.connector, session.start.connector),
	);

/**
 * Whether the start was sent before the stop, for one that names nothing by the station's clock, too, and neither a stop that waits
 * nor a reading may show that it is another session's.
 */
function isClear(known: KnownSessions, session: KnownSession, stop: SessionStop): boolean {
	const mayBeOther = (one: SessionStop) =>
		!one.told && isBefore(one, stop) && mayBeOf(known, session, one);
	if (session.start.t > stop.t || known.stops.some(mayBeOther)) return false;
	if (!isTransaction(stop.tx)) return session.start.at <= stop.at;
	return !known.isNamedElse(session, stop.tx, stop);
}

/** What the stop names, or else the only connector that readings with its ID do. */
export function placeOfStop(known: KnownSessions, stop: SessionStop): string | undefined {
	const { tx, connector } = stop;
	if (connector !== undefined || !isTransaction(tx)) return connector;
	const places = new Set(known.namingsOf(tx, stop).map((one) => one.connector));
	// Where another session with the ID is over, it may have been named before.
	const over = new Set(
		known.withId(tx, stop).flatMap((one) => (isOver(one) ? known.placeOf(one) : [])),
	);
	const left = [...places].filter((one) => !over.has(one));
	const [place, ...others] = left.length > 0 ? left : places;
	return others.length === 0 ? place : undefined;
}

/** A register that is missing, or a placeholder, excludes nothing. */
function canMeasure({ start }: KnownSession, stop: SessionStop, limitW: number): boolean {
	const [from = 0, to = 0] = [start.wh, stop.wh];
	return from <= 0 || to <= 0 || canRise({ ...start, wh: from }, { ...stop, wh: to }, limitW);
}
