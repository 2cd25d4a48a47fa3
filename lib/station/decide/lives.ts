/** The sessions of OCPP 2.0.1 by their transaction: a station may use an ID again, or number the sessions of each EVSE by itself. */
import { CLOSING_MS, START_WAIT_MS } from '../common/settings';
import type { Register, ReportEntry, Said, Sessions, SessionTransaction } from '../common/state';
import { evseOf } from '../facts/values';
import { belongsAt } from '../fold/registers';
import {
	entryOf,
	isIn,
	NOT_REPORTED,
	OPEN,
	openEntry,
	type SessionAttempt,
	type SessionPlace,
	timesOf,
} from './sessionItem';

type Begun = SessionTransaction['starts'][number];
type Ended = SessionTransaction['ends'][number];

interface Life {
	readonly start: Begun | undefined;
	readonly end: Ended | undefined;
	/** What the station says in this time belongs to it. */
	readonly since: number;
	readonly until: number;
	/** Another EVSE had a session of the same ID meanwhile: what names no EVSE can be of either. */
	readonly isShared: boolean;
}

/** By what was created up to `known`, in Unix milliseconds. A later end of the same life is that end again. */
function livesOf({ starts, ends }: SessionTransaction, known: number): Life[] {
	const begun = beginningsOf({ starts, ends }, known);
	const over = ends.filter(({ t }) => t <= known).sort((a, b) => a.at - b.at || a.t - b.t);
	const isOfOneEvse = new Set(begun.map(({ connector = '' }) => evseOf(connector))).size <= 1;
	const ended = endsOf(begun, over, isOfOneEvse);
	const lives = [undefined, ...begun].map((start, n) => {
		const since = start?.at ?? -Infinity;
		const until = begun[n]?.at ?? Infinity;
		return { start, since, until, ends: ended.get(start) ?? [] };
	});
	const [before, first] = lives;
	// The clock was set back in between, or the messages have no time and came in the wrong order.
	if (before !== undefined && first !== undefined && first.ends.length === 0) {
		first.ends = before.ends.filter(({ reported }) => !reported);
		before.ends = before.ends.filter(({ reported }) => reported);
	}
	return lives
		.filter(({ start, ends: own }) => start !== undefined || own.length > 0)
		.map(({ start, since, until, ends: own }, n) => ({
			...{ start, until },
			since: n === 0 ? -Infinity : since,
			end: own.toSorted((a, b) => a.t - b.t)[0],
		}))
		.map((life, _n, all) => ({
			...life,
			isShared: !isOfOneEvse && all.some((other) => isShared(life, other)),
		}));
}

/** Each end with its start: that of its EVSE, otherwise the latest one. An end that can be of either of two is of none. */
function endsOf(
	begun: readonly Begun[],
	over: readonly Ended[],
	isOfOneEvse: boolean,
): ReadonlyMap<Begun | undefined, Ended[]> {
	const ended = new Map<Begun | undefined, Ended[]>();
	let before = 0;
	for (const end of over) {
		while (before < begun.length && (begun[before]?.at ?? 0) <= end.at) before += 1;
		const latest = begun[before - 1];
		const own = begun.findLast((start, n) => n < before && !areApart(start, end));
		const isOpen = (start: Begun, n: number) =>
			n < before && latest && areApart(start, latest) && !ended.has(start);
		if (end.connector === undefined && !isOfOneEvse && begun.some(isOpen)) continue;
		const known = ended.get(own);
		if (known === undefined) ended.set(own, [end]);
		else known.push(end);
	}
	return ended;
}

interface AtPlace {
	readonly connector?: string | undefined;
}

function areApart({ connector: a }: AtPlace, { connector: b }: AtPlace): boolean {
	return a !== undefined && b !== undefined && evseOf(a) !== evseOf(b);
}

type LifeEnds = Pick<Life, 'start' | 'end'>;

function isShared({ start: a, end }: LifeEnds, { start: b, end: otherEnd }: LifeEnds): boolean {
	if (a === undefined || b === undefined || !areApart(a, b)) return false;
	// Its end is long over, or never came.
	if (b.done && otherEnd === undefined) return false;
	return a.at < (otherEnd?.at ?? Infinity) && b.at < (end?.at ?? Infinity);
}

