/**
 * The parts of a station's sessions, as sets: starts with the responses to them, what is said between start and stop, and
 * stops. The messages of a transaction of OCPP 2.0.1 are the same parts, whose starts have their ID from the beginning.
 */
import { MOST_REPORTS, REPEATED_MS, type StationSettings } from '../common/settings';
import type {
	NamedStart,
	Register,
	Sessions,
	SessionMeter,
	SessionStart,
	SessionStop,
} from '../common/state';
import type { Fact, Transaction } from '../facts';
import { evseOf, NO_TRANSACTION, ownId } from '../facts/values';
import { isMeterDecided } from './decided';
import { atOf, clockOf, registersOf, saidAt, timeOf, withRegisters } from './registers';
import { add, earlier } from './sets';
import { isStopAgain } from './told';

/** Longer lists of message IDs are those of a station that repeats itself. */
const MOST_MESSAGES = 8;
/** Tags that are named between start and stop. */
const MOST_TAGS = 8;

export const noSessions = (): Sessions => ({
	starts: [],
	named: [],
	metered: [],
	stops: [],
	told: [],
});

/** Nothing of them, nor that the station is answered. */
export const hasNoSessions = ({ answered, ...lists }: Partial<Sessions> = {}): boolean =>
	answered === undefined && Object.values(lists).every(({ length }) => length === 0);

interface When {
	readonly at: number;
	readonly eventId: string;
}

interface SentMessage {
	readonly t: number;
	readonly last?: number | undefined;
}

interface ClockedMessage extends SentMessage {
	readonly at: number;
	readonly raw?: number | undefined;
}

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
	const tagOf = (tag: string | undefined) => (includeIdTag && tag !== undefined ? { tag } : {});
	switch (fact.about) {
		case 'start': {
			const { connector, meterWh: wh, messageId, stationTime, idTag } = fact;
			const messages = messageId === undefined ? [] : [messageId];
			const said = { ...clockOf(stationTime, t), wh, messages, ...tagOf(idTag) };
			return addStart(sessions, { t, id, connector, ...said }, most);
		}
		case 'startResponse': {
			const { messageId: message, transaction: tx, isRefused } = fact;
			const added = { t, message, tx, ...(isRefused === true && { refused: true }) };
			const isFirst = tx !== NO_TRANSACTION && t < (sessions.answered ?? Infinity);
			if (isFirst) sessions.answered = t;
			return addName(sessions, added, most) || isFirst;
		}
		case 'metered': {
			const { transaction: tx, connector, stationTime } = fact;
			const readings = registersOf(fact.readings, t, undefined, stationTime);
			const said = readings.length > 0 ? [] : saidAt(stationTime, t);
			return addMetered(sessions, { t, tx, connector, readings, said }, most);
		}
		case 'stop': {
			const { transaction: tx, meterWh: wh, reason, stationTime, readings } = fact;
			const registers = registersOf(readings, t, undefined, stationTime);
			const said = { ...clockOf(stationTime, t), wh, reason, ...kept(registers) };
			return addStop(sessions, { t, id, tx, ...said }, most);
		}
		case 'transaction':
			return addTransaction(sessions, fact, when, tagOf(fact.idTag), most);
		default:
			return false;
	}
}

const kept = (readings: readonly Register[]) =>
	readings.length > 0 && { readings: withRegisters([], readings) };

function addTransaction(
	sessions: Sessions,
	fact: Transaction,
	{ at: t, eventId: id }: When,
	tag: { readonly tag?: string },
	most: number,
): boolean {
	const { phase, stationTime, seqNo, connector, reason = '' } = fact;
	const tx = ownId(fact.transaction);
	const clock = clockOf(stationTime, t);
	const where = connector !== undefined && { connector };
	const readings = registersOf(fact.readings, t, seqNo, stationTime);
	if (phase === 'updated') {
		const who = tag.tag !== undefined && { who: [{ at: clock.at, name: tag.tag }] };
		const said = readings.length > 0 ? [] : saidAt(stationTime, t);
		return addMetered(sessions, { t, tx, ...where, readings, said, ...who }, most);
	}
	const registers = marked(readings, phase === 'started' ? 'start' : 'stop');
	const own = { t, id, tx, ...where, ...clock, ...tag, ...kept(registers) };
	if (phase === 'ended') {
		const wh = registers.find(({ c, l }) => c === 'stop' && l === undefined)?.wh;
		return addStop(sessions, { ...own, wh, reason }, most);
	}
	const wh = registers.find((one) => one.wh >= 0 && one.c !== 'end' && one.l === undefined)?.wh;
	return addStart(sessions, { ...own, wh, messages: [] }, most);
}

