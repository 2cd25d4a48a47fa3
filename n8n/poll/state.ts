/** What a poll trigger remembers between polls: how far back it has read, so that the next poll can end there. */
import type { Records } from '../../lib/ledger';
import { jsonIn } from '../../lib/shared/values';
import {
	enum as oneOf,
	number,
	object,
	optional,
	safeParse,
	type output,
} from '../../lib/vendor/zod';

/** All times are in unix milliseconds. */
const pollState = object({
	/** The parameter's value at the time: another choice starts a new state. */
	startFrom: oneOf(['now', 'retained']),
	/** The newest event when the trigger was first published with "now"; 0 when it tells no time. */
	baselineAt: number(),
	/** The newest event of the last whole poll; 0 before it. */
	newestAt: number(),
	/** The oldest event that waited for its run to begin at the last whole poll. */
	waitingSince: optional(number()),
});

type PollState = Readonly<output<typeof pollState>>;

interface Remembered {
	/** The record as it is kept; undefined for none. */
	readonly text: string | undefined;
	/** Undefined for none, and for a record that cannot be read. */
	readonly state: PollState | undefined;
}

export async function readState(records: Records, key: string): Promise<Remembered> {
	const text = await records.readRecord(key);
	const state = text === undefined ? undefined : safeParse(pollState, jsonIn(text)).data;
	return { text, state };
}

/**
 * Replaces what was remembered by `state`, and answers what is remembered from then on.
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
