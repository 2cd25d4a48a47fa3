/**
 * Charging sessions that have ended: each is decided once, when everything up to its end is known. One without an end is over
 * when its connector begins another one. What follows is about OCPP 1.6; that of 2.0.1 is in `lives.ts`.
 */
import { CLOSING_MS, START_WAIT_MS } from '../common/settings';
import type {
	ReportEntry,
	Register,
	Sessions,
	SessionMeter,
	SessionStart,
	SessionStop,
} from '../common/state';
import { isTransaction } from '../facts/values';
import { atOf } from '../fold/registers';
import { addName } from '../fold/sessions';
import { type Candidate, Candidates, isLater } from './candidates';
import type { Window } from './energy';
import { isNamed, join } from './join';
import { lifeAttempts, openLives } from './lives';
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

/** Whether one of the sessions may be over: a stop or an end is not reported, or a start follows another one. */
export function mayEnd({ starts, stops, transactions }: Sessions): boolean {
	const isOpen = ({ reported }: { readonly reported?: boolean | undefined }) => !reported;
	const begun = transactions.reduce((count, one) => count + one.starts.length, 0);
	const isFollowed = starts.length > 1 || begun > 1;
	return isFollowed || stops.some(isOpen) || transactions.some(({ ends }) => ends.some(isOpen));
}

/** Marks the sessions as reported, and returns their items. */
export function endedSessions(sessions: Sessions, place: SessionPlace): ReportEntry[] {
	const candidates = new Candidates(sessions);
	const isDue = ({ known }: { readonly known: number }) => known <= place.watermark;
	const ends = [
		...stopAttempts(sessions, candidates, place),
		...sessions.transactions.flatMap((transaction) => lifeAttempts(sessions, transaction, place)),
	];
	const endsAt = Map.groupBy(ends.filter(isDue), ({ known }) => known);
	const nextsAt = Map.groupBy(nextsOf(candidates).filter(isDue), ({ known }) => known);
	const times = new Set([...endsAt.keys(), ...nextsAt.keys()]);
	return [...times]
		.sort((a, b) => a - b)
		.flatMap((known) =>
			[
				...(endsAt.get(known) ?? []),
				...unendedAttempts(sessions, candidates, nextsAt.get(known) ?? [], place),
			]
				.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
				.flatMap(({ decide }) => decide()),
		)
		.filter(({ t }) => t > place.publishedAt);
}

/**
 * The sessions that have neither ended nor been followed by another one of their connector, once `endedSessions` has decided.
 * Their items have the energy so far.
 */
export function openSessions(sessions: Sessions, place: SessionPlace): ReportEntry[] {
	const { watermark: known } = place;
	const candidates = new Candidates(sessions);
	const stopping = stoppingAt(sessions, candidates, known);
	const of16 = candidates
		.at(known)
		.filter(({ start }) => start.used === undefined && !stopping.has(start))
		.filter((candidate) => candidates.after(candidate, known) === undefined)
		.flatMap((candidate) => {
			const { start, responses, metered } = candidate;
			const [tx = null] = [...responses, ...metered];
			const registers = [
				...meteredIn(sessions, candidate, undefined, { from: start.at }),
				...registerOf(start, 'start'),
			];
			const { connector, tag } = start;
			const parts = [connector, start.at, OPEN];
			return openEntry(place, { ...{ tx, connector, parts, start, registers, tag } });
		});
	const of201 = sessions.transactions.flatMap((transaction) =>
		openLives(sessions, transaction, place),
	);
	return [...of16, ...of201];
}

function stopAttempts(
	sessions: Sessions,
	candidates: Candidates,
	place: SessionPlace,
): SessionAttempt[] {
	return sessions.stops
		.filter(({ reported }) => !reported)
		.flatMap((stop) =>
			[false, true].map((isLast) => {
				const known = isLast ? stop.t + START_WAIT_MS : knownOf(stop);
				const decide = () => stopped(sessions, candidates, stop, { known, isLast }, place);
				return { known, at: stop.at, id: stop.id, decide };
			}),
		);
}

/** When what belongs to its session is known: its own register, or those that follow in its place. */
const knownOf = (stop: SessionStop): number => stop.t + (hasRegister(stop) ? 0 : CLOSING_MS);

const hasRegister = ({ wh = 0, readings = [] }: SessionStop): boolean =>
	wh > 0 || readings.some(({ c }) => c === 'end');

/** The starts of sessions that have ended, and whose last meter values may follow. */
function stoppingAt(
	sessions: Sessions,
	candidates: Candidates,
	known: number,
): ReadonlySet<SessionStart | undefined> {
	const waiting = sessions.stops.filter(
		(stop) => !stop.reported && stop.t <= known && known < knownOf(stop),
	);
	const of = { known, isLast: false };
	return new Set(waiting.map((stop) => join(sessions, candidates, stop, of).candidate?.start));
}