/** A reading without a context belongs to the start or the stop, if its message is the first or the last, and has no other one. */
function marked(readings: readonly Register[], c: 'start' | 'stop'): Register[] {
	const context = c === 'start' ? 'begin' : 'end';
	if (readings.some((one) => one.c === context)) return [...readings];
	const others = readings
		.filter((one) => one.c === undefined)
		.toSorted((a, b) => atOf(a) - atOf(b));
	const own = c === 'start' ? others[0] : others.at(-1);
	return readings.map((reading) => (reading === own ? { ...reading, c } : reading));
}

/** One start, however often it is sent, and with which message ID. */
function addStart({ starts }: Sessions, added: SessionStart, most: number): boolean {
	const isSame = (known: SessionStart) =>
		known.connector === added.connector &&
		known.wh === added.wh &&
		known.tx === added.tx &&
		isSameTime(known, added);
	return add(starts, added, most, isSame, (known) => {
		const { name, over, unended, next, unsure } = known;
		const messages = [...new Set([...known.messages, ...added.messages])].sort();
		return {
			...sentAgain(known, added, earlier(known, added)),
			messages: messages.slice(0, MOST_MESSAGES),
			...(name !== undefined && { name }),
			...(over !== undefined && { over }),
			...(unended && { unended }),
			...(next !== undefined && { next }),
			...(unsure && { unsure }),
		};
	});
}

/** Two connectors can stop at the same time, both without an ID or with the same one. */
function addStop({ stops, told }: Sessions, added: SessionStop, most: number): boolean {
	const isSame = (known: SessionStop) =>
		known.tx === added.tx &&
		known.connector === added.connector &&
		isSameTime(known, added) &&
		(known.id === added.id || known.wh === added.wh);
	if (!stops.some(isSame) && isStopAgain(told, added)) return false;
	return add(stops, added, most, isSame, (known) =>
		sentAgain(known, added, known.told ? known : earlier(known, added)),
	);
}

/** A station that boots may begin its message IDs again: other responses to the same ID are those to other starts. */
function addName({ named }: Sessions, added: NamedStart, most: number): boolean {
	const isSame = ({ message, tx }: NamedStart) => message === added.message && tx === added.tx;
	return add(named, added, most, isSame, (known, other) =>
		sentAgain(known, other, earlier(known, other)),
	);
}

export const lastOf = ({ t, last = t }: SentMessage): number => last;

/** What is kept of a message and its repetition, with when it was sent last. */
function sentAgain<T extends SentMessage>(known: T, added: T, kept: T): T {
	const last = Math.max(lastOf(known), lastOf(added));
	return last === lastOf(kept) ? kept : { ...kept, last };
}

/** Of one transaction at one place, or of an EVSE. What can be of no session that is still to be told is left out. */
function addMetered(
	sessions: Sessions,
	{ said: silent = [], ...message }: SessionMeter,
	most: number,
): boolean {
	const { tx, connector: place } = message;
	const connector = tx === undefined && place !== undefined ? evseOf(place) : place;
	const at = { tx, ...(connector !== undefined && { connector }) };
	const isNews = (one: Register) => !isMeterDecided(sessions, at, timeOf(one));
	const [readings, said] = [message.readings.filter(isNews), silent.filter(isNews)];
	if (readings.length + said.length === 0) return false;
	const added = {
		...{ ...message, ...at, readings: withRegisters([], readings) },
		...(said.length > 0 && { said }),
	};
	return add(
		sessions.metered,
		added,
		most,
		(known) => known.tx === tx && known.connector === connector,
		(known) => {
			const readings = withRegisters(known.readings, added.readings);
			const silent = withRegisters(known.said ?? [], said);
			const who = united(known.who, added.who);
			// Most of what a poll reads was read by the poll before.
			const isRepeated = readings === known.readings && silent.length === (known.said ?? []).length;
			if (isRepeated && who === known.who) return known;
			const t = Math.min(known.t, added.t);
			return {
				...{ ...known, t, readings },
				...(silent.length > 0 && { said: silent }),
				...(who !== undefined && { who }),
			};
		},
	);
}

type Tags = SessionMeter['who'];

/** Each when it was first named; the list itself if nothing is new. */
function united(known: Tags, added: Tags): Tags {
	const news = added?.filter(
		(one) => !known?.some(({ at, name }) => name === one.name && at <= one.at),
	);
	if (news === undefined || news.length === 0) return known;
	const others = known?.filter((one) => !news.some(({ name }) => name === one.name)) ?? [];
	return [...others, ...news].sort((a, b) => a.at - b.at).slice(0, MOST_TAGS);
}
