/**
 * Adds up what was true of a place in a period: minutes up, down, unknown and excluded, and each time down. Pure arithmetic of
 * spans, which knows nothing of stations. Times are in Unix milliseconds.
 */
import { MINUTE_MS } from '../../shared/time';
import type { Span } from './spans';

/** Why a place is down. Each moment counts once, as the first of these that holds. */
export const DOWN_CAUSES = ['offline', 'silent', 'faulted', 'unavailable'] as const;
export type DownCause = (typeof DOWN_CAUSES)[number];
const OF_CONNECTION: ReadonlySet<DownCause> = new Set(['offline', 'silent']);

/** A stretch of time in which the same is true of a place. */
export interface Phase extends Span {
	/** In the order of `DOWN_CAUSES`; empty if it is not down. */
	readonly causes: readonly DownCause[];
	/** Whether something shows that it is up. What is down is known. */
	readonly isKnown: boolean;
	/** False before the place is known: the whole is then judged without it. */
	readonly isPlace?: boolean;
	/** False while nothing shows that the station lives, so what is unknown counts as nothing. */
	readonly isLiving?: boolean;
	/** Of a fault. */
	readonly errorCode?: string | undefined;
	/** Whether it counts neither as up nor as down. */
	readonly isExcluded?: boolean;
	/** Of what excludes it, each once. */
	readonly reasons?: readonly string[];
}

/** A time that counts neither as up nor as down. */
export interface ExcludedSpan extends Span {
	readonly reason?: string | undefined;
}

/** The same phases, cut where an exclusion begins or ends. The phases are in order, without overlaps. */
export function excluding(
	phases: Iterable<Phase>,
	exclusions: readonly ExcludedSpan[],
): Iterable<Phase> {
	if (exclusions.length === 0) return phases;
	return { [Symbol.iterator]: () => excludingEach(phases, exclusions) };
}

function* excludingEach(
	phases: Iterable<Phase>,
	exclusions: readonly ExcludedSpan[],
): Generator<Phase, void> {
	const edges = exclusions.flatMap(({ from, to }) => [from, to]).sort((a, b) => a - b);
	const begun = [...exclusions].sort((a, b) => a.from - b.from);
	let active: ExcludedSpan[] = [];
	let next = 0;
	for (const phase of cutAt(phases, edges)) {
		for (; (begun[next]?.from ?? Infinity) <= phase.from; next++)
			active.push(...begun.slice(next, next + 1));
		active = active.filter(({ to }) => to > phase.from);
		yield active.length === 0 ? phase : { ...phase, isExcluded: true, reasons: reasonsOf(active) };
	}
}

const reasonsOf = (exclusions: Iterable<ExcludedSpan>): string[] => [
	...new Set([...exclusions].flatMap(({ reason = '' }) => (reason === '' ? [] : [reason]))),
];

/**
 * What is true of a whole that is down if it is down itself, or if all of its parts are; up if one of them is; and excluded if
 * it is itself, or if all of them are. All cover the same time.
 */
export function combined(own: Iterable<Phase>, parts: readonly Iterable<Phase>[]): Iterable<Phase> {
	if (parts.length === 0) return own;
	return { [Symbol.iterator]: () => combinedEach([own, ...parts]) };
}

function* combinedEach(all: readonly Iterable<Phase>[]): Generator<Phase, void> {
	const iterators = all.map((phases) => phases[Symbol.iterator]());
	const current = iterators.map(nextOf);
	for (let at = current[0]?.from ?? 0; ;) {
		const [whole, ...others] = current.filter((one) => one !== undefined);
		if (whole === undefined || others.length < current.length - 1) return;
		const to = Math.min(whole.to, ...others.map((one) => one.to));
		yield { ...wholeOf(whole, others), from: at, to };
		for (const [n, iterator] of iterators.entries()) {
			if ((current[n]?.to ?? Infinity) <= to) current[n] = nextOf(iterator);
		}
		at = to;
	}
}

function nextOf(iterator: Iterator<Phase, unknown>): Phase | undefined {
	const next = iterator.next();
	return next.done === true ? undefined : next.value;
}

