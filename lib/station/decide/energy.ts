/** The energy of a session: the begin and the end decide, and readings between replace only one that says nothing. */
import { DAY_MS, HOUR_MS, STATION_AHEAD_MS } from '../common/settings';
import type { Register } from '../common/state';
import {
	atOf,
	type Clock,
	fallsIn,
	FRACTION_MS,
	isFallen,
	isRounding,
	type RegisterValue,
} from '../fold/registers';

/** Stations write whole seconds, and not at the moment in which they measure. */
const ROUNDING_MS = 10_000;

interface Energy {
	readonly startWh?: number;
	readonly stopWh?: number;
	readonly kwh?: number;
	/** Where the first and the last value are from. */
	readonly from?: string;
}

type Value = Clock & RegisterValue;

export interface SessionReadings {
	/** When the session began; without, only what the station marks as the begin is one. */
	readonly from: Clock | undefined;
	readonly to: Clock | undefined;
	/** What names the session, */
	readonly named: readonly Register[];
	/** and what only fits its time and connector. */
	readonly fitting: readonly Register[];
	/** The most that its connector delivers, in W. */
	readonly limitW: number;
}

/** Whether a register can have risen from one value to another in the time between, by the clock by which that is longer. */
export const canRise = (from: Value, to: Value, limitW: number): boolean =>
	!isFallen(from, to) && clocks(from, to).some((ms) => isInLimit(from, to, ms, limitW));

/** Several values of one message have its time, whenever they were measured. */
const isInLimit = (from: Value, to: Value, ms: number, limitW: number): boolean =>
	ms === 0 || to.wh - from.wh - stepOf(from, to) <= (limitW * (ms + ROUNDING_MS)) / HOUR_MS;

const stepOf = (a: RegisterValue, b: RegisterValue): number => Math.max(a.s ?? 0, b.s ?? 0);

const clocks = (a: Clock, b: Clock): number[] => [Math.abs(b.at - a.at), Math.abs(b.t - a.t)];

/** Registers at two places differ: one elsewhere than at the outlet counts only if there is no energy at that. */
export function energyOf(measured: SessionReadings): Energy {
	const { named, fitting } = measured;
	const energyAt = (location: string | undefined) =>
		measure({
			...measured,
			named: named.filter(({ l }) => l === location),
			fitting: fitting.filter(({ l }) => l === location),
		});
	const energy = energyAt(undefined);
	const other = [...named, ...fitting].find(({ l }) => l !== undefined)?.l;
	if (energy.kwh !== undefined || other === undefined) return energy;
	const elsewhere = energyAt(other);
	return elsewhere.kwh === undefined ? energy : elsewhere;
}

function measure({ from, to, named, fitting, limitW }: SessionReadings): Energy {
	const all = [...named, ...fitting];
	const inContext = (some: readonly Register[], c: Register['c']) =>
		some.filter((one) => one.c === c).toSorted(inOrder);
	const readings = readingsOf(named, fitting, limitW);
	// What only fits may be of another session: it goes after the registers of the start and the stop.
	const ends = [
		...inContext(named, 'end').reverse(),
		...inContext(named, 'stop'),
		...inContext(fitting, 'end').reverse(),
	].filter(({ wh }) => wh > 0);
	const isOld = (one: Register) => from !== undefined && atOf(one) < from.at - STATION_AHEAD_MS;
	const starts = [
		...inContext(named, 'begin').filter((one) => !isOld(one)),
		...inContext(named, 'start'),
	];
	const begun = beginOf([...starts, ...inContext(fitting, 'begin')]);
	const given = begun && exactOf(begun, inContext(named, 'start'));
	const isZero = given?.wh === 0;
	const begins = (one: Register): Value => ({ ...(from ?? clockOf(one)), wh: one.wh, s: one.s });
	const counts = isZero ? countsFromZero(begins(given), readings[0] ?? ends[0], limitW) : true;
	if (counts === undefined) return {};
	const first = given !== undefined && counts ? given : from && readings[0];
	const isFirstKnown = first !== undefined && (first === given || !isInGap(from, all));
	if (!isFirstKnown) return ends[0] === undefined ? {} : { stopWh: ends[0].wh };
	const begin = first === given ? begins(first) : valueOf(first);
	const isPossible = (one: Register) => canRise(begin, valueOf(one), limitW);
	const start = { startWh: first.wh };
	const stops = inContext(named, 'stop').filter(isPossible);
	const ended = ends.find(isPossible);
	const end = ended && exactOf(ended, stops);
	const others = readings.filter((one) => one !== first);
	const possible = others.filter(isPossible);
	const last = end ?? possible.at(-1);
	if (last === undefined || (end === undefined && isInGap(to, all))) return start;
	if (end === undefined && ends.some((one) => isFallen(begin, valueOf(one)))) return start;
	if (isContradicted(begin, last, others, possible)) return start;
	const possibleStarts = starts.filter((one) => canRise(begins(one), valueOf(last), limitW));
	const isOtherEnd = last === end && isOfOther(ended ?? last, stops, limitW);
	const isOtherStart = isOfOther(
		first === given ? (begun ?? first) : first,
		possibleStarts,
		limitW,
	);
	if (isOtherEnd || isOtherStart) return start;
	if (hasBegunAgain(begin, last, named, end === undefined, limitW)) return start;
	return {
		...start,
		stopWh: last.wh,
		kwh: Math.max(0, Math.round(last.wh - first.wh)) / 1000,
		from: `${nameOf(first, 'first reading')} to ${nameOf(last, 'last reading')}`,
	};
}

