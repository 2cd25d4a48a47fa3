/**
 * Charging sessions that have ended: each is decided once, when everything up to its end is known. One without an end is over
 * when its connector begins another one.
 */
import { incidentId, isoOf, minutesOf, type Owner } from '../common/incident';
import { START_WAIT_MS, type StationSettings } from '../common/settings';
import type {
	ReportEntry,
	Register,
	Sessions,
	SessionStart,
	SessionStop,
	SessionTransaction,
} from '../common/state';
import { atOf } from '../fold/registers';
import { evseOf } from '../fold/sessions';
import { energyOf, type Window } from './energy';
import { type Candidate, candidatesOf, join } from './join';
import { beginningsOf, type Life, livesOf } from './lives';

interface SessionPlace extends Owner {
	readonly assetId: string;
	readonly watermark: number;
	/** Sessions that ended up to then are not reported. */
	readonly publishedAt: number;
	readonly settings: StationSettings;
}

/** The reason of a session whose end was never reported. */
const NOT_REPORTED = 'NotReported';

/** Marks the sessions as reported, and returns their items. */
export function endedSessions(sessions: Sessions, place: SessionPlace): ReportEntry[] {
	const attempts = [
		...stopAttempts(sessions, place),
		...unendedAttempts(sessions, place),
		...sessions.transactions.flatMap((transaction) => lifeAttempts(sessions, transaction, place)),
	];
	return attempts
		.filter(({ known }) => known <= place.watermark)
		.sort((a, b) => a.known - b.known || a.at - b.at || (a.id < b.id ? -1 : 1))
		.flatMap(({ decide }) => decide())
		.filter(({ t }) => t > place.publishedAt);
}

/**
 * Looks for both ends of a session, by what was created up to `known`: in this order, so that polls that come late, or miss
 * some, decide the same.
 */
interface SessionAttempt {
	readonly known: number;
	readonly at: number;
	readonly id: string;
	readonly decide: () => ReportEntry[];
}

function stopAttempts(sessions: Sessions, place: SessionPlace): SessionAttempt[] {
	return sessions.stops
		.filter(({ reported }) => !reported)
		.flatMap((stop) =>
			[false, true].map((isLast) => {
				const known = stop.t + (isLast ? START_WAIT_MS : 0);
				const decide = () => stopped(sessions, stop, { known, isLast }, place);
				return { known, at: stop.at, id: stop.id, decide };
			}),
		);
}

function stopped(
	sessions: Sessions,
	stop: SessionStop,
	{ known, isLast }: { readonly known: number; readonly isLast: boolean },
	place: SessionPlace,
): ReportEntry[] {
	if (stop.reported) return [];
	const joined = join(sessions, stop, known, isLast);
	const { candidate, connector, foundBy } = joined;
	if (candidate === undefined && !joined.isRepeated && !isLast) return [];
	stop.reported = true;
	if (joined.isRepeated) {
		stop.found = true;
		return [];
	}
	for (const start of joined.possible) start.unsure = true;
	const start = candidate?.start;
	if (candidate !== undefined) {
		stop.found = true;
		for (const one of [candidate.start, ...candidate.repeats]) one.used = known;
	}
	const times = timesOf(start, stop);
	const registers: Register[] = [
		...meteredIn(sessions, candidate, stop.tx, times),
		...(stop.readings ?? []),
		...registerOf(start, 'start'),
		...registerOf(stop, 'stop'),
	];
	return entryOf(place, {
		tx: stop.tx,
		connector: start?.connector ?? connector ?? null,
		parts: [stop.tx, stop.at],
		...{ start, stop, times, registers, foundBy, tag: start?.tag },
	});
}

function registerOf(
	end: { readonly t: number; readonly at: number; readonly wh?: number | undefined } | undefined,
	c: 'start' | 'stop',
): Register[] {
	return end?.wh === undefined ? [] : [{ t: end.t, d: end.at - end.t, wh: end.wh, c }];
}

/** The meter values of the connector in this time: those of the transaction, and those that name none. */
function meteredIn(
	{ metered }: Sessions,
	candidate: Candidate | undefined,
	tx: string | undefined,
	window: Window,
): Register[] {
	if (candidate === undefined) return [];
	const { start, response } = candidate;
	const names = new Set([undefined, response, tx, ...candidate.metered]);
	return metered
		.filter((one) => one.connector === start.connector && names.has(one.tx))
		.flatMap(({ readings }) => readings.filter((reading) => isIn(window, reading)));
}

function isIn({ from = -Infinity, to = Infinity }: Window, register: Register): boolean {
	return from <= atOf(register) && atOf(register) <= to;
}

