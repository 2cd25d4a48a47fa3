/** The record of a station trigger next to its shards: what it watches, and up to when everything is known. Times are in Unix milliseconds. */
import type { Records } from '../ledger';
import { jsonIn } from '../shared/values';
import { boolean, number, object, optional, safeParse, string, type output } from '../vendor/zod';

const head = object({
	/** `digestOf` the settings: other settings are a new publication. */
	digest: string(),
	/** What began up to then is not reported. */
	publishedAt: number(),
	/** Everything up to here is known; 0 before the first whole walk. */
	watermark: number(),
	/** Events created before have been listed: polls read back to here. */
	frontier: number(),
	/** What opened and ended up to then was reported, although the ledger does not know it. */
	toldUntil: optional(number()),
	/** When polls last read further back. */
	deepAt: number(),
	deepestAt: number(),
	/** The position of a walk that was too long for one poll. */
	walk: optional(
		object({
			cursor: string(),
			backTo: number(),
			/** How far the polls of the walk have read from the newest event. */
			readFrom: number(),
			isOldestFirst: boolean(),
		}),
	),
	/** In a list that begins with the oldest: the ID of a record older than any that a poll looks for. */
	anchor: optional(string()),
	/** Incidents of unlisted stations that opened on this day. */
	unlisted: object({ day: number(), count: number() }),
});

export type Head = Readonly<output<typeof head>>;

interface Remembered {
	readonly text: string | undefined;
	readonly head: Head | undefined;
}

export async function readHead(records: Records, key: string): Promise<Remembered> {
	const text = await records.readRecord(key);
	return { text, head: safeParse(head, jsonIn(text ?? '')).data };
}

/** What is kept outside the ledger, in case that loses its data. */
export interface KnownUntil {
	readonly digest: string;
	readonly publishedAt: number;
	readonly watermark: number;
}

export interface Memory {
	read(): KnownUntil | undefined;
	write(known: KnownUntil): void;
}

export interface Publication {
	readonly digest: string;
	readonly publishedAt: number;
	readonly now: number;
	readonly catchUpMs: number;
	/** What a lost ledger knew. */
	readonly lost?: KnownUntil | undefined;
	/** Of other settings. */
	readonly before?: Head | undefined;
}

/** The head that a trigger begins with. */
export function firstHead(publication: Publication): Head {
	const { digest, publishedAt, now, catchUpMs, lost, before } = publication;
	return {
		...{ digest, watermark: 0, frontier: now - catchUpMs },
		publishedAt: lost?.publishedAt ?? publishedAt,
		...(lost !== undefined && { toldUntil: lost.watermark }),
		...{ deepAt: now, deepestAt: now },
		unlisted: before?.unlisted ?? { day: 0, count: 0 },
	};
}
