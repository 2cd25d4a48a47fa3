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
	/** Whether it may hold events that no poll has read; otherwise it is only looked through for events that were listed late. */
	isUnread: boolean(),
});

/** A record of a list that begins with the oldest event, to begin a reading at. */
const anchor = object({ id: string(), at: number() });

export const positionShape = object({
	/** Everything created up to then has been read. It never goes back. */
	knownUpTo: number(),
	/** When the newest event that was read was created, unless it is dated in the future. */
	newestAt: number(),
	/** Which event the list begins with; absent while that is unknown. */
	order: optional(oneOf(['newestFirst', 'oldestFirst'])),
	/** What is still to be read behind the newest event, the oldest first. */
	stretches: array(stretch),
	/** When each of the longer looks back last began, in the order of `LOOK_BACKS`. */
	lookedBackAt: array(number()),
	/** Only in a list that begins with the oldest event: by time, the last one is how far it was read. */
	trail: array(anchor),
	/** Only in such a list: whether the last record read is so old that nothing is listed near it any more. */
	isBehind: optional(boolean()),
});

export type Position = Readonly<output<typeof positionShape>>;
export type Stretch = Readonly<output<typeof stretch>>;
export type Anchor = Readonly<output<typeof anchor>>;

/** An event may appear in the list after newer ones, and clocks differ: each poll reads this far behind the newest event read before. */
export const OVERLAP_MS = 2 * MINUTE_MS;
/** How often a poll looks for events that were listed even later, by at most `backMs`: from so long before the last look on. */
export const LOOK_BACKS = [
	{ backMs: 10 * MINUTE_MS, everyMs: 10 * MINUTE_MS },
	{ backMs: HOUR_MS, everyMs: HOUR_MS },
	{ backMs: DAY_MS, everyMs: DAY_MS },
] as const;
/** Stretches with unread events; of more, the two oldest are joined, with what lies between them. */
export const MOST_UNREAD = 8;
/** The trail is as long as the longest look back reaches, and a little more. */
const LONGEST_TRAIL_MS = 3 * DAY_MS;

/** A position from which everything created after `knownUpTo` is read. */
export function positionAt(knownUpTo: number, now: number): Position {
	const lookedBackAt = LOOK_BACKS.map(() => now);
	return { knownUpTo, newestAt: knownUpTo, stretches: [], lookedBackAt, trail: [] };
}

const isUnread = (stretch: Stretch): boolean => stretch.isUnread;

/** When the oldest unread event may have been created; Infinity if everything up to the newest one has been read. */
export function unreadFrom({ stretches }: Position): number {
	return Math.min(Infinity, ...stretches.filter(isUnread).map(({ backTo }) => backTo));
}

/** Adds a stretch. Neighbors of its kind that touch are joined, and of too many the two oldest. */
export function withStretch(stretches: readonly Stretch[], added: Stretch): Stretch[] {
	const others = stretches.filter((each) => each.isUnread !== added.isUnread);
	const same = [...stretches.filter((each) => each.isUnread === added.isUnread), added];
	const apart: Stretch[] = [];
	for (const next of same.sort((a, b) => a.backTo - b.backTo)) {
		const last = apart.at(-1);
		if (last !== undefined && endOf(last) >= next.backTo)
			apart[apart.length - 1] = joined(last, next);
		else apart.push(next);
	}
	while (added.isUnread && apart.length > MOST_UNREAD) {
		const [first, second, ...rest] = apart;
		if (first && second) apart.splice(0, apart.length, joined(first, second), ...rest);
	}
	return [...others, ...apart].sort((a, b) => a.backTo - b.backTo);
}

const endOf = ({ by, upTo }: Stretch): number => upTo ?? by ?? Infinity;

/** One stretch from the older one's oldest event to the newer one's newest. */
function joined(older: Stretch, newer: Stretch): Stretch {
	const { isUnread, backTo, upTo } = older;
	// In a list that begins with the oldest event, it is read from its oldest event on.
	if (upTo !== undefined) return { ...older, upTo: Math.max(upTo, newer.upTo ?? upTo) };
	const { after, by } = endOf(newer) >= endOf(older) ? newer : older;
	return { after, by, backTo, isUnread };
}

/** The trail with the records read since: the older, the wider their distances. The first one stays, as far as it reaches. */
export function extendedTrail(trail: readonly Anchor[], read: readonly Anchor[]): Anchor[] {
	const all = [...trail, ...read];
	const newest = all.at(-1);
	if (newest === undefined) return [];
	const kept = [newest];
	for (const each of all.toReversed()) {
		const last = kept.at(-1) ?? newest;
		const isApart = last.at - each.at > (newest.at - each.at) / 8 || each === all[0];
		if (isApart && newest.at - last.at < LONGEST_TRAIL_MS) kept.push(each);
	}
	return kept.reverse();
}