/** Starts that another one of their connector follows, if no stop has come by then or soon after. */
function unendedAttempts(sessions: Sessions, place: SessionPlace): SessionAttempt[] {
	return sessions.starts.flatMap((start) => {
		if (start.used !== undefined) return [];
		const { at, id } = start;
		const later = sessions.starts.filter((one) => isLater(one, start));
		return later.flatMap(({ t }) =>
			[1, 2].map((times) => {
				const known = t + times * START_WAIT_MS;
				const decide = () => unended(sessions, start, known, place);
				return { known, at, id, decide };
			}),
		);
	});
}

function unended(
	sessions: Sessions,
	start: SessionStart,
	known: number,
	place: SessionPlace,
): ReportEntry[] {
	if (start.used !== undefined || start.unsure) return [];
	const candidates = candidatesOf(sessions, known);
	const candidate = candidates.find((one) => one.start === start);
	const next = candidates.find((one) => isLater(one.start, start))?.start;
	if (candidate === undefined || next === undefined) return [];
	if (known < next.t + START_WAIT_MS) return [];
	// One that was reported without a start may be the end of this one, which was listed late.
	const mayEnd = ({ reported, found, t, at }: SessionStop) =>
		!(reported && found) && t <= known && start.at <= at && at <= next.at;
	const ends = sessions.stops.filter(mayEnd);
	start.unsure ||= ends.some(({ reported }) => reported);
	if (ends.length > 0) return [];
	for (const one of [start, ...candidate.repeats])
		Object.assign(one, { used: known, unended: true });
	const times = { from: start.at, to: next.at };
	const registers = [
		...meteredIn(sessions, candidate, undefined, { from: start.at, to: next.at - 1 }),
		...registerOf(start, 'start'),
	];
	const [tx] = [candidate.response, ...candidate.metered].filter((name) => name !== undefined);
	return entryOf(place, {
		tx: tx ?? null,
		connector: start.connector,
		parts: [start.connector, start.at, NOT_REPORTED],
		...{ start, stop: undefined, shownAt: next.t, times, registers, foundBy: null, tag: start.tag },
	});
}

/** Of the same connector, and by both clocks: that of the station may be set back in between. */
function isLater(one: SessionStart, start: SessionStart): boolean {
	return one.connector === start.connector && one.at > start.at && one.t >= start.t;
}

