/** The state that a poll trigger saves between polls: a record of the ledger. All times are in Unix milliseconds. */
import type { Records } from '../ledger';
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

const startFrom = oneOf(['now', 'retained']);

/** A part of the list that is still to be read. */
const unfinished = object({
	/** The ID of the record after which it continues; absent for the head of the list. */
	cursor: optional(string()),
	/** By when the events after that were created, if the list says so. */
	by: optional(number()),
	/** It ends at events created before this time. */
	backTo: number(),
	/** In a list that begins with the oldest event, it ends at events created after this time. */
	upTo: optional(number()),
	/** Present if it may contain events that no poll has read: they were created at this time or later. */
	holdsAt: optional(number()),
});

/** An event that has not begun, or may have to be repeated. */
const openEvent = object({
	id: string(),
	/** When it was created, or by when if it does not say. */
	at: number(),
	/** The ID of the record before it in the list; absent at the head. */
	place: optional(string()),
	hasBegun: boolean(),
});

/** A record in a list that begins with the oldest event, to begin a reading at. */
const anchor = object({ id: string(), at: number() });

const pollState = object({
	/** The parameter's value at the time: a different choice starts a new state. */
	startFrom,
	/** Events created before never start, unless the ledger knows them as stored; 0 for no such bound. */
	publishedAt: number(),
	/** Which events the trigger wants, as text. */
	wanted: string(),
	/** The newest event read when that last changed: older ones may have been filtered out. */
	wantedSince: number(),
	/** Events created before have been listed and settled; 0 before the first complete walk. */
	frontier: number(),
	/** The newest event that has been read, and is not dated in the future. */
	readTo: number(),
	/** How many polls have started events: a ledger that knows of fewer than n8n is an old copy. */
	polls: number(),
	/** When each of the deeper readings last began, in the order of `LOOK_BACKS`. */
	lookedBackAt: array(number()),
	/** The oldest comes first. */
	walks: array(unfinished),
	open: array(openEvent),
	/** The time of the oldest open event that `open` has no room for. */
	openAt: optional(number()),
	/** Only in a list that begins with the oldest event: by time, the last one is how far it was read. */
	trail: optional(array(anchor)),
	/** Only in a list without times: the ID of a record from which on everything has been listed and settled. */
	knownFrom: optional(string()),
});

export type PollState = Readonly<output<typeof pollState>>;
export type Unfinished = output<typeof unfinished>;
export type OpenEvent = output<typeof openEvent>;
export type Anchor = output<typeof anchor>;

export interface Remembered {
	/** The record as stored; undefined for none. */
	readonly text: string | undefined;
	/** Undefined for no record, and for one that cannot be read or is not this process's. */
	readonly state: PollState | undefined;
}

export async function readState(records: Records, key: string): Promise<Remembered> {
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
	{ text }: Remembered,
	state: PollState,
): Promise<Remembered> {
	const next = JSON.stringify(state);
	const isWritten = next === text || (await records.swapRecord(key, text, next));
	return { text: next, state: isWritten ? state : undefined };
}
