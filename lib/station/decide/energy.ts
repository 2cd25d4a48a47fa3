/** The energy of a session, from all values of the imported register that are known of it: the right one, or none. */
import { HOUR_MS } from '../common/settings';
import type { Register } from '../common/state';
import { atOf } from '../fold/registers';

/** The most that one connector delivers, as the Megawatt Charging System does (1,250 V, 3,000 A): no register rises faster. */
const MOST_W = 4_000_000;
/** Registers are rounded to whole Wh, each in its own way. */
const ROUNDING_WH = 1;
/**
 * A register of 0 at the start is that of a station that counts each session from 0, or a placeholder before a register
 * that counts for life. It is one if the next value is more than a car takes, or than one takes in that time, and may be one
 * if the register rises much slower afterwards. A charger with alternating current does not tell the two apart.
 */
const CAR = { mostWh: 100_000, mostW: 400_000, alternatingW: 22_000, timesSlower: 3 };

interface Energy {
	readonly startWh?: number;
	readonly stopWh?: number;
	readonly kwh?: number;
	/** Where the first and the last value are from. */
	readonly from?: string;
}

/** When a session began and ended by the station's clock, as far as that is known. */
export interface Window {
	readonly from?: number | undefined;
	readonly to?: number | undefined;
}

/** Whether a register can have risen from one value to another in that time. */
export function canRise(fromWh: number, toWh: number, ms: number): boolean {
	const rise = toWh - fromWh;
	// Several values of one message have its time, whenever they were measured.
	return rise >= -ROUNDING_WH && (ms === 0 || rise <= (MOST_W * Math.abs(ms)) / HOUR_MS);
}

/** A register elsewhere than at the outlet counts only if there is none at it. */
export function energyOf(registers: readonly Register[], window: Window): Energy {
	const atOutlet = registers.filter(({ l }) => l === undefined);
	const energy = measured(atOutlet, window);
	const other = registers.find(({ l }) => l !== undefined)?.l;
	if (energy.kwh !== undefined || other === undefined) return energy;
	const elsewhere = measured(
		registers.filter(({ l }) => l === other),
		window,
	);
	return elsewhere.kwh === undefined ? energy : elsewhere;
}

function measured(registers: readonly Register[], window: Window): Energy {
	const ordered = inSession(registers, window);
	const values = withoutPlaceholder(ordered);
	if (values === undefined) return {};
	const [first, ...others] = values;
	if (first === undefined) return {};
	const hasStop = others.some(({ c }) => c === 'stop');
	const last = lastOf(
		first,
		others.filter(({ c }) => c !== 'stop' || !hasEnd(others)),
	);
	const isEndRight = last?.c === 'end' || !hasEnd(others) || !hasStop;
	// The end that the meter gives is wrong: the message has another one.
	const right = isEndRight
		? last
		: lastOf(
				first,
				others.filter(({ c }) => c !== 'end'),
			);
	const isFirstKnown = isMarked(first) || !isInGap(window.from, registers);
	if (right !== undefined && beginsAgain(right, values)) {
		return isFirstKnown ? { startWh: first.wh } : {};
	}
	const isLastKnown = right !== undefined && (isMarked(right) || !isInGap(window.to, registers));
	if (right === undefined) {
		// The only value that counts.
		const isStop = first.c === 'stop' || first.c === 'end';
		return isStop ? { stopWh: first.wh } : isFirstKnown ? { startWh: first.wh } : {};
	}
	const ends = {
		...(isFirstKnown && { startWh: first.wh }),
		...(isLastKnown && { stopWh: right.wh }),
	};
	if (!isFirstKnown || !isLastKnown) return ends;
	// The last message can have the only readings: `stop` marks the last of those without a context.
	const firstName = first.c === 'stop' ? FIRST : nameOf(first, FIRST);
	return {
		...ends,
		kwh: Math.max(0, Math.round(right.wh - first.wh)) / 1000,
		from: `${firstName} to ${nameOf(right, 'last reading')}`,
	};
}

/** Whether all that is measured later is lower, more than once: the station has booted, and counts from 0. */
function beginsAgain(last: Register, values: readonly Register[]): boolean {
	const later = values.slice(values.indexOf(last) + 1);
	return later.length > 1 && later.every(({ wh }) => wh < last.wh - ROUNDING_WH);
}

const hasEnd = (registers: readonly Register[]) => registers.some(({ c }) => c === 'end');
const isMarked = ({ c }: Register) => c !== undefined;
const FIRST = 'first reading';
const NAMES = { begin: 'Transaction.Begin', start: 'start', stop: 'stop', end: 'Transaction.End' };

const nameOf = ({ c }: Register, other: string): string => (c === undefined ? other : NAMES[c]);

/** Whether values around this time are left out. */
const isInGap = (time: number | undefined, registers: readonly Register[]): boolean =>
	time !== undefined &&
	registers.some((one) => one.gap !== undefined && atOf(one) < time && time < one.gap);

