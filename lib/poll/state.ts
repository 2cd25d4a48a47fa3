/** The state that a poll trigger saves between polls: a record of the ledger. All times are in Unix milliseconds. */
import { placeOf, positionShape, type Stretch, unreadFrom, withStretch } from '../follow';
import type { Records } from '../ledger';
import { DAY_MS } from '../shared/time';
import { jsonIn } from '../shared/values';
import {
	array,
	boolean,
	enum as oneOf,
	number,
	object,
	optional,
	safeParse,
	string,
	type output,
} from '../vendor/zod';

export type StartFrom = 'now' | 'retained';

/** An event that has not begun, or may have to be repeated. */
const openEvent = object({
	id: string(),
	/** When it was created, or by when if it does not say. */
	at: number(),
	/** The ID of the record before it in the list; absent at the head. */
	place: optional(string()),
	hasBegun: boolean(),
});

const pollState = object({
	/** The parameter's value at the time: a different choice starts a new state. */
	startFrom: oneOf(['now', 'retained']),
	/** Events created before never start, unless the ledger knows them as stored; 0 for no such bound. */
	publishedAt: number(),
	/** Which events the trigger wants, as text. */
	wanted: string(),
	/** The newest event read when that last changed: older ones may have been filtered out. */
	wantedSince: number(),
	/** Events created before have been listed and settled; 0 before the list was read for the first time. */
	frontier: number(),
	/** How many polls have started events: a ledger that knows of fewer than n8n is an old copy. */
	polls: number(),
	/** How far the list was read. */
	position: positionShape,
	open: array(openEvent),
	/** Only in a list without times: the ID of a record from which on everything has been listed and settled. */
	knownFrom: optional(string()),
	/** The same, but stretches may be unread below. */
	readFrom: optional(string()),
});

export type PollState = Readonly<output<typeof pollState>>;
export type OpenEvent = output<typeof openEvent>;

/** Events that are remembered one by one until they are settled; to further ones, the list is read again. */
export const MOST_OPEN = 200;
/** The service lists an event for 30 days (specification 6.6). */
const LISTED_MS = 31 * DAY_MS;

export interface Saved {
	/** The record as stored; undefined for none. */
	readonly text: string | undefined;
	/** Undefined for no record, and for one that cannot be read or is not this process's. */
	readonly state: PollState | undefined;
}

export async function readState(records: Records, key: string): Promise<Saved> {
	const text = await records.readRecord(key);
	return { text, state: safeParse(pollState, jsonIn(text ?? '')).data };
}

/**
 * Saves `state` and returns what is saved from then on; no state if another process wrote in between, which wins: it polled as
 * well.
 */
export async function writeState(
	records: Records,
	key: string,
	{ text }: Saved,
	state: PollState,
): Promise<Saved> {
	const next = JSON.stringify(state);
	const isWritten = next === text || (await records.swapRecord(key, text, next));
	return { text: next, state: isWritten ? state : undefined };
}

/** The state with these open events, and the frontier that follows. */
export function settled(state: PollState, all: Iterable<OpenEvent>, polledAt: number): PollState {
	const sorted = [...all].filter(({ at }) => at > polledAt - LISTED_MS).sort((a, b) => a.at - b.at);
	const isOldestFirst = state.position.order === 'oldestFirst';
	const further = stretchOf(sorted.slice(MOST_OPEN), { isOldestFirst, isUnread: true });
	const stretches = further.reduce(withStretch, state.position.stretches);
	const position = { ...state.position, stretches };
	const next = { ...state, position, open: sorted.slice(0, MOST_OPEN) };
	return { ...next, frontier: Math.max(state.frontier, Math.min(polledAt, unsettledAt(next))) };
}

/** The oldest time that may belong to an event that has not begun; otherwise the newest one listed. */
export function unsettledAt({ position, open }: PollState): number {
	const notBegun = open.flatMap(({ hasBegun, at }) => (hasBegun ? [] : [at]));
	return Math.min(position.newestAt, unreadFrom(position), ...notBegun);
}

/** The part of the list that holds the events, from the first one on; nothing for no events. */
export function stretchOf(
	events: readonly OpenEvent[],
	{ isOldestFirst, isUnread }: { readonly isOldestFirst: boolean; readonly isUnread: boolean },
): Stretch[] {
	const byTime = [...events].sort((a, b) => a.at - b.at);
	const [oldest, newest] = [byTime[0], byTime.at(-1)];
	if (oldest === undefined || newest === undefined) return [];
	const first = isOldestFirst ? oldest : newest;
	const place = placeOf({ cursor: first.place, by: first.at });
	return [{ ...place, backTo: oldest.at, ...(isOldestFirst && { upTo: newest.at }), isUnread }];
}