function wholeOf(whole: Phase, all: readonly Phase[]): Phase {
	const parts = all.filter(({ isPlace = true }) => isPlace);
	// A port is no place before one of its connectors is, and when none is any more.
	if (parts.length === 0) {
		const isGone = all.every(({ isLiving }) => isLiving === false);
		return { ...whole, isPlace: false, ...(isGone && { isLiving: false }) };
	}
	// Whether a state of the whole counts for a part, the part knows.
	const causes = whole.causes.filter((cause) => OF_CONNECTION.has(cause));
	const isDown = causes.length > 0;
	const areDown = parts.every(({ causes }) => causes.length > 0);
	const down = isDown ? [{ ...whole, causes, errorCode: undefined }] : areDown ? parts : [];
	const areExcluded = parts.every(({ isExcluded = false }) => isExcluded);
	const excluded = whole.isExcluded === true ? [whole] : areExcluded ? parts : [];
	return {
		...whole,
		causes: DOWN_CAUSES.filter((cause) => down.some(({ causes }) => causes.includes(cause))),
		isKnown: parts.some(({ causes, isKnown }) => causes.length === 0 && isKnown),
		errorCode: down.find(({ errorCode }) => errorCode !== undefined)?.errorCode,
		isExcluded: excluded.length > 0,
		reasons: [...new Set(excluded.flatMap(({ reasons = [] }) => reasons))],
	};
}

/** Each phase in pieces that end where an edge is. The edges are in order. */
function* cutAt(phases: Iterable<Phase>, edges: readonly number[]): Generator<Phase, void> {
	let n = 0;
	for (const phase of phases) {
		let { from } = phase;
		while ((edges[n] ?? Infinity) <= from) n++;
		for (; (edges[n] ?? Infinity) < phase.to; n++) {
			const to = edges[n] ?? phase.to;
			if (to > from) yield { ...phase, from, to };
			from = to;
		}
		yield { ...phase, from };
	}
}

/**
 * The phases of each part of a period, cut at its ends. Parts are in order and adjoin; the phases of each can be gone through once,
 * before those of the next.
 */
export function* byPart(
	phases: Iterable<Phase>,
	parts: readonly Span[],
): Generator<Iterable<Phase>, void> {
	const edges = parts.flatMap(({ from, to }) => [from, to]);
	const pieces = cutAt(phases, edges);
	let piece = nextOf(pieces);
	const before = function* (end: number): Generator<Phase, void> {
		for (; piece !== undefined && piece.from < end; piece = nextOf(pieces)) yield piece;
	};
	for (const part of parts) {
		while ((piece?.to ?? Infinity) <= part.from) piece = nextOf(pieces);
		yield before(part.to);
	}
}

/** A time down, from one moment that is not to another one, whatever its cause. */
export interface DownTime extends Span {
	/** In the order of `DOWN_CAUSES`. */
	readonly causes: readonly DownCause[];
	readonly errorCode: string | undefined;
	readonly excludedMs: number;
	readonly reasons: readonly string[];
}

export function outagesIn(phases: Iterable<Phase>): DownTime[] {
	const outages: DownTime[] = [];
	let current: Phase[] = [];
	for (const phase of phases) {
		if (phase.causes.length === 0) continue;
		if (current.length > 0 && current.at(-1)?.to !== phase.from) {
			outages.push(outageOf(current));
			current = [];
		}
		current.push(phase);
	}
	if (current.length > 0) outages.push(outageOf(current));
	return outages;
}

function outageOf(phases: readonly Phase[]): DownTime {
	const excluded = phases.filter(({ isExcluded = false }) => isExcluded);
	return {
		from: phases[0]?.from ?? 0,
		to: phases.at(-1)?.to ?? 0,
		causes: DOWN_CAUSES.filter((cause) => phases.some(({ causes }) => causes.includes(cause))),
		errorCode: phases.find(({ errorCode }) => errorCode !== undefined)?.errorCode,
		excludedMs: lengthOf(excluded),
		reasons: [...new Set(excluded.flatMap(({ reasons = [] }) => reasons))],
	};
}

const lengthOf = (spans: readonly Span[]): number =>
	spans.reduce((sum, { from, to }) => sum + (to - from), 0);

type CountedAs = DownCause | 'unknown' | 'up';

/** What unknown time counts as in the percentage. */
export type UnknownAs = 'leftOut' | 'up' | 'down';

/**
 * The columns of Get Uptime that are figures. Minutes are whole, and those up, down, unknown and excluded add up to the period.
 * Seconds are exact, for sums over many periods.
 */
export function tally(phases: Iterable<Phase>, unknownAs: UnknownAs) {
	const sums = new Sums();
	for (const phase of phases) sums.add(phase);
	return sums.figures(unknownAs);
}