/** The starts without those that repeat the register of the one before, if none has ended in between: these are sent again. */
function beginningsOf(
	{ starts, ends }: Pick<SessionTransaction, 'starts' | 'ends'>,
	known: number,
): Begun[] {
	const sorted = starts.filter(({ t }) => t <= known).sort((a, b) => a.at - b.at || a.t - b.t);
	const over = ends.map(({ at }) => at).sort((a, b) => a - b);
	let next = 0;
	return sorted.filter((start, n) => {
		const before = sorted[n - 1];
		while ((over[next] ?? Infinity) < (before?.at ?? -Infinity)) next += 1;
		if (before === undefined || (start.wh ?? 0) <= 0 || start.wh !== before.wh) return true;
		return (over[next] ?? Infinity) < start.at;
	});
}

export function lifeAttempts(
	sessions: Sessions,
	transaction: SessionTransaction,
	place: SessionPlace,
): SessionAttempt[] {
	const ends = transaction.ends
		.filter(({ reported }) => !reported)
		.flatMap((end) =>
			[false, true].map((isLast) => {
				const waitMs = hasRegister(transaction, end) ? 0 : CLOSING_MS;
				const known = end.t + (isLast ? START_WAIT_MS : waitMs);
				const decide = () => ended(sessions, transaction, end, { known, isLast }, place);
				return { known, at: end.at, id: end.id, decide };
			}),
		);
	const nexts = transaction.starts
		.filter((start) => !start.done)
		.flatMap((start) =>
			nextOf(sessions, transaction, start, ({ starts }) => starts).map(({ t }) => {
				const known = t + START_WAIT_MS;
				const decide = () => unendedLife(sessions, transaction, known, place);
				return { known, at: start.at, id: transaction.tx, decide };
			}),
		);
	return [...ends, ...nexts];
}

/** Whether the message that ended it has a register; otherwise that can follow. */
const hasRegister = ({ readings }: SessionTransaction, end: Ended): boolean =>
	readings.some(({ t, c }) => t === end.t && (c === 'stop' || c === 'end'));

/** The next starts of the connector, of another transaction or of the same ID, by both clocks: that of the station may be set back in between. */
function nextOf(
	{ transactions }: Sessions,
	transaction: SessionTransaction,
	start: Begun,
	startsOf: (of: SessionTransaction) => readonly Begun[],
) {
	const { tx } = transaction;
	const connector = placeOfStart(transaction, start);
	return transactions
		.flatMap((other) =>
			startsOf(other)
				.filter((one) => one !== start && one.at > start.at && one.t >= start.t)
				.filter((one) => {
					const of = placeOfStart(other, one);
					if (of === undefined || connector === undefined) return other.tx === tx;
					// An EVSE without a connector is each of its connectors.
					return of === connector || evseOf(of) === connector || of === evseOf(connector);
				}),
		)
		.sort((a, b) => a.at - b.at);
}

/** What the start names, otherwise or more exactly what is named up to the next one of the same ID. */
function placeOfStart({ starts, where }: SessionTransaction, start: Begun): string | undefined {
	const isFirst = starts.every(({ at }) => at >= start.at);
	const since = isFirst ? -Infinity : start.at;
	const isOwn = (at: number) =>
		since <= at && !starts.some((one) => start.at < one.at && one.at <= at);
	return placeOf([start.connector, firstOf(where, isOwn)]);
}

/** The first name that was said in a time. One that was said before it, too, counts from when it was said last. */
function firstOf(names: readonly Said[], isOwn: (at: number) => boolean): string | undefined {
	return names
		.flatMap(({ at, until, name }) => [at, until].filter(isOwn).map((said) => ({ said, name })))
		.sort((a, b) => a.said - b.said || (a.name < b.name ? -1 : 1))[0]?.name;
}

function ended(
	sessions: Sessions,
	transaction: SessionTransaction,
	end: Ended,
	{ known, isLast }: { readonly known: number; readonly isLast: boolean },
	place: SessionPlace,
): ReportEntry[] {
	if (end.reported) return [];
	const lives = livesOf(transaction, known);
	const life = lives.find((one) => one.end === end);
	// Its transaction has ended before, or was reported without an end.
	const isRepeated = life === undefined || life.start?.done === true;
	if (!isRepeated && life.start === undefined && !isLast) return [];
	end.reported = true;
	if (isRepeated) return [];
	const { start } = life;
	markDone(transaction, life);
	return entryOf(place, {
		parts: [transaction.tx, end.at],
		...lifeOf(sessions, transaction, life, known),
		...{ stop: end, foundBy: start === undefined ? 'not found' : 'transaction ID' },
	});
}

