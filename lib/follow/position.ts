/**
 * How far a list of events has been read: the position that a caller of `follow` saves between polls. Times are in Unix
 * milliseconds.
 */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../shared/time';
import {
	array,
	boolean,
	enum as oneOf,
	number,
	object,
	optional,
	string,
	type output,
} from '../vendor/zod';

const stretch = object({
	/** The ID of the record to continue after; absent for the record that the newest reading ended at. */
	after: optional(string()),
	/** By when the events after that record were created, if the list says so. */
	by: optional(number()),
	/** It ends at events created before this time. */
	backTo: number(),
	/** In a list that begins with the oldest event, it ends at events created after this time. */
	upTo: optional(number()),
	/**
	 * `unread`: it may hold events that no poll has read. `again`: the caller wants to see it again. `look`: it is looked through
	 * for events that were listed late, once nothing else is left to read.
	 */
	kind: oneOf(['unread', 'again', 'look']),
	/** Of an unread one: what was created up to then was read before, and here are those that were listed late. */
	lateTo: optional(number()),
	/** Only in a list that begins with the newest event: from its end back to this time, there is a look back to be made. */
	lookTo: optional(number()),
});

/** A record of a list that begins with the oldest event, to begin a reading at. */
const anchor = object({ id: string(), at: number() });

/** The last look back of a length. */
const lastLook = object({
	/** When it was due, by n8n's clock. */
	at: number(),
	/** The next one begins with events created then: what was created before was listed by `at`, unless it was later than that. */
	from: number(),
	/** In a list that begins with the oldest event, the ID of the record to begin that one after. */
	after: optional(string()),
});

export const positionShape = object({
	/** Everything created up to then has been read. It never goes back. */
	knownUpTo: number(),
	/** When the newest event that was read was created, unless it is dated in the future. */
	newestAt: number(),
	/** Which event the list begins with; absent while that is unknown. */
	order: optional(oneOf(['newestFirst', 'oldestFirst'])),
	/** What is still to be read behind the newest event, the oldest first. */
	stretches: array(stretch),
	/** The last look back of each length, in the order of `LOOKS`; none before the first poll. */
	looks: array(lastLook),
	/** Only in a list that begins with the oldest event: by time, the last one is how far it was read. */
	trail: array(anchor),
	/** Only in such a list: whether the last record read is so old that nothing is listed near it any more. */
	isBehind: optional(boolean()),
});

export type Position = Readonly<output<typeof positionShape>>;
export type Stretch = Readonly<output<typeof stretch>>;
export type Anchor = Readonly<output<typeof anchor>>;
export type LastLook = Readonly<output<typeof lastLook>>;

/** An event may appear in the list after newer ones, and clocks differ: each poll reads this far behind the newest event read before. */
export const OVERLAP_MS = 2 * MINUTE_MS;
/**
 * Looks back for events that were listed even later: each begins `lateMs` before the last one of its length, so it surely finds
 * what was listed at most so late, whenever that was.
 */
export const LOOKS = [
	{ lateMs: 10 * MINUTE_MS, everyMs: HOUR_MS },
	{ lateMs: HOUR_MS, everyMs: DAY_MS },
] as const;
/** Stretches with unread events; of more, the two oldest are joined, with what lies between them. */
export const MOST_UNREAD = 8;
/** The same for looks back, of which a service may be too slow to finish one before the next. */
const MOST_LOOKS = 4;
/** What is older is of no use: the place of the next look back is kept by itself. */
const LONGEST_TRAIL_MS = DAY_MS;
/** Two records of the trail are at most this part of their age apart: of fewer, each poll would read a page more behind the new events. */
const MARKS = 12;

/** A position from which everything created after `knownUpTo` is read. */
export function positionAt(knownUpTo: number): Position {
	return { knownUpTo, newestAt: knownUpTo, stretches: [], looks: [], trail: [] };
}

/** When the oldest unread event may have been created; Infinity if everything up to the newest one has been read. */
export function unreadFrom({ stretches }: Position): number {
	const unread = stretches.filter(({ kind }) => kind === 'unread');
	return Math.min(Infinity, ...unread.map(({ backTo }) => backTo));
}

/** Whether no poll has read an event of that time, as far as the position knows. */
export function isUnread({ stretches }: Position, { id, at }: Anchor): boolean {
	return stretches.some(
		({ kind, after, by = Infinity, backTo, upTo = by, lateTo = -Infinity }) =>
			kind === 'unread' && id !== after && at >= backTo && at > lateTo && at <= upTo,
	);
}