/** The lengths of phases, one after the other. */
export class Sums {
	readonly #ms: Record<CountedAs, number> = {
		offline: 0,
		silent: 0,
		faulted: 0,
		unavailable: 0,
		unknown: 0,
		up: 0,
	};
	#excludedDown = 0;
	#excludedElse = 0;
	#countedUnknown = 0;
	readonly #reasons = new Set<string>();
	/** The last time down of those that are not excluded. */
	#outage: Span = { from: NaN, to: NaN };
	#outages = 0;
	#longest = 0;

	add({ from, to, causes, isKnown, isExcluded = false, isLiving = true, reasons }: Phase): void {
		const length = to - from;
		const isDown = causes.length > 0;
		if (!isExcluded && !isDown && !isKnown && isLiving) this.#countedUnknown += length;
		if (isExcluded && isDown) this.#excludedDown += length;
		else if (isExcluded) this.#excludedElse += length;
		else this.#ms[causes[0] ?? (isKnown ? 'up' : 'unknown')] += length;
		for (const reason of reasons ?? []) this.#reasons.add(reason);
		if (isExcluded || !isDown) return;
		const isSame = this.#outage.to === from;
		if (!isSame) this.#outages += 1;
		this.#outage = { from: isSame ? this.#outage.from : from, to };
		this.#longest = Math.max(this.#longest, to - this.#outage.from);
	}

	/** The columns of Get Uptime. */
	figures(unknownAs: UnknownAs) {
		const [ms, excludedDown, excludedElse] = [this.#ms, this.#excludedDown, this.#excludedElse];
		const countedUnknown = this.#countedUnknown;
		const { unknown, up, ...down } = ms;
		const downMs = lengthsOf(Object.values(down));
		// In steps, so that each figure is less than a minute off, and the sums are exact.
		const [downMinutes = 0, unknownMinutes = 0, excludedMinutes = 0, upMinutes = 0] = wholeMinutes(
			[downMs, unknown, excludedDown + excludedElse],
			up,
		);
		const [offlineMinutes = 0, silentMinutes = 0, faultedMinutes = 0, unavailableMinutes = 0] =
			shared(
				downMinutes,
				DOWN_CAUSES.map((cause) => down[cause]),
			);
		const excludedOutageMinutes = Math.min(
			excludedMinutes,
			Math.ceil(excludedDown / MINUTE_MS),
			Math.max(
				Math.floor(excludedDown / MINUTE_MS),
				Math.floor((downMs + excludedDown) / MINUTE_MS) - downMinutes,
			),
		);
		return {
			uptimePercent: percentOf(
				up + (unknownAs === 'up' ? countedUnknown : 0),
				downMs + (unknownAs === 'down' ? countedUnknown : 0),
			),
			upMinutes,
			downMinutes,
			offlineMinutes,
			silentMinutes,
			faultedMinutes,
			unavailableMinutes,
			unknownMinutes,
			excludedMinutes,
			outages: this.#outages,
			longestOutageMinutes: Math.floor(this.#longest / MINUTE_MS),
			outageMinutes: downMinutes + excludedOutageMinutes,
			excludedOutageMinutes,
			exclusionReasons: [...this.#reasons],
			seconds: inSeconds({
				up,
				...down,
				unknown,
				excluded: excludedDown + excludedElse,
				outage: downMs + excludedDown,
				excludedOutage: excludedDown,
			}),
		};
	}
}

const inSeconds = <T extends string>(ms: Readonly<Record<T, number>>): Record<T, number> =>
	Object.fromEntries(
		Object.entries<number>(ms).map(([name, length]) => [name, length / 1000]),
	) as Record<T, number>;

/** Null if nothing counts. Rounded down to three digits: 96.9999 is not yet 97. */
const percentOf = (up: number, down: number): number | null =>
	up + down === 0 ? null : Math.floor((up * 100_000) / (up + down)) / 1000;

/** Whole minutes that add up to those of the whole: the largest remainders are rounded up, but never the time up. */
function wholeMinutes(others: readonly number[], up: number): number[] {
	const total = Math.floor((lengthsOf(others) + up) / MINUTE_MS);
	const most = others.reduce((sum, each) => sum + Math.ceil(each / MINUTE_MS), 0);
	const upMinutes = Math.max(Math.floor(up / MINUTE_MS), total - most);
	return [...shared(total - upMinutes, others), upMinutes];
}

const lengthsOf = (lengths: readonly number[]): number =>
	lengths.reduce((sum, each) => sum + each, 0);

/** Divides whole minutes among lengths in milliseconds: the largest remainders are rounded up. */
export function shared(minutes: number, lengths: readonly number[]): number[] {
	const whole = lengths.map((each) => Math.floor(each / MINUTE_MS));
	const rest = (n: number) => (lengths[n] ?? 0) % MINUTE_MS;
	const ranked = [...lengths.keys()].sort((a, b) => rest(b) - rest(a));
	const left = minutes - lengthsOf(whole);
	for (const n of ranked.slice(0, Math.max(0, left))) whole[n] = (whole[n] ?? 0) + 1;
	// One too many, where an exclusion took it: the smallest remainder gives it.
	const giver = left < 0 ? ranked.findLast((n) => (whole[n] ?? 0) > 0) : undefined;
	if (giver !== undefined) whole[giver] = (whole[giver] ?? 0) - 1;
	return whole;
}
