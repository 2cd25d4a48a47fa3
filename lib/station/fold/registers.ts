/**
 * Values of the imported energy register, as a set that is the same in whatever order they arrive: those at the start and
 * the end of a transaction, and of the others the first and the last of each half hour. So the last one is always there,
 * and a station that sends one each minute costs no more than one that sends four an hour. Those after the newest session
 * that is decided are all kept: others may end there.
 */
import { MOST_REPORTS, READINGS_MS, STATION_AHEAD_MS, STATION_BEHIND_MS } from '../common/settings';
import type { Register, SessionMeter } from '../common/state';
import type { MeterReading } from '../facts';

/** A time by the station's clock and by the service's. */
export interface Clock {
	readonly at: number;
	readonly t: number;
	/** It has only that of the service. */
	readonly undated?: boolean | undefined;
}

/** By the station's clock, where that counts. */
export const atOf = ({ t, d = 0 }: Register): number => t + d;

/** Stations write times without fractions: the first reading can seem to be from before the start. */
export const FRACTION_MS = 1_000;

/** Registers are rounded to whole Wh, each in its own way. */
export const ROUNDING_WH = 1;

export type RegisterValue = Pick<Register, 'wh' | 's'>;

/** Within less than the step of their last digits, two values do not contradict each other. */
export const isRounding = (wh: number, ...values: readonly RegisterValue[]): boolean =>
	wh <= ROUNDING_WH || values.some(({ s = 0 }) => wh < s);

export const isFallen = (from: RegisterValue, to: RegisterValue): boolean =>
	!isRounding(from.wh - to.wh, from, to);

/** That are kept of a group of readings. */
const MOST_FALLS = 2;

/** The same, as far as it decides which session a reading belongs to. */
export const belongsAt = (one: Register): number =>
	atOf(one) + (one.c === 'begin' ? FRACTION_MS : 0);

/** When it was said, by both clocks as they were then. */
export const timeOf = (one: Register): Clock => ({
	at: belongsAt(one),
	t: one.t,
	undated: one.u,
});

/** When each thing was said, in the order of the station's time. */
export const timesOf = ({
	readings,
	said = [],
}: Pick<SessionMeter, 'readings' | 'said'>): Clock[] =>
	[...said, ...readings].map(timeOf).sort((a, b) => a.at - b.at || a.t - b.t);

/** Said at that time, without a value. */
export const saidAt = (stationTime: number | undefined, t: number): Register[] =>
	registersOf([{ wh: -1 }], t, undefined, stationTime);

/** What the station's clock said, if that counts, otherwise the service's; `raw` if it does not. */
export function clockOf(stationTime: number | undefined, t: number): { at: number; raw?: number } {
	if (stationTime === undefined) return { at: t };
	const isRight = stationTime <= t + STATION_AHEAD_MS && stationTime >= t - STATION_BEHIND_MS;
	return isRight ? { at: stationTime } : { at: t, raw: stationTime };
}

export function registersOf(
	readings: readonly MeterReading[],
	t: number,
	n?: number,
	messageTime?: number,
): Register[] {
	return readings.map(({ wh, step, stationTime = messageTime, context, location }) => {
		const { at, raw } = clockOf(stationTime, t);
		return {
			t,
			wh,
			...(step !== undefined && { s: step }),
			...(at !== t && { d: at - t }),
			...((stationTime === undefined || raw !== undefined) && { u: true }),
			...(n !== undefined && { n }),
			...(context !== undefined && { c: context }),
			...(location !== undefined && { l: location }),
		};
	});
}

const compare = (a: Register, b: Register): number =>
	atOf(a) - atOf(b) || (a.n ?? 0) - (b.n ?? 0) || a.wh - b.wh || textOf(a).localeCompare(textOf(b));

const textOf = ({ c, l, s }: Register) => `${c ?? ''} ${l ?? ''} ${s ?? ''}`;

const isSame = (a: Register, b: Register) =>
	atOf(a) === atOf(b) && a.wh === b.wh && a.s === b.s && a.n === b.n && a.c === b.c && a.l === b.l;

