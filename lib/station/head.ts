/** The record of a station trigger next to its shards: what it watches, and how far the list was read. Times are in Unix milliseconds. */
import { positionShape } from '../follow';
import type { Records } from '../ledger';
import { jsonIn } from '../shared/values';
import { number, object, optional, safeParse, string, type output } from '../vendor/zod';

const head = object({
	/** `digestOf` the settings: other settings are a new publication. */
	digest: string(),
	/** Of the publication: shards of a later one are not changed by a poll of an earlier one that is still on its way. */
	generation: number(),
	/** What began up to then is not reported. */
	publishedAt: number(),
	/** How far the list was read. */
	position: positionShape,
	/** What is still to be read of the past before the publication: created from then up to then. A later look back may reach as far. */
	past: optional(object({ from: number(), upTo: number() })),
	/** What opened and ended up to then was reported, although the ledger does not know it. */
	toldUntil: optional(number()),
	/** How many polls have reported something: a ledger that knows of fewer than n8n is an old copy. */
	polls: number(),
	/** Incidents of unlisted stations that opened on this day. */
	unlisted: object({ day: number(), count: number() }),
});

export type Head = Readonly<output<typeof head>>;

interface SavedHead {
	readonly text: string | undefined;
	readonly head: Head | undefined;
}

export async function readHead(records: Records, key: string): Promise<SavedHead> {
	const text = await records.readRecord(key);
	return { text, head: safeParse(head, jsonIn(text ?? '')).data };
}
