/** The parts of a station's sessions, as sets: starts, stops and meter values, and the transactions of OCPP 2.0.1. */
import { MOST_REPORTS, REPEATED_MS, type StationSettings } from '../common/settings';
import type {
	NamedStart,
	Register,
	Said,
	Sessions,
	SessionMeter,
	SessionStart,
	SessionTransaction,
} from '../common/state';
import type { Fact, Metered, Transaction } from '../facts';
import { isTransaction } from '../facts/values';
import { isMeterDecided, isTransactionDecided, mayBeAt } from './decided';
import { atOf, belongsAt, clockOf, registersOf, withRegisters } from './registers';
import { add, earlier } from './sets';

/** Longer lists of message IDs are those of a station that repeats itself. */
const MOST_MESSAGES = 8;

export const noSessions = (): Sessions => ({
	...{ starts: [], named: [], metered: [], stops: [], transactions: [] },
});

interface When {
	readonly at: number;
	readonly eventId: string;
}

interface Clocked {
	readonly at: number;
	readonly raw?: number | undefined;
}

interface ClockedMessage extends Clocked, SentMessage {}

/**
 * A message that is sent again has the same time of the station. A clock that is not set can show that time again after each boot:
 * then it is sent again only if it comes soon.
 */
const isSameTime = (a: ClockedMessage, b: ClockedMessage) =>
	a.raw === undefined || b.raw === undefined
		? a.raw === b.raw && a.at === b.at
		: a.raw === b.raw && a.t - lastOf(b) <= REPEATED_MS && b.t - lastOf(a) <= REPEATED_MS;

/** Returns whether it changed. */
export function addSessionFact(
	sessions: Sessions,
	fact: Fact,
	when: When,
	{ includeIdTag = false, mostParts: most = MOST_REPORTS }: StationSettings,
): boolean {
	const { at: t, eventId: id } = when;
	switch (fact.about) {
		case 'start': {
			const { connector, meterWh: wh, messageId, stationTime, idTag } = fact;
			const messages = messageId === undefined ? [] : [messageId];
			const tag = includeIdTag && idTag !== undefined && { tag: idTag };
			const added = { t, id, connector, ...clockOf(stationTime, t), wh, messages, ...tag };
			return add(
				sessions.starts,
				added,
				most,
				// Perhaps with another message ID.
				(known) => known.connector === connector && known.wh === wh && isSameTime(known, added),
				repeatedStart,
			);
		}
		case 'startResponse': {
			const { messageId: message, transaction: tx } = fact;
			return addName(sessions, { t, message, tx }, most);
		}
		case 'metered':
			return addMetered(sessions, fact, t, most);
		case 'stop': {
			const { transaction: tx, meterWh: wh, reason, stationTime, readings } = fact;
			const clock = clockOf(stationTime, t);
			const registers = withRegisters([], registersOf(readings, t, undefined, stationTime));
			return add(
				sessions.stops,
				{ t, id, tx, ...clock, wh, reason, ...(registers.length > 0 && { readings: registers }) },
				most,
				// Two connectors can stop at the same time, both without an ID.
				(known) =>
					known.tx === tx &&
					isSameTime(known, { t, ...clock }) &&
					(isTransaction(tx) || known.id === id || known.wh === wh),
				(known, added) => sentAgain(known, added, known.reported ? known : earlier(known, added)),
			);
		}
		case 'transaction': {
			const { idTag } = fact;
			return addTransaction(sessions, fact, when, { tag: includeIdTag ? idTag : undefined, most });
		}
		default:
			return false;
	}
}

/** A station that boots may begin its message IDs again: other responses to the same ID are those to other starts. */
export function addName({ named }: Sessions, added: NamedStart, most: number): boolean {
	const isSame = ({ message, tx }: NamedStart) => message === added.message && tx === added.tx;
	return add(named, added, most, isSame, (known, other) =>
		sentAgain(known, other, earlier(known, other)),
	);
}

interface SentMessage {
	readonly t: number;
	readonly last?: number | undefined;
}

export const lastOf = ({ t, last = t }: SentMessage): number => last;

/** What is kept of a message and its repetition, with when it was sent last. */
function sentAgain<T extends SentMessage>(known: T, added: T, kept: T): T {
	const last = Math.max(lastOf(known), lastOf(added));
	return last === lastOf(kept) ? kept : { ...kept, last };
}

function repeatedStart(known: SessionStart, added: SessionStart): SessionStart {
	const { used, end, unended, unsure } = known;
	const messages = [...new Set([...known.messages, ...added.messages])].sort();
	return {
		...sentAgain(known, added, earlier(known, added)),
		messages: messages.slice(0, MOST_MESSAGES),
		...(used !== undefined && { used }),
		...(end !== undefined && { end }),
		...(unended && { unended }),
		...(unsure && { unsure }),
	};
}

