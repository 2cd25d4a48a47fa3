/** The sessions of a station, as they are kept in the text of its shard. Names and times are as in `state.ts`. */
import {
	array,
	boolean,
	enum as oneOf,
	number,
	object,
	optional,
	string,
	tuple,
	union,
	type output,
} from '../../vendor/zod';
import { MINUTE_MS } from './settings';

const text = optional(string());
const count = optional(number());
const context = oneOf(['begin', 'end', 'start', 'stop']);

/** A value of the imported energy register. */
const register = object({
	t: number(),
	/** How far the station's clock was ahead, in milliseconds; absent if it was not, or does not count. */
	d: count,
	/** Its message has no time, or one that does not count. */
	u: optional(boolean()),
	wh: number(),
	/** The step of its last digit, in Wh, if that is more than 1. */
	s: count,
	/** The `seqNo` of its message. */
	n: count,
	/** Its context, or the message that it is from: that of the start or of the stop. */
	c: optional(context),
	/** Where it was measured, and which phases, unless at the outlet and all. */
	l: text,
	/** Readings after this one, up to that time of the station, are left out. */
	gap: count,
});

/** Most registers say no more than when, the value, and in this order `d`, `n` and `c`. */
const shortRegister = union([
	tuple([number(), number()]),
	tuple([number(), number(), number()]),
	tuple([number(), number(), number(), number()]),
	tuple([number(), number(), number(), number(), context]),
]);
const registers = array(union([shortRegister, register]));

/** When a message was created, and what the station's clock said. */
const moment = {
	t: number(),
	/** How far the station's clock was ahead; absent if it was not. */
	d: count,
	/** The station's time where it does not count: distinguishes a repeated message from a new one. */
	raw: count,
	/** When it was sent last, if it was repeated: it may be read again for as long. */
	last: count,
};

/** A start; those of OCPP 2.0.1 have the ID, and all values of the register that their message has. */
const start = object({
	...moment,
	id: string(),
	connector: text,
	wh: count,
	readings: optional(registers),
	/** Of the messages: responses name them. Absent if there are none. */
	messages: optional(array(string())),
	tx: text,
	tag: text,
	/** The ID that only readings gave its session, which is over: they are dropped with it. */
	name: text,
	/** When its session ended, or was over without a stop: it is reported, or the stop was without it. */
	over: count,
	/** It is over because the next one began: its stop may still come. */
	unended: optional(boolean()),
	/** When that one began, which may be forgotten before. */
	next: optional(object({ t: number(), at: number() })),
	/** A stop whose start was not found may be its stop: it is not reported by itself. */
	unsure: optional(boolean()),
});
const stop = object({
	...moment,
	id: string(),
	tx: string(),
	connector: text,
	wh: count,
	/** Absent once it is told, as the values and the tag are. */
	reason: text,
	readings: optional(registers),
	tag: text,
	told: optional(boolean()),
	/** It was told with its start, or repeats one that was. */
	found: optional(boolean()),
	/** Where and when readings first named it, if it was told without its start: they are dropped then. */
	named: optional(array(object({ connector: string(), t: number(), at: number() }))),
});
/** Most are told, and say no more than `t`, `d`, the ID, the transaction, whether it was found (1), and `wh`. */
const toldStop = union([
	tuple([number(), number(), string(), string(), number()]),
	tuple([number(), number(), string(), string(), number(), number()]),
]);
const storedStop = union([toldStop, stop]);
/** The response to a start; `last`: to one with the same message ID. */
const named = object({
	t: number(),
	last: count,
	message: string(),
	tx: string(),
	refused: optional(boolean()),
});
/** What is said between start and stop, of one transaction or of none: values of the register, and who charges. */
const metered = object({
	/** When the first of it was created. */
	t: number(),
	tx: text,
	connector: text,
	readings: registers,
	/** When something without a value was said, as registers of -1. */
	said: optional(registers),
	who: optional(array(object({ at: number(), name: string() }))),
});

/** Lists without anything are absent. */
export const storedSessions = object({
	starts: optional(array(start)),
	named: optional(array(named)),
	metered: optional(array(metered)),
	stops: optional(array(storedStop)),
	/** When the first response to a start was created that is known of the station. */
	answered: count,
	/** The sessions that were told, oldest first: of each the marks, and when, in minutes and to the base 36. */
	told: text,
});

export type Register = output<typeof register>;
export type NamedStart = output<typeof named>;
type StoredStart = output<typeof start>;
type StoredStop = output<typeof storedStop>;
type StoredMeter = output<typeof metered>;

/** What the station's clock said, and all registers in full. */
interface Full {
	at: number;
	readings?: Register[] | undefined;
}
export type SessionStart = Omit<StoredStart, 'd' | 'readings' | 'messages'> &
	Full & { messages: string[] };
export type SessionStop = Omit<output<typeof stop>, 'd' | 'readings'> & Full;
export type SessionMeter = Omit<StoredMeter, 'readings' | 'said'> & {
	readings: Register[];
	said?: Register[] | undefined;
};
/** When it was told, to the minute, and what shows its start and its stop: of each, a few characters. */
export interface ToldSession {
	t: number;
	start: string;
	stop: string;
}
export interface Sessions {
	starts: SessionStart[];
	named: NamedStart[];
	metered: SessionMeter[];
	stops: SessionStop[];
	told: ToldSession[];
	answered?: number | undefined;
}