function lifeAttempts(
	sessions: Sessions,
	transaction: SessionTransaction,
	place: SessionPlace,
): SessionAttempt[] {
	const ends = transaction.ends
		.filter(({ reported }) => !reported)
		.flatMap((end) =>
			[0, START_WAIT_MS].map((waited) => {
				const known = end.t + waited;
				const decide = () => ended(sessions, transaction, end, known, place);
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

type LifeStart = SessionTransaction['starts'][number];

/** The next starts of the connector, of another transaction or of the same ID, by both clocks: that of the station may be set back in between. */
function nextOf(
	{ transactions }: Sessions,
	{ tx, where }: SessionTransaction,
	start: LifeStart,
	startsOf: (of: SessionTransaction) => readonly LifeStart[],
) {
	const connector = start.connector ?? where?.connector;
	return transactions
		.flatMap((other) =>
			startsOf(other)
				.filter((one) => one !== start && one.at > start.at && one.t >= start.t)
				.filter((one) => {
					const of = one.connector ?? other.where?.connector;
					if (of === undefined || connector === undefined) return other.tx === tx;
					// An EVSE without a connector is each of its connectors.
					return of === connector || evseOf(of) === connector || of === evseOf(connector);
				}),
		)
		.sort((a, b) => a.at - b.at);
}

function ended(
	sessions: Sessions,
	transaction: SessionTransaction,
	end: SessionTransaction['ends'][number],
	known: number,
	place: SessionPlace,
): ReportEntry[] {
	if (end.reported) return [];
	const lives = livesOf(transaction, known);
	const life = lives.find((one) => one.end === end);
	// Its transaction has ended before, or was reported without an end.
	const isRepeated = life === undefined || life.start?.done === true;
	if (!isRepeated && life.start === undefined && known === end.t) return [];
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
	const connector =
		start?.connector ?? end?.connector ?? (where && isOwn(where.at) ? where.connector : undefined);
	const atEvse = sessions.metered.filter(
		(one) => one.tx === undefined && connector !== undefined && one.connector === evseOf(connector),
	);
	const registers = [
		...readings.filter(
			(one) =>
				isOwn(atOf(one)) && (one.c === undefined ? isIn({ to: window.to }, one) : one.t <= known),
		),
		...atEvse.flatMap((one) =>
			one.readings.filter((reading) => start !== undefined && isIn(window, reading)),
		),
	];
	return {
		...{ tx, start, registers: isShared ? [] : registers, times: window },
		connector: connector ?? null,
		tag: who && isOwn(who.at) && !isShared ? who.tag : undefined,
	};
}

/**
 * The sessions that have neither ended nor been followed by another one of their connector, once `endedSessions` has decided.
 * Their items have the energy so far.
 */
export function openSessions(sessions: Sessions, place: SessionPlace): ReportEntry[] {
	const { watermark: known } = place;
	const of16 = candidatesOf(sessions, known)
		.filter(({ start, next }) => start.used === undefined && next === undefined)
		.flatMap((candidate) => {
			const { start, response, metered } = candidate;
			const [tx = null] = [response, ...metered].filter((name) => name !== undefined);
			const registers = [
				...meteredIn(sessions, candidate, undefined, { from: start.at }),
				...registerOf(start, 'start'),
			];
			const { connector, tag } = start;
			const parts = [connector, start.at, OPEN];
			return openEntry(place, { ...{ tx, connector, parts, start, registers, tag } });
		});
	const of201 = sessions.transactions.flatMap((transaction) =>
		livesOf(transaction, known).flatMap((life) => {
			const { start, end } = life;
			if (start === undefined || end !== undefined || start.done) return [];
			if (nextOf(sessions, transaction, start, (of) => beginningsOf(of, known)).length > 0)
				return [];
			const parts = [transaction.tx, start.at, OPEN];
			return openEntry(place, {
				...lifeOf(sessions, transaction, life, known),
				...{ parts, start },
			});
		}),
	);
	return [...of16, ...of201];
}

const OPEN = 'Open';

function openEntry(
	place: SessionPlace,
	session: Omit<DecidedSession, 'stop' | 'times' | 'foundBy'> & { readonly start: Clock },
): ReportEntry[] {
	const { start } = session;
	const times = { from: start.at };
	return entryOf(place, {
		...{ ...session, stop: undefined, shownAt: start.t, times, foundBy: null },
	}).map(({ item, ...entry }) => {
		const minutes = minutesOf(place.watermark - start.t);
		return { ...entry, item: { ...item, minutes, reason: null, receivedAt: null } };
	});
}

interface Clock {
	/** The station's time. */
	readonly at: number;
	/** The service's. */
	readonly t: number;
}

/** By the station's clock, whose error cancels out, unless it was set in between. */
function timesOf(start: Clock | undefined, stop: Clock | undefined): Window {
	const isRight = start === undefined || stop === undefined || start.at <= stop.at;
	return isRight ? { from: start?.at, to: stop?.at } : { from: start.t, to: stop.t };
}

interface DecidedSession {
	/** What its ID depends on. */
	readonly parts: readonly (string | number)[];
	readonly tx: string | null;
	readonly connector: string | null;
	readonly start: Clock | undefined;
	readonly stop: (Clock & { readonly reason?: string | undefined }) | undefined;
	/** When the event was created that shows that it is over, if no stop does. */
	readonly shownAt?: number;
	readonly times: Window;
	readonly registers: readonly Register[];
	readonly foundBy: string | null;
	readonly tag: string | undefined;
}

function entryOf(place: SessionPlace, session: DecidedSession): ReportEntry[] {
	const { assetId, settings } = place;
	const { tx, start, stop, shownAt = 0, times, registers, foundBy } = session;
	const { from, to } = times;
	const energy = energyOf(registers, times);
	const t = stop?.t ?? shownAt;
	const id = incidentId(place, 'sessionEnded', [assetId, ...session.parts]);
	const item = {
		connector: session.connector,
		startedAt: isoOf(from),
		stoppedAt: stop === undefined ? null : isoOf(to),
		// Up to the last reading would be too few: when the session ended is unknown.
		minutes: start === undefined || stop === undefined ? null : minutesOf((to ?? 0) - (from ?? 0)),
		energyKwh: energy.kwh ?? null,
		meterStartWh: energy.startWh ?? null,
		meterStopWh: energy.stopWh ?? null,
		energyFrom: energy.from ?? null,
		transactionId: tx,
		reason: stop?.reason ?? NOT_REPORTED,
		startFoundBy: foundBy,
		receivedAt: isoOf(t),
		id,
		kind: 'sessionEnded',
		...(settings.includeIdTag && { idTag: session.tag ?? null }),
	};
	return [{ id, t, assetId, item }];
}
