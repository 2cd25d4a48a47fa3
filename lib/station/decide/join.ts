/**
 * Joins the stops of OCPP 1.6 to their starts, by what the messages say: their order of arrival changes nothing. A stop has the
 * start that it can belong to, whatever its transaction ID; if two fit, it has none, because an empty field is better than a
 * wrong one.
 */
import { LATE_STOP_MS, REPEATED_MS } from '../common/settings';
import type { Sessions, SessionMeter, SessionStart, SessionStop } from '../common/state';
import { isTransaction } from '../facts/values';
import { isMeterDecided } from '../fold/decided';
import { atOf } from '../fold/registers';
import type { Candidate, Candidates } from './candidates';
import { canRise } from './energy';

type FoundBy = 'response' | 'meter values' | 'order' | 'not found';

interface Joined {
	readonly candidate: Candidate | undefined;
	readonly connector: string | undefined;
	readonly foundBy: FoundBy;
	/** The session of this stop has been reported. */
	readonly isRepeated: boolean;
	/** The starts of which one may be the right one. */
	readonly possible: readonly SessionStart[];
}

/** By the messages that were created up to `known`, in Unix milliseconds; `isLast` if no more are waited for. */
export function join(
	sessions: Sessions,
	candidates: Candidates,
	stop: SessionStop,
	{ known, isLast }: { readonly known: number; readonly isLast: boolean },
): Joined {
	const { tx } = stop;
	const connectors = new Set(
		sessions.metered
			.filter((one) => one.tx === tx && one.t <= known && isUndecided(sessions, one))
			.map((one) => one.connector),
	);
	const connector = connectors.size === 1 ? [...connectors][0] : undefined;
	const joined = (part: Partial<Joined>): Joined => ({
		...{ candidate: undefined, connector, foundBy: 'not found', isRepeated: false, possible: [] },
		...part,
	});
	const isFree = ({ start }: Candidate) => (start.used ?? Infinity) > known;
	const all = candidates.at(known).filter(({ start }) => start.at <= stop.at || start.t <= stop.t);
	const fitting = all.filter(({ start }) => canMeasure(start, stop));
	const current = fitting.filter((one) => isCurrent(one, stop, 'at'));

	const ofTransaction = all.filter((one) => isNamed(one, tx));
	const named = firstOf(
		[current, fitting, ofTransaction.length === 1 ? ofTransaction : []].map((some) =>
			some.filter((one) => isNamed(one, tx) && isFree(one)),
		),
	);
	if (named.length > 0) {
		const [candidate] = named;
		if (named.length > 1 || candidate === undefined) return joined({ possible: startsOf(named) });
		// It was reported as over before this stop was listed.
		if (candidate.start.unended) return joined({ isRepeated: true });
		const others = current.filter((one) => one !== candidate && isFree(one));
		const isDoubted = fitting.includes(candidate)
			? others.some((other) => isSwapped(sessions, stop, candidate, other, known))
			: others.length > 0;
		if (isDoubted) return joined({ possible: startsOf([candidate, ...others]) });
		// The stop of the other one may show that the IDs are swapped; one that repeats a stop waits with it.
		const isOther = (other: Candidate) => isNearer(other, candidate, stop);
		const isWaiting = others.some(isOther) || repeatsWaiting(sessions, stop);
		if (!isLast && isWaiting) return joined({});
		const foundBy = candidate.responses.has(tx) ? 'response' : 'meter values';
		return takenLater(candidate) ? joined({}) : joined({ candidate, foundBy });
	}
	const isOver = ofTransaction.length > 0 && !ofTransaction.some(isFree);
	if (isOver || isAgain(sessions, stop, current.filter(isFree), known)) {
		return joined({ isRepeated: true });
	}

	const isOfAnother = ({ metered }: Candidate) => isTransaction(tx) && metered.size > 0;
	// One of another session that began after it by the station's clock ends a session of before, and was sent late.
	const isOlder = ({ responses }: Candidate) => isTransaction(tx) && responses.size > 0;
	const created = fitting.filter((one) => isCurrent(one, stop, 't') && !isOlder(one));
	const byTime = firstOf([current, created]);
	const open = byTime.filter(
		(one) =>
			(isFree(one) || one.start.unended) &&
			!isOfAnother(one) &&
			!isAwaited(sessions, stop, one, known) &&
			(connector === undefined || one.start.connector === connector),
	);
	const [candidate] = open;
	if (candidate === undefined || open.length > 1) return joined({ possible: startsOf(open) });
	if (candidate.start.unended) return joined({ isRepeated: true });
	// Its own start may be listed later.
	const isDoubtful = isTransaction(tx) && candidate.responses.size > 0;
	if (takenLater(candidate) || (isDoubtful && !isLast)) return joined({});
	return joined({ candidate, foundBy: 'order' });
}