/** What only fits counts as far as it agrees with what names the session. */
function readingsOf(
	named: readonly Register[],
	fitting: readonly Register[],
	limitW: number,
): Register[] {
	const [own, others] = [named, fitting].map((some) =>
		some.filter(({ c, wh }) => c === undefined && wh > 0),
	);
	const agrees = (one: Register) =>
		own?.every((other) => {
			const [first, second] = [one, other].sort(inOrder).map(valueOf);
			return first !== undefined && second !== undefined && canRise(first, second, limitW);
		});
	return [...(own ?? []), ...(others ?? []).filter(agrees)].sort(inOrder);
}

/** Of what is marked and the register of the same moment, the one with more digits. */
const exactOf = (marked: Register, others: readonly Register[]): Register =>
	others.reduce(
		(best, one) => (one.wh > 0 && best.wh > 0 && (one.s ?? 0) < (best.s ?? 0) ? one : best),
		marked,
	);

/** The first one that measures something, or else a 0. */
const beginOf = (begins: readonly Register[]): Register | undefined =>
	begins.find(({ wh }) => wh > 0) ?? begins.find(({ wh }) => wh === 0);

/** Whether the register has begun again, or one of the values that decide is wrong. */
function isContradicted(
	begin: Value,
	last: RegisterValue,
	readings: readonly Register[],
	possible: readonly Register[],
): boolean {
	const isAbove = (one: Register) => isFallen(one, last);
	const isTooSoon = (one: Register) => !isFallen(begin, valueOf(one)) && !isAbove(one);
	return (
		possible.some(isAbove) || readings.some((one) => !possible.includes(one) && isTooSoon(one))
	);
}

/** Whether what the station marks as the begin or the end differs from the start or the stop, which are of the same moment. */
const isOfOther = (marked: Register, ends: readonly Register[], limitW: number): boolean =>
	ends.some((one) => one.wh > 0 && marked.wh > 0 && !isOfMoment(marked, one, limitW));

/** Whether the register can have risen from the lower one to the other. */
function isOfMoment(marked: Register, one: Register, limitW: number): boolean {
	const [low, high] = marked.wh < one.wh ? [marked, one] : [one, marked];
	const ms = marked.u === true ? high.t - low.t : atOf(high) - atOf(low);
	const most = (limitW * (Math.max(ms, 0) + FRACTION_MS)) / HOUR_MS;
	const wh = high.wh - low.wh;
	return wh <= most || isRounding(wh, high, low);
}

/**
 * Whether the register may have begun again, or a possible reading is wrong: it fell, and can have risen from there to the last one
 * since, or not again.
 */
function hasBegunAgain(
	begin: Value,
	last: Register,
	named: readonly Register[],
	isRunning: boolean,
	limitW: number,
): boolean {
	const isTooHigh = (one: Register) =>
		!isFallen(begin, one) && !canRise(begin, valueOf(one), limitW);
	const since = named.filter(
		(one) => one.c === undefined && one.wh > 0 && atOf(one) > begin.at && !isTooHigh(one),
	);
	const first: Register = { t: begin.t, d: begin.at - begin.t, wh: begin.wh, s: begin.s };
	return fallsIn([first, ...since.toSorted(inOrder)], named).some(([from, to]) => {
		// The clock may have been set in between.
		if (from !== first && from.t > to.t) return false;
		return inOrder(last, to) < 0 ? isRunning : canRise(valueOf(to), valueOf(last), limitW);
	});
}

/**
 * Whether the register counts from 0: then it can rise to what follows in the time between. Otherwise the 0 is a placeholder;
 * undefined if the clocks of the station and of the service disagree.
 */
function countsFromZero(
	zero: Value,
	next: Register | undefined,
	limitW: number,
): boolean | undefined {
	if (next === undefined) return true;
	const value = valueOf(next);
	const [is, isByService] = clocks(zero, value).map((ms) => isInLimit(zero, value, ms, limitW));
	if (is === isByService) return is;
	// It was sent late, or its clock was wrong by days.
	return zero.t - zero.at <= DAY_MS ? true : undefined;
}

const NAMES = { begin: 'Transaction.Begin', start: 'start', stop: 'stop', end: 'Transaction.End' };

const nameOf = ({ c }: Register, other: string): string => (c === undefined ? other : NAMES[c]);

const clockOf = (one: Register): Clock => ({ at: atOf(one), t: one.t });

export const valueOf = (one: Register): Value => ({ ...clockOf(one), wh: one.wh, s: one.s });

const inOrder = (a: Register, b: Register): number =>
	atOf(a) - atOf(b) || (a.n ?? 0) - (b.n ?? 0) || a.wh - b.wh;

/** Whether values around this time are left out. */
const isInGap = (time: Clock | undefined, registers: readonly Register[]): boolean =>
	time !== undefined &&
	registers.some((one) => one.gap !== undefined && atOf(one) < time.at && time.at < one.gap);