function stopped(
	sessions: Sessions,
	candidates: Candidates,
	stop: SessionStop,
	{ known, isLast }: { readonly known: number; readonly isLast: boolean },
	place: SessionPlace,
): ReportEntry[] {
	if (stop.reported) return [];
	const joined = join(sessions, candidates, stop, { known, isLast });
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
		const end = stop.at < candidate.start.at ? undefined : stop.at;
		candidates.take(candidate, { used: known, ...(end !== undefined && { end }) });
		if (!candidate.metered.has(stop.tx)) keepName(sessions, candidate);
	}
	const times = timesOf(start, stop);
	const registers: Register[] = [
		...meteredIn(sessions, candidate, stop.tx, times),
		...closingOf(sessions, candidates, candidate, stop, times),
		...(stop.readings ?? []),
		...registerOf(start, 'start'),
		...registerOf(stop, 'stop'),
	];
	return entryOf(place, {
		tx: stop.tx,
		connector: start?.connector ?? connector ?? null,
		parts: isTransaction(stop.tx) ? [stop.tx, stop.at] : [stop.tx, stop.at, stop.wh ?? -1],
		...{ start, stop, times, registers, foundBy, tag: start?.tag },
	});
}

/** Meter values are dropped with their session: a stop with the ID that only they name ends no other one. */
function keepName(sessions: Sessions, { start, responses, metered }: Candidate): void {
	const [[tx], [message]] = [[...metered], start.messages];
	if (responses.size > 0 || tx === undefined || message === undefined) return;
	addName(sessions, { t: start.t, message, tx }, Infinity);
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
	return meteredFor({ metered }, candidate, tx).flatMap(({ readings }) =>
		readings.filter((reading) => isIn(window, reading)),
	);
}

function meteredFor(
	{ metered }: Pick<Sessions, 'metered'>,
	candidate: Candidate | undefined,
	tx: string | undefined,
): SessionMeter[] {
	if (candidate === undefined) return [];
	const { start, responses } = candidate;
	const names = new Set([undefined, ...responses, tx, ...candidate.metered]);
	return metered.filter((one) => one.connector === start.connector && names.has(one.tx));
}

/** The meter values just after a stop without a register that are of its session: those that name it, or an end. */
function closingOf(
	sessions: Sessions,
	candidates: Candidates,
	candidate: Candidate | undefined,
	stop: SessionStop,
	{ to }: Window,
): Register[] {
	if (candidate === undefined || to === undefined || hasRegister(stop)) return [];
	const known = knownOf(stop);
	const next = candidates.after(candidate, known)?.at ?? Infinity;
	const isClosing = (one: Register) =>
		one.t <= known && to < atOf(one) && atOf(one) <= to + CLOSING_MS && atOf(one) < next;
	const names = new Set([stop.tx, ...candidate.responses]);
	return meteredFor(sessions, candidate, stop.tx).flatMap(({ tx, at, readings }) => {
		// A name that is new may be that of the next session, whose start is missing.
		if (tx !== undefined && !names.has(tx) && at > to) return [];
		return readings.filter((one) => isClosing(one) && (tx !== undefined || one.c === 'end'));
	});
}

interface Next {
	readonly known: number;
	readonly next: SessionStart;
}

/** When it is looked at what each start follows. */
const nextsOf = (candidates: Candidates): Next[] =>
	candidates
		.later()
		.flatMap((next) => [1, 2].map((times) => ({ known: next.t + times * START_WAIT_MS, next })));

/** Starts that another one of their connector follows, if no stop has come by then or soon after. */
function unendedAttempts(
	sessions: Sessions,
	candidates: Candidates,
	nexts: readonly Next[],
	place: SessionPlace,
): SessionAttempt[] {
	const [{ known } = { known: -Infinity }] = nexts;
	return nexts.length === 0
		? []
		: candidates
				.at(known)
				.filter(
					({ start }) => start.used === undefined && nexts.some(({ next }) => isLater(next, start)),
				)
				.map(({ start }) => {
					const { at, id } = start;
					const decide = () => unended(sessions, candidates, start, known, place);
					return { known, at, id, decide };
				});
}

function unended(
	sessions: Sessions,
	candidates: Candidates,
	start: SessionStart,
	known: number,
	place: SessionPlace,
): ReportEntry[] {
	if (start.used !== undefined || start.unsure) return [];
	const candidate = candidates.of(start, known);
	const next = candidate && candidates.after(candidate, known);
	if (candidate === undefined || next === undefined) return [];
	if (known < next.t + START_WAIT_MS) return [];
	// One that was reported without a start may be the end of this one, which was listed late. One with its ID may be late itself.
	const mayEnd = ({ reported, found, t, at, tx }: SessionStop) =>
		!(reported && found) &&
		t <= known &&
		start.at <= at &&
		(at <= next.at || isNamed(candidate, tx));
	const ends = sessions.stops.filter(mayEnd);
	start.unsure ||= ends.some(({ reported }) => reported);
	if (ends.length > 0) return [];
	candidates.take(candidate, { used: known, unended: true });
	keepName(sessions, candidate);
	const times = { from: start.at, to: next.at };
	const registers = [
		...meteredIn(sessions, candidate, undefined, { from: start.at, to: next.at - 1 }),
		...registerOf(start, 'start'),
	];
	const [tx] = [...candidate.responses, ...candidate.metered];
	return entryOf(place, {
		tx: tx ?? null,
		connector: start.connector,
		parts: [start.connector, start.at, NOT_REPORTED],
		...{ start, stop: undefined, shownAt: next.t, times, registers, foundBy: null, tag: start.tag },
	});
}
