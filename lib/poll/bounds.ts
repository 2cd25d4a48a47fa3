/** How far a poll reads and how much it keeps. Times are in milliseconds. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** An event may appear in the list after newer ones, and clocks differ: each poll reads this far behind the newest event read before. */
export const OVERLAP_MS = 2 * MINUTE_MS;
/** How often a poll reads how far behind it, for events that appeared even later. */
export const LOOK_BACKS = [
	{ backMs: 10 * MINUTE_MS, everyMs: 10 * MINUTE_MS },
	{ backMs: HOUR_MS, everyMs: HOUR_MS },
	{ backMs: 24 * HOUR_MS, everyMs: 24 * HOUR_MS },
] as const;
/** Of these, what a poll adds to a reading that it cannot finish: catching up is not to wait for a whole day. */
export const LONGEST_WHILE_CATCHING_UP_MS = HOUR_MS;
/** Events that are started together, which limits the memory; then the poll reads on. */
export const MOST_AT_ONCE = 10_000;
/** Unfinished readings that are remembered; further ones are joined, and so read a part of the list again. */
export const MOST_WALKS = 6;
/** Events that are remembered one by one until they are settled; for further ones, the next poll reads the list back to them. */
export const MOST_OPEN = 200;
/** The service lists an event for 30 days (specification 6.6). */
export const LISTED_MS = 31 * 24 * HOUR_MS;