/** The set with more, sorted; itself if they are repeats. */
export function withRegisters(known: Register[], added: readonly Register[]): Register[] {
	const all = [...known];
	let isNews = false;
	for (const one of added) {
		const index = all.findIndex((other) => isSame(other, one));
		const other = all[index];
		if (other !== undefined && one.t >= other.t) continue;
		isNews = true;
		if (other === undefined) all.push(one);
		else all[index] = { ...one, ...(other.gap !== undefined && { gap: other.gap }) };
	}
	if (!isNews) return known;
	if (all.length > MOST_REPORTS) return thinned(all, { settled: Infinity });
	return all.length === known.length ? all : all.sort(compare);
}

interface Thinning {
	/** Of those created before it, only the first and the last of each half hour stay, */
	readonly settled: number;
	/** and of those created before this time, only the first and the last of all. */
	readonly cut?: number;
	/** At which part of the time a reading is: those of each are thinned by themselves. */
	readonly spanOf?: (at: number) => number;
}

/** The highest and the lowest of each stay, too, and where the register falls: they may contradict the others. */
export function thinned(
	registers: readonly Register[],
	{ settled, cut = -Infinity, spanOf = () => 0 }: Thinning,
): Register[] {
	if (registers.length <= 2) return [...registers];
	const groups = new Map<string, Register[]>();
	for (const [n, one] of registers.toSorted(compare).entries()) {
		const { c, l = '', s = '', t } = one;
		const time = t < cut ? 'past' : t < settled ? Math.floor(t / READINGS_MS) : `recent ${n}`;
		const key = c === undefined ? `${time} ${spanOf(belongsAt(one))} ${l} ${s}` : `${c} ${l} ${s}`;
		const known = groups.get(key);
		if (known === undefined) groups.set(key, [one]);
		else known.push(one);
	}
	return [...groups.values()].flatMap(limited).sort(compare);
}

function limited(group: Register[]): Register[] {
	const [first] = group;
	const last = group.at(-1);
	if (first === undefined || last === undefined) return group;
	if (first.c !== undefined) return group.slice(-MOST_REPORTS);
	const highest = group.reduce((most, one) => (one.wh > most.wh ? one : most), last);
	const isWhole = group.length <= 2 && group.every(({ gap }) => gap === undefined);
	if (isWhole || first === last) return group;
	const measured = group.filter(({ wh }) => wh > 0);
	const lowest = measured.reduce(
		(least, one) => (one.wh < least.wh ? one : least),
		measured[0] ?? first,
	);
	const falls = fallsIn(measured).slice(0, MOST_FALLS);
	const between = new Set([
		...(highest.wh > Math.max(first.wh, last.wh) ? [highest] : []),
		...(lowest !== first && lowest !== last ? [lowest] : []),
		...falls.flat(),
		// What shows that these may be older than their time.
		...[first, lowest].flatMap((one) => measured.findLast((other) => isExceeded(one, other)) ?? []),
	]);
	between.delete(first);
	between.delete(last);
	return [{ ...first, gap: atOf(last) }, ...between, last];
}

/** Several values of one message can have its time, whenever they were measured: only the highest is certainly no older. */
const isExceeded = (one: Register, other: Register): boolean =>
	other.wh > one.wh && atOf(other) === atOf(one);

/** The highest before each fall, and the first after it: what is rounded more hides no fall of others. */
export function fallsIn(
	sorted: readonly Register[],
	all: readonly Register[] = sorted,
): [Register, Register][] {
	const falls: [Register, Register][] = [];
	const mostAt = new Map<number | string, number>();
	const placeOf = (one: Register) => (one.s === undefined ? atOf(one) : `${atOf(one)} ${one.s}`);
	for (const one of all) {
		mostAt.set(placeOf(one), Math.max(one.wh, mostAt.get(placeOf(one)) ?? one.wh));
	}
	const [first] = sorted;
	/** By the step. */
	const highest = new Map(first && [[first.s, first]]);
	for (const one of sorted) {
		if (one.wh < (mostAt.get(placeOf(one)) ?? one.wh)) continue;
		const fallen = [...highest.values()].find((high) => isFallen(high, one));
		if (fallen !== undefined) {
			falls.push([fallen, one]);
			highest.clear();
		}
		if (one.wh > (highest.get(one.s)?.wh ?? -Infinity)) highest.set(one.s, one);
	}
	return falls;
}
