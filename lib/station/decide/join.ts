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
import { canRise } from './energy';

export type FoundBy = 'response' | 'meter values' | 'order' | 'not found';

export interface Joined {
	readonly candidate: Candidate | undefined;
	readonly connector: string | undefined;
	readonly foundBy: FoundBy;
	/** The session of this stop has been reported. */
	readonly isRepeated: boolean;
	/** The starts of which one may be the right one. */
	readonly possible: readonly SessionStart[];
}

/** A start, and which transaction it began, as far as that is known. */
export interface Candidate {
	readonly start: SessionStart;
	readonly repeats: readonly SessionStart[];
	/** The next session of its connector. */
	readonly next: SessionStart | undefined;
	/** By its response, and by meter values. */
	readonly response: string | undefined;
	readonly metered: ReadonlySet<string>;
}

/** By the messages that were created up to `known`, in Unix milliseconds; `isLast` if no more are waited for. */
export function join(
	sessions: Sessions,
	stop: SessionStop,
	known: number,
	isLast: boolean,
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
	const all = candidatesOf(sessions, known).filter(
		({ start }) => start.at <= stop.at || start.t <= stop.t,
	);
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
		const foundBy = candidate.response === tx ? 'response' : 'meter values';
		return takenLater(candidate) ? joined({}) : joined({ candidate, foundBy });
	}
	const isOver = ofTransaction.length > 0 && !ofTransaction.some(isFree);
	if (isOver || isAgain(sessions, stop, current.filter(isFree), known)) {
		return joined({ isRepeated: true });
	}

	const isOfAnother = ({ metered }: Candidate) => isTransaction(tx) && metered.size > 0;
	const byTime = firstOf([current, fitting.filter((one) => isCurrent(one, stop, 't'))]);
	const open = byTime.filter(
		(one) =>
			(isFree(one) || one.start.unended) &&
			!isOfAnother(one) &&
			(connector === undefined || one.start.connector === connector),
	);
	const [candidate] = open;
	if (candidate === undefined || open.length > 1) return joined({ possible: startsOf(open) });
	if (candidate.start.unended) return joined({ isRepeated: true });
	// Its own start may be listed later.
	const isDoubtful = isTransaction(tx) && candidate.response !== undefined;
	if (takenLater(candidate) || (isDoubtful && !isLast)) return joined({});
	return joined({ candidate, foundBy: 'order' });
}

/**
 * Whether a stop that has no start names the other session, whose register it cannot be, and may be that of this one: then the
 * IDs of the two may be swapped.
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
			isNamed(other, one.tx) &&
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

const isNamed = ({ response, metered }: Candidate, tx: string) =>
	isTransaction(tx) && (response === tx || metered.has(tx));

/** A register that is missing, or a placeholder, excludes nothing. */
function canMeasure(start: SessionStart, stop: SessionStop): boolean {
	const [from = 0, to = 0] = [start.wh, stop.wh];
	const ms = Math.max(Math.abs(stop.at - start.at), Math.abs(stop.t - start.t));
	return from <= 0 || to <= 0 || canRise(from, to, ms);
}

/** Whether the session was the one of its connector at that time, by the clock of the station or of the service. */
function isCurrent({ start, next }: Candidate, stop: SessionStop, clock: 'at' | 't'): boolean {
	return start[clock] <= stop[clock] && stop[clock] <= (next?.[clock] ?? Infinity);
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

/** By their beginning. */
export function candidatesOf(sessions: Sessions, known: number): Candidate[] {
	const { named, metered } = sessions;
	const starts = sessions.starts
		.filter(({ t }) => t <= known)
		.sort((a, b) => a.at - b.at || a.t - b.t);
	const answered = named.filter(({ t, tx }) => t <= known && isTransaction(tx));
	const responses = new Map(answered.map(({ message, tx }) => [message, tx]));
	const listed = new Set(starts.flatMap(({ messages }) => messages));
	const unlisted = answered.filter(({ message }) => !listed.has(message));
	return [...Map.groupBy(starts, ({ connector }) => connector)].flatMap(([connector, own]) => {
		const meters = metered.filter((one) => one.connector === connector && one.t <= known);
		const groups = withRepeats(own, sessions.stops, meters);
		return groups.flatMap(({ start, repeats }, n) => {
			const next = groups[n + 1]?.start;
			const message = [start, ...repeats]
				.flatMap(({ messages }) => messages)
				.find((each) => responses.has(each));
			const response = message === undefined ? undefined : responses.get(message);
			// A name that is new after its session was reported is that of another one, whose start is missing.
			const { used = Infinity } = start;
			const own = meters.filter(({ t }) => t <= used);
			const metered = namesIn(own, start, next);
			// So is one that the response to a start says that is not listed yet.
			for (const { t, tx } of unlisted) if (t >= start.t && tx !== response) metered.delete(tx);
			return [{ start, repeats, next, response, metered }];
		});
	});
}

/** The transactions that meter values name from one start to the next. */
function namesIn(
	meters: readonly SessionMeter[],
	start: SessionStart,
	next: SessionStart | undefined,
): Set<string> {
	const isIn = (at: number) => start.at <= at && at < (next?.at ?? Infinity);
	const named = meters.filter(({ at, readings }) => [at, ...readings.map(atOf)].some(isIn));
	return new Set(named.flatMap(({ tx }) => (tx === undefined ? [] : [tx])));
}

/**
 * A start that repeats the register of the one before is sent again, unless a stop in between may have ended that one, or meter
 * values name another transaction since.
 */
function withRepeats(
	starts: readonly SessionStart[],
	stops: readonly SessionStop[],
	meters: readonly SessionMeter[],
) {
	const groups: { readonly start: SessionStart; readonly repeats: SessionStart[] }[] = [];
	for (const [n, start] of starts.entries()) {
		const last = groups.at(-1);
		const isRepeat =
			last !== undefined &&
			(start.wh ?? 0) > 0 &&
			start.wh === last.start.wh &&
			// It was reported as over, because this one began.
			!(last.start.unended === true && start.used === undefined) &&
			!stops.some(
				({ at, wh = 0 }) => last.start.at <= at && at < start.at && (wh <= 0 || wh === start.wh),
			) &&
			!isOther(namesIn(meters, last.start, start), namesIn(meters, start, starts[n + 1]));
		if (isRepeat) last.repeats.push(start);
		else groups.push({ start, repeats: [] });
	}
	return groups;
}

/** Whether a new transaction follows on one that had a name. */
function isOther(before: ReadonlySet<string>, after: ReadonlySet<string>): boolean {
	return before.size > 0 && [...after].some((tx) => !before.has(tx));
}