const RANK = { begin: 0, start: 1, stop: 3, end: 4 };

/**
 * What the start and the end say is first and last, whatever the time of their message; then by time. Without a start, the
 * first of the others may be one of the middle of the session: only the last one counts, though the end may say it twice.
 */
function inSession(registers: readonly Register[], { from }: Window): Register[] {
	const rankOf = ({ c }: Register) => (c === undefined ? 2 : RANK[c]);
	const sorted = registers
		.filter(({ wh }) => wh >= 0)
		.map((one) => (one.c === 'begin' && from !== undefined ? { ...one, d: from - one.t } : one))
		.toSorted(
			(a, b) =>
				rankOf(a) - rankOf(b) || atOf(a) - atOf(b) || (a.n ?? 0) - (b.n ?? 0) || a.wh - b.wh,
		);
	const hasBegin = sorted.some(({ c, wh }) => c === 'begin' && wh > 0);
	if (hasBegin) return sorted.filter(({ c }) => c !== 'start');
	if (from !== undefined) return sorted;
	return sorted.filter(({ c, wh }) => (c === 'stop' || c === 'end') && wh > 0).slice(-1);
}

/** Without a 0 that measures nothing; undefined if that is uncertain. */
function withoutPlaceholder(ordered: readonly Register[]): Register[] | undefined {
	const index = ordered.findIndex(({ wh }) => wh > 0);
	const [zero] = ordered;
	const risen = ordered.slice(index).filter(({ wh }) => wh > 0);
	// A meter that only ever says 0 measures nothing.
	if (zero === undefined || index === -1) return [];
	if (index === 0) return risen;
	// A later message can repeat the 0 of the beginning.
	const begun = Math.min(...ordered.slice(0, index).map(({ t }) => t));
	// A start of days ago was sent late, or its clock is wrong: both clocks have to agree.
	const [is, isByService] = [atOf, (one: Register) => (one === zero ? begun : one.t)].map((clock) =>
		isPlaceholder(zero, risen, clock),
	);
	if (is === undefined || is !== isByService) return undefined;
	return is ? risen : [zero, ...risen];
}

/** Whether a 0 measures nothing, by the values that follow; undefined if that is uncertain. */
function isPlaceholder(
	zero: Register,
	risen: readonly Register[],
	clock: (register: Register) => number,
): boolean | undefined {
	const [next = zero] = risen;
	const hoursTo = (from: Register, to: Register) => Math.abs(clock(to) - clock(from)) / HOUR_MS;
	const hours = hoursTo(zero, next);
	const isBegin = next.c === 'begin' || next.c === 'start';
	if (isBegin || next.wh > CAR.mostWh || next.wh > CAR.mostW * hours) return true;
	const last = risen.at(-1) ?? next;
	const hoursLater = hoursTo(next, last);
	const watts = hoursLater === 0 ? Infinity : (last.wh - next.wh) / hoursLater;
	const isSlow = next.wh <= Math.max(CAR.alternatingW, watts * CAR.timesSlower) * hours;
	return isSlow ? false : undefined;
}

/**
 * The last of the longest row of values of which each can follow the one before: those that are lower, or higher than the
 * power allows, are passed over. Of several rows that are as long and end with different values, none is right; nor is one
 * that has fewer values than a row that is too high for the first value.
 */
function lastOf(first: Register, others: readonly Register[]): Register | undefined {
	const rows = rowsFrom([first], others);
	const most = lengthOf(rows);
	const longest = rows.filter(({ length }) => length === most).map(({ end }) => end);
	const last = longest.at(-1);
	if (most === 1 || last === undefined) return undefined;
	const higher = others.filter(({ wh }) => wh > first.wh);
	if (lengthOf(rowsFrom(higher, higher)) > most) return undefined;
	return longest.every(({ wh }) => Math.abs(wh - last.wh) <= ROUNDING_WH) ? last : undefined;
}

interface Row {
	readonly end: Register;
	readonly length: number;
}

/** The longest row to each value that begins with one of the first ones. */
function rowsFrom(firsts: readonly Register[], others: readonly Register[]): Row[] {
	const rows: Row[] = firsts.filter((one) => !others.includes(one)).map(rowOf);
	for (const end of others) {
		const before = rows.filter((row) => canRise(row.end.wh, end.wh, timeBetween(row.end, end)));
		if (before.length > 0) rows.push({ end, length: lengthOf(before) + 1 });
		else if (firsts.includes(end)) rows.push(rowOf(end));
	}
	return rows;
}

const rowOf = (end: Register): Row => ({ end, length: 1 });
const lengthOf = (rows: readonly Row[]): number => Math.max(0, ...rows.map(({ length }) => length));

/** By the clock by which it is longer. */
const timeBetween = (a: Register, b: Register): number =>
	Math.max(Math.abs(atOf(b) - atOf(a)), Math.abs(b.t - a.t));