/** What a shard stores once: short times are after its cut, and short IDs lack what all of them begin with. */
export interface Base {
	readonly cut: number;
	readonly ids: string;
}

export function toStoredSessions(
	{ starts, named, metered, stops, told, answered }: Sessions,
	base: Base,
): output<typeof storedSessions> {
	return {
		...(starts.length > 0 && { starts: starts.map((one) => toStoredStart(one, base)) }),
		...(named.length > 0 && { named }),
		...(metered.length > 0 && { metered: metered.map((one) => toStoredMeter(one, base)) }),
		...(stops.length > 0 && { stops: stops.map((one) => toStoredStop(one, base)) }),
		...(answered !== undefined && { answered }),
		...(told.length > 0 && { told: told.map(toStoredTold).join('') }),
	};
}

export function sessionsOf(stored: output<typeof storedSessions>, base: Base): Sessions {
	const { starts = [], named = [], metered = [], stops = [], told = '', answered } = stored;
	return {
		starts: starts.map((one) => startOf(one, base)),
		named,
		metered: metered.map((one) => meterOf(one, base)),
		stops: stops.map((one) => stopOf(one, base)),
		told: (told.match(TOLD) ?? []).map(toldOf),
		...(answered !== undefined && { answered }),
	};
}

/** Of a mark, and of the minutes since 1970 to the base 36, until 2085. */
const MARK = 5;
const TOLD = new RegExp(`.{${3 * MARK}}`, 'g');

const toStoredTold = ({ t, start, stop }: ToldSession): string =>
	start +
	stop +
	Math.floor(t / MINUTE_MS)
		.toString(36)
		.padStart(MARK, '0');

const toldOf = (one: string): ToldSession => ({
	t: Number.parseInt(one.slice(2 * MARK), 36) * MINUTE_MS,
	start: one.slice(0, MARK),
	stop: one.slice(MARK, 2 * MARK),
});

function toStoredStart(
	{ at, id, messages, readings, ...one }: SessionStart,
	base: Base,
): StoredStart {
	return {
		...one,
		id: id.slice(base.ids.length),
		...(at !== one.t && { d: at - one.t }),
		...(messages.length > 0 && { messages }),
		...(readings && { readings: toStoredRegisters(readings, base) }),
	};
}

function startOf(
	{ id, d = 0, messages = [], readings, ...one }: StoredStart,
	base: Base,
): SessionStart {
	return {
		...{ ...one, id: base.ids + id, at: one.t + d, messages },
		...(readings && { readings: registersOf(readings, base) }),
	};
}

function toStoredStop({ t, at, id, readings, ...one }: SessionStop, base: Base): StoredStop {
	const end = id.slice(base.ids.length);
	const { tx, wh, told, found = false, ...others } = one;
	if (told && readings === undefined && Object.keys(others).length === 0) {
		const [after, ahead, isFound] = [t - base.cut, at - t, Number(found)];
		return wh === undefined
			? [after, ahead, end, tx, isFound]
			: [after, ahead, end, tx, isFound, wh];
	}
	return {
		...{ ...one, t, id: end },
		...(at !== t && { d: at - t }),
		...(readings && { readings: toStoredRegisters(readings, base) }),
	};
}

function stopOf(stored: output<typeof storedStop>, base: Base): SessionStop {
	if (Array.isArray(stored)) {
		const [after, d, end, tx, isFound, wh] = stored;
		const t = base.cut + after;
		return {
			...{ t, at: t + d, id: base.ids + end, tx },
			...(wh !== undefined && { wh }),
			...{ told: true, ...(isFound === 1 && { found: true }) },
		};
	}
	const { id, d = 0, readings, ...one } = stored;
	return {
		...{ ...one, id: base.ids + id, at: one.t + d },
		...(readings && { readings: registersOf(readings, base) }),
	};
}

const toStoredMeter = ({ readings, said, ...one }: SessionMeter, base: Base) => ({
	...one,
	readings: toStoredRegisters(readings, base),
	...(said && { said: toStoredRegisters(said, base) }),
});

const meterOf = ({ readings, said, ...one }: StoredMeter, base: Base) => ({
	...one,
	readings: registersOf(readings, base),
	...(said && { said: registersOf(said, base) }),
});

function toStoredRegisters(readings: readonly Register[], { cut }: Base): output<typeof registers> {
	return readings.map((one) => {
		const { t, wh, d = 0, n, c, ...others } = one;
		const hasNoNumber = n === undefined && c !== undefined;
		if (hasNoNumber || Object.keys(others).length > 0) return one;
		const after = t - cut;
		if (n === undefined) return d === 0 ? [after, wh] : [after, wh, d];
		return c === undefined ? [after, wh, d, n] : [after, wh, d, n, c];
	});
}

function registersOf(stored: output<typeof registers>, { cut }: Base): Register[] {
	return stored.map((one) => {
		if (!Array.isArray(one)) return one;
		const [after, wh, d = 0, n, c] = one;
		return {
			...{ t: cut + after, wh },
			...(d !== 0 && { d }),
			...(n !== undefined && { n }),
			...(c !== undefined && { c }),
		};
	});
}