/** When the next one of the same ID began, by all that is known now. */
function untilOf(transaction: SessionTransaction, { start, until }: Life): number {
	const now = livesOf(transaction, Infinity).find((one) => one.start === start);
	return Math.min(until, now?.until ?? Infinity);
}

/** A start that is sent again is done with the one that it repeats. */
function markDone(transaction: SessionTransaction, life: Life): void {
	const [{ start }, until] = [life, untilOf(transaction, life)];
	for (const one of transaction.starts) {
		if (start !== undefined && one.at >= start.at && one.at < until) one.done = true;
	}
}

function unendedLife(
	sessions: Sessions,
	transaction: SessionTransaction,
	known: number,
	place: SessionPlace,
): ReportEntry[] {
	return livesOf(transaction, known).flatMap((life) => {
		const { start, end } = life;
		// It was read after its end had been reported without it.
		if (end?.reported) markDone(transaction, life);
		if (start === undefined || end !== undefined || start.done) return [];
		const [next] = nextOf(sessions, transaction, start, (of) => beginningsOf(of, known)).filter(
			({ t }) => t + START_WAIT_MS <= known,
		);
		if (next === undefined) return [];
		markDone(transaction, life);
		return entryOf(place, {
			parts: [transaction.tx, start.at, NOT_REPORTED],
			...lifeOf(sessions, transaction, { ...life, until: Math.min(life.until, next.at) }, known),
			...{ stop: undefined, shownAt: next.t, foundBy: null },
		});
	});
}

function lifeOf(sessions: Sessions, transaction: SessionTransaction, life: Life, known: number) {
	const { tx, where, who, readings } = transaction;
	const { start, end, since, isShared } = life;
	const until = untilOf(transaction, life);
	const isOwn = (at: number) => since <= at && at < until;
	const times = timesOf(start, end);
	const window = { from: times.from, to: times.to ?? until };
	const connector = placeOf([start?.connector, end?.connector, firstOf(where, isOwn)]);
	const atEvse = sessions.metered.filter(
		(one) => one.tx === undefined && connector !== undefined && one.connector === evseOf(connector),
	);
	// The last one may follow an end without a register.
	const closingMs = end === undefined || hasRegister(transaction, end) ? 0 : CLOSING_MS;
	const isWithin = (one: Register) => one.c === undefined && isIn({ to: window.to }, one);
	const isKnown = (one: Register) =>
		one.t <= known && (one.c !== undefined || isIn({ to: window.to + closingMs }, one));
	const registers = [
		...readings.filter((one) => isOwn(belongsAt(one)) && (isWithin(one) || isKnown(one))),
		...atEvse.flatMap((one) =>
			one.readings.filter((reading) => start !== undefined && isIn(window, reading)),
		),
	];
	return {
		...{ tx, start, registers: isShared ? [] : registers, times: window },
		connector: connector ?? null,
		tag: isShared ? undefined : firstOf(who, isOwn),
	};
}

/** What the first message names that names any; its connector, if that names the EVSE and a later one both. */
function placeOf(messages: readonly (string | undefined)[]): string | undefined {
	const named = messages.filter((one) => one !== undefined);
	const [first] = named;
	return named.find((one) => one !== evseOf(one) && evseOf(one) === first) ?? first;
}

/** The sessions that have neither ended nor been followed by another one of their connector. */
export function openLives(
	sessions: Sessions,
	transaction: SessionTransaction,
	place: SessionPlace,
): ReportEntry[] {
	const { watermark: known } = place;
	return livesOf(transaction, known).flatMap((life) => {
		const { start, end } = life;
		if (start === undefined || end !== undefined || start.done) return [];
		if (nextOf(sessions, transaction, start, (of) => beginningsOf(of, known)).length > 0) return [];
		const parts = [transaction.tx, start.at, OPEN];
		return openEntry(place, {
			...lifeOf(sessions, transaction, life, known),
			...{ parts, start },
		});
	});
}
