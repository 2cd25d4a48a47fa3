/** How far back a poll reads, and the state that it saves afterwards. */
import { createdAt, type ParsedEvent } from '../event';
import { LOOK_BACK_EVERY_MS, LOOK_BACK_MS, OVERLAP_MS } from './bounds';
import type { End, Listing } from './listing';
import type { PollState } from './state';

interface Reading {
	readonly end: End;
	/** The walk that this poll began or continued ends at events created before this time. */
	readonly backTo: number;
	readonly lookedBackAt: number;
}

/** Reads the new events, then the rest of an unfinished walk. Throws the errors of `Listing.read`. */
export async function readStretches(
	listing: Listing,
	{ frontier, lookedBackAt, walk, anchor }: PollState,
	polledAt: number,
): Promise<Reading> {
	if (walk !== undefined) {
		const { cursor, backTo } = walk;
		const end = walk.isOldestFirst
			? 'whole'
			: await listing.read({ after: undefined, backTo: walk.readFrom - OVERLAP_MS });
		const rest = { after: cursor, backTo };
		return { end: end === 'whole' ? await listing.read(rest) : end, backTo, lookedBackAt };
	}
	// Setting the clock back does not delay the look-back.
	const isLookBack = Math.abs(polledAt - lookedBackAt) >= LOOK_BACK_EVERY_MS;
	const backTo = Math.min(frontier - OVERLAP_MS, isLookBack ? polledAt - LOOK_BACK_MS : Infinity);
	const end = await listing.read({ after: anchor, backTo });
	return { end, backTo, lookedBackAt: isLookBack ? polledAt : lookedBackAt };
}

interface Outcome extends Reading {
	/** Events that were to start and are not settled. */
	readonly open: readonly ParsedEvent[];
	readonly polledAt: number;
}

/** The time of the oldest event that was read and is not settled; Infinity for none. */
export function oldestUnsettled(listing: Listing, open: readonly ParsedEvent[]): number {
	const openAt = open.map((event) => createdAt(event) ?? Infinity);
	return openAt.reduce((oldest, at) => Math.min(oldest, at), listing.waitingAt ?? Infinity);
}

/** Undefined if the next poll has to read as far as this one. */
export function nextState(
	listing: Listing,
	state: PollState,
	{ end, backTo, lookedBackAt, open, polledAt }: Outcome,
): PollState | undefined {
	const { walk, anchor, ...kept } = state;
	const expectsOldestFirst = walk?.isOldestFirst ?? anchor !== undefined;
	const isTurned = expectsOldestFirst && listing.isOldestFirst === false;
	// Start again at the head: the record to continue from is gone, or the list is now sorted differently.
	if (listing.isCursorRefused || isTurned) return kept;
	if (end === 'failed') return undefined;

	const unsettledAt = Math.min(walk?.unsettledAt ?? Infinity, oldestUnsettled(listing, open));
	const readFrom = Math.max(state.frontier, walk?.readFrom ?? 0, listing.newestAt ?? 0);
	const frontier = Math.min(unsettledAt, readFrom, polledAt);
	const neededFrom = Math.min(frontier, polledAt - LOOK_BACK_MS) - OVERLAP_MS;
	const nextAnchor = listing.isOldestFirst ? (listing.lastBefore(neededFrom) ?? anchor) : anchor;
	const next = { ...kept, lookedBackAt, ...(nextAnchor !== undefined && { anchor: nextAnchor }) };
	if (end === 'whole') return { ...next, frontier };
	const { cursor } = listing;
	if (cursor === undefined) return undefined;
	return {
		...next,
		walk: {
			...{ cursor, backTo, readFrom, isOldestFirst: listing.isOldestFirst === true },
			...(unsettledAt < Infinity && { unsettledAt }),
		},
	};
}