/** By kind. */
const MOST: Readonly<Record<Stretch['kind'], number>> = {
	unread: MOST_UNREAD,
	look: MOST_LOOKS,
	again: Infinity,
};

/** Adds a stretch. Neighbors of its kind that touch are joined, and of too many the two oldest. */
export function withStretch(stretches: readonly Stretch[], added: Stretch): Stretch[] {
	const { kind } = added;
	const others = stretches.filter((each) => each.kind !== kind);
	const same = [...stretches.filter((each) => each.kind === kind), added];
	let apart: Stretch[] = [];
	for (const next of same.sort(byAge)) {
		const known = apart.findIndex((each) => isSamePlace(each, next));
		if (known >= 0) {
			apart = apart.map((each, n) => (n === known ? joined(each, next) : each));
			continue;
		}
		const last = apart.at(-1);
		const isTouched = last !== undefined && endOf(last) >= next.backTo;
		apart = isTouched ? [...apart.slice(0, -1), ...together(last, next)] : [...apart, next];
	}
	while (apart.length > MOST[kind]) {
		const [first, second, ...rest] = apart;
		if (first && second) apart = [joined(first, second), ...rest];
	}
	return [...others, ...apart].sort(byAge);
}

const byAge = (a: Stretch, b: Stretch): number => a.backTo - b.backTo;
const endOf = ({ by, upTo }: Stretch): number => upTo ?? by ?? Infinity;

/** Two stretches that touch. */
function together(older: Stretch, newer: Stretch): Stretch[] {
	const { upTo } = older;
	if (isSameTime(older, newer)) return apartAtBegin(older, newer);
	if (older.kind !== 'look' || upTo === undefined) return [joined(older, newer)];
	// Of two looks back that begin with their oldest events, the shorter one need not wait for the longer one.
	const rest = older.backTo < newer.backTo ? [{ ...older, upTo: newer.backTo }] : [];
	return [...rest, { ...newer, upTo: Math.max(upTo, newer.upTo ?? upTo) }];
}

/** Whether they begin with events of the same time, at different places: which of them is first in the list, the times don't say. */
const isSameTime = (a: Stretch, b: Stretch): boolean =>
	a.kind !== 'look' && a.after !== b.after && beginOf(a) === beginOf(b);
const isSamePlace = (a: Stretch, b: Stretch): boolean =>
	a.kind !== 'look' && a.after === b.after && beginOf(a) === beginOf(b);
const beginOf = (stretch: Stretch): number =>
	stretch.upTo === undefined ? endOf(stretch) : stretch.backTo;

/** Both, but of the second one only the events of the time that it begins with. */
function apartAtBegin(older: Stretch, newer: Stretch): Stretch[] {
	const { after, by } = older;
	const begin = beginOf(newer);
	const only = newer.upTo === undefined ? { backTo: begin } : { upTo: begin };
	return [
		{ ...joined(older, newer), after, by },
		{ ...newer, ...only, lookTo: undefined },
	];
}

/** One stretch from the older one's oldest event to the newer one's newest. */
function joined(older: Stretch, newer: Stretch): Stretch {
	const { kind, backTo, upTo } = older;
	const readTo = Math.min(older.lateTo ?? backTo, newer.lateTo ?? newer.backTo - 1);
	const lateTo = readTo > backTo ? readTo : undefined;
	// In a list that begins with the oldest event, it is read from its oldest event on.
	if (upTo !== undefined) return { ...older, upTo: Math.max(upTo, newer.upTo ?? upTo), lateTo };
	const { after, by } = endOf(newer) >= endOf(older) ? newer : older;
	const lookTo = Math.min(older.lookTo ?? Infinity, newer.lookTo ?? Infinity);
	const isSeen = lookTo >= backTo;
	return { after, by, backTo, kind, lookTo: isSeen ? undefined : lookTo, lateTo };
}

/**
 * The trail with the records read since, of which those are left out whose neighbors are near: the older, the wider the
 * distances, however often that is done. The first one stays, as far as it reaches.
 */
export function extendedTrail(trail: readonly Anchor[], read: readonly Anchor[]): Anchor[] {
	const [newest, ...older] = [...trail, ...read].reverse();
	if (newest === undefined) return [];
	const kept = [newest];
	for (const [n, each] of older.entries()) {
		const last = kept.at(-1) ?? newest;
		if (newest.at - last.at >= LONGEST_TRAIL_MS) break;
		const next = older[n + 1];
		const isNeeded = next === undefined || last.at - next.at > (newest.at - next.at) / MARKS;
		if (isNeeded) kept.push(each);
	}
	return kept.reverse();
}
