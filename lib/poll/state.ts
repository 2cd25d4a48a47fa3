/** The state that a poll trigger saves between polls: a record of the ledger. All times are in Unix milliseconds. */
import type { Records } from '../ledger';
import { jsonIn } from '../shared/values';
import {
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

const pollState = object({
	/** The parameter's value at the time: a different choice starts a new state. */
	startFrom,
	/** Events created before never start, unless the ledger knows them as stored; 0 for no such bound. */
	publishedAt: number(),
	/** Events created before have been listed and settled; 0 before the first complete walk. */
	frontier: number(),
	/** How many polls have started events: a ledger that knows of fewer than n8n is an old copy. */
	polls: number(),
	/** When a poll last began to read a day back. */
	lookedBackAt: number(),
	/** The position of a walk that was too long for one poll. */
	walk: optional(
		object({
			/** The ID of the record after which it continues. */
			cursor: string(),
			isOldestFirst: boolean(),
			/** It ends at events created before this time. */
			backTo: number(),
			/** How far the polls of the walk have read from the newest event: the next one first reads back to there. */
			readFrom: number(),
			/** The oldest event read so far that is not settled. */
			unsettledAt: optional(number()),
		}),
	),
	/** When a person requested the latest Replay that was handled. */
	replayedAt: optional(number()),
	/** In a list that begins with the oldest: the ID of a record older than any event that a poll looks for. */
	anchor: optional(string()),
});

export type PollState = Readonly<output<typeof pollState>>;

interface Remembered {
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
