/** What a poll trigger remembers between polls: a record of the ledger. All times are in unix milliseconds. */
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
	/** The parameter's value at the time: another choice starts a new state. */
	startFrom,
	/** What was created before never starts, unless the ledger knows it as stored; 0 for no such bound. */
	publishedAt: number(),
	/** What was created before has been listed and settled; 0 before the first whole walk. */
	frontier: number(),
	/** When a poll last began to read a day back. */
	lookedBackAt: number(),
	/** Where a walk stands that was too long for one poll. */
	walk: optional(
		object({
			/** The ID of the record after which it continues. */
			cursor: string(),
			isOldestFirst: boolean(),
			/** It ends at what was created before. */
			backTo: number(),
			/** How far the polls of the walk have read from the newest event: the next one reads back to there first. */
			readFrom: number(),
			/** The oldest event that it met and that is not settled. */
			unsettledAt: optional(number()),
		}),
	),
	/** When a person asked for the latest Replay that was taken up. */
	replayedAt: optional(number()),
	/** In a list that begins with the oldest: the ID of a record that is older than anything a poll looks for. */
	anchor: optional(string()),
});

export type PollState = Readonly<output<typeof pollState>>;

/** The form up to version 1.0: `newestAt` is the newest event of the last whole poll, whenever it was dated. */
const oldState = object({
	startFrom,
	baselineAt: number(),
	newestAt: number(),
	waitingSince: optional(number()),
});

interface Remembered {
	/** The record as it is kept; undefined for none. */
	readonly text: string | undefined;
	/** Undefined for none, and for a record that cannot be read. */
	readonly state: PollState | undefined;
}

export async function readState(records: Records, key: string, now: number): Promise<Remembered> {
	const text = await records.readRecord(key);
	const kept = text === undefined ? undefined : jsonIn(text);
	const state = safeParse(pollState, kept).data ?? migrated(safeParse(oldState, kept).data, now);
	return { text, state };
}

function migrated(old: output<typeof oldState> | undefined, now: number): PollState | undefined {
	if (old === undefined) return undefined;
	const { baselineAt, newestAt, waitingSince = Infinity } = old;
	return {
		startFrom: old.startFrom,
		// An event that was dated ahead does not keep out those created since.
		publishedAt: Math.min(baselineAt, now),
		frontier: Math.min(newestAt, waitingSince, now),
		lookedBackAt: 0,
	};
}

/**
 * Replaces what was remembered by `state` and returns what is remembered from then on.
 * Another process that wrote in between wins: it polled as well, and the ledger keeps each event to one run.
 */
export async function writeState(
	records: Records,
	key: string,
	{ text }: Remembered,
	state: PollState,
): Promise<Remembered> {
	const next = JSON.stringify(state);
	if (next !== text) await records.swapRecord(key, text, next);
	return { text: next, state };
}