/** Those that name no transaction count only while the connector has a session: most are of stations that do not charge. */
function addMetered(sessions: Sessions, fact: Metered, t: number, most: number): boolean {
	const { transaction: tx, connector, stationTime, readings } = fact;
	const registers = registersOf(readings, t, undefined, stationTime);
	const begins = registers.filter(({ c }) => c === 'begin').map(belongsAt);
	// The register at the start can seem to be from before it.
	const at = Math.max(clockOf(stationTime, t).at, ...begins);
	const isOfNone = tx === undefined && !hasTransaction(sessions, connector);
	if (isMeterDecided(sessions, { tx, connector, t }, at, isOfNone)) return false;
	return add<SessionMeter>(
		sessions.metered,
		{
			...{ t, connector, at, readings: withRegisters([], registers) },
			...(tx !== undefined && { tx }),
		},
		most,
		(known) => known.tx === tx && known.connector === connector,
		(known, added) => {
			const readings = withRegisters(known.readings, added.readings);
			const isNews = added.t < known.t || added.at < known.at || readings !== known.readings;
			if (!isNews) return known;
			const first = { t: Math.min(known.t, added.t), at: Math.min(known.at, added.at) };
			return { ...known, ...first, readings };
		},
	);
}

/** Whether an EVSE of OCPP 2.0.1 has a transaction. */
function hasTransaction({ transactions }: Sessions, evse: string): boolean {
	return transactions.some(
		(one) =>
			mayBeAt(one, evse) && !(one.ends.length > 0 && one.ends.every(({ reported }) => reported)),
	);
}

function addTransaction(
	sessions: Sessions,
	fact: Transaction,
	{ at: t, eventId: id }: When,
	{ tag, most }: { readonly tag: string | undefined; readonly most: number },
): boolean {
	const { transaction: tx, phase, stationTime, seqNo, connector, reason = '' } = fact;
	const clock = clockOf(stationTime, t);
	const { at } = clock;
	const readings = registersOf(fact.readings, t, seqNo, stationTime);
	const where = connector !== undefined && { connector };
	const saidAt = (name?: string) => (name === undefined ? [] : [{ t, at, until: at, name }]);
	const wh = readings.find((one) => one.wh >= 0 && one.c !== 'end')?.wh;
	const added: SessionTransaction = {
		tx,
		t,
		where: phase === 'updated' ? saidAt(connector) : [],
		who: saidAt(tag),
		starts: phase === 'started' ? [{ t, ...clock, ...where, wh }] : [],
		ends: phase === 'ended' ? [{ t, ...clock, ...where, id, reason }] : [],
		readings: withRegisters([], marked(readings, phase)),
	};
	const isSame = (known: SessionTransaction) => known.tx === tx;
	return add(sessions.transactions, added, most, isSame, (known, other) =>
		joined(known, other, most),
	);
}

/** A reading without a context belongs to the start or the end, if its message is the first or the last. */
function marked(readings: readonly Register[], phase: Transaction['phase']): Register[] {
	if (phase === 'updated') return [...readings];
	const others = readings.filter(({ c }) => c === undefined).toSorted((a, b) => atOf(a) - atOf(b));
	const one = phase === 'started' ? others[0] : others.at(-1);
	const c = phase === 'started' ? ('start' as const) : ('stop' as const);
	return readings.map((reading) => (reading === one ? { ...reading, c } : reading));
}

function joined(
	known: SessionTransaction,
	added: SessionTransaction,
	most: number,
): SessionTransaction {
	const lives = {
		starts: united(known.starts, added.starts, most, isSameTime, (one, other) => ({
			...sentAgain(one, other, earlier(one, other)),
			...(one.done && { done: true }),
		})),
		ends: united(known.ends, added.ends, most, isSameTime, (one, other) =>
			one.reported ? one : earlier(one, other),
		),
	};
	const isOpen = (at: number) => !isTransactionDecided(lives, at);
	const withNames = (all: Said[], more: readonly Said[]) =>
		united(
			all,
			more.filter(({ at }) => isOpen(at)),
			most,
			isSameName,
			firstAndLast,
		);
	const next = {
		where: withNames(known.where, added.where),
		who: withNames(known.who, added.who),
		...lives,
		readings: withRegisters(
			known.readings,
			added.readings.filter((one) => isOpen(belongsAt(one))),
		),
	};
	const isNews = Object.entries(next).some(
		([name, value]) => value !== known[name as keyof typeof next],
	);
	if (!isNews && added.t >= known.t) return known;
	return { tx: known.tx, t: Math.min(known.t, added.t), ...next };
}

const isSameName = (a: Said, b: Said) => a.name === b.name;

const firstAndLast = (a: Said, b: Said): Said => ({
	...{ t: Math.min(a.t, b.t), name: a.name },
	...{ at: Math.min(a.at, b.at), until: Math.max(a.until, b.until) },
});

/** The list itself if nothing changes. */
function united<T extends SentMessage>(
	known: T[],
	added: readonly T[],
	most: number,
	isSame: (one: T, other: T) => boolean,
	join: (one: T, other: T) => T,
): T[] {
	const all = [...known];
	const isNews = added.map((one) => add(all, one, most, (other) => isSame(other, one), join));
	return isNews.includes(true) ? all : known;
}