/** Whether the register of the first one rises less up to a stop that can end both. A placeholder says nothing. */
function isNearer(
	{ start: { wh: first = 0 } }: Candidate,
	{ start: { wh: second = 0 } }: Candidate,
	{ wh: to = 0 }: SessionStop,
): boolean {
	return second > 0 && first > second && to > 0;
}

/** Whether it repeats a stop that is not decided yet. */
function repeatsWaiting({ stops }: Sessions, { id, t, tx, wh }: SessionStop): boolean {
	return stops.some(
		(one) => one.id !== id && one.t <= t && !one.reported && one.tx === tx && one.wh === wh,
	);
}

/** Whether a stop before this one names the session, and is not decided yet. */
function isAwaited({ stops }: Sessions, stop: SessionStop, candidate: Candidate, known: number) {
	const isBefore = (one: SessionStop) => one !== stop && one.t <= Math.min(stop.t, known);
	return stops.some((one) => isBefore(one) && !one.reported && isNamed(candidate, one.tx));
}

/**
 * Whether a stop that has no start names the other session or none, cannot be the register of the other one, and may be that of
 * this one: then the IDs of the two may be swapped.
 */
function isSwapped(
	{ stops }: Sessions,
	stop: SessionStop,
	candidate: Candidate,
	other: Candidate,
	known: number,
): boolean {
	return stops.some(
		(one) =>
			one !== stop &&
			known - LATE_STOP_MS <= one.t &&
			one.t <= known &&
			!(one.reported && one.found) &&
			(isNamed(other, one.tx) || !isTransaction(one.tx)) &&
			!canMeasure(other.start, one) &&
			canMeasure(candidate.start, one) &&
			isCurrent(candidate, one, 'at'),
	);
}

/** Whether it says something of a session that is not reported: an ID is used again. */
const isUndecided = (sessions: Sessions, meter: SessionMeter) =>
	[meter.at, ...meter.readings.map(atOf)].some((at) => !isMeterDecided(sessions, meter, at, false));

/** It was reported with another stop before this one was listed. */
const takenLater = ({ start }: Candidate) => start.used !== undefined;

const startsOf = (candidates: readonly Candidate[]) => candidates.map(({ start }) => start);

const firstOf = (lists: readonly (readonly Candidate[])[]): readonly Candidate[] =>
	lists.find(({ length }) => length > 0) ?? [];

export const isNamed = ({ responses, metered }: Candidate, tx: string) =>
	isTransaction(tx) && (responses.has(tx) || metered.has(tx));

/** A register that is missing, or a placeholder, excludes nothing. */
function canMeasure(start: SessionStart, stop: SessionStop): boolean {
	const [from = 0, to = 0] = [start.wh, stop.wh];
	const ms = Math.max(Math.abs(stop.at - start.at), Math.abs(stop.t - start.t));
	return from <= 0 || to <= 0 || canRise(from, to, ms);
}

/**
 * Whether the session was the one of its connector at that time, by the clock of the station or of the service. One that was
 * created before it follows it only by a clock that was set back.
 */
function isCurrent({ start, next }: Candidate, stop: SessionStop, clock: 'at' | 't'): boolean {
	const isNext = next !== undefined && next.t >= start.t;
	return start[clock] <= stop[clock] && stop[clock] <= (isNext ? next[clock] : Infinity);
}

/**
 * Whether it is a stop that was reported before: with the same register, if both have the same ID or one of the two names no
 * transaction; or with the same ID, if no session began since that it could end. A session that began since and used no energy
 * has the same register, too: rather that one is left without its end than another one ended too soon.
 */
function isAgain(
	{ stops }: Sessions,
	stop: SessionStop,
	free: readonly Candidate[],
	known: number,
): boolean {
	return stops.some((other) => {
		if (other === stop || !other.reported || other.t > stop.t) return false;
		// Whether a stop of before is still there depends on when polls came.
		if (other.t < known - REPEATED_MS) return false;
		const isSame = other.tx === stop.tx;
		const hasName = isTransaction(stop.tx) && isTransaction(other.tx);
		const isSameRegister = stop.wh !== undefined && other.wh === stop.wh && (isSame || !hasName);
		// A placeholder proves nothing.
		if (isSameRegister && (stop.wh ?? 0) > 0) return true;
		const isRepeat = isSame && (isSameRegister || (hasName && other.found));
		return isRepeat && !free.some(({ start }) => start.t > other.t);
	});
}
