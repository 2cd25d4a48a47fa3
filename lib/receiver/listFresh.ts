/** Finds in the event list what the ledger has not seen, oldest first, reading no more pages than it must. */
import { isError } from '../shared/thrown';
import { eventFromList, type ParsedEvent } from './event';

/**
 * What is known of an event before it is claimed: it is to be started (`fresh`), it was handed over and waits for its
 * run to begin (`waiting`), or there is nothing left to do (`done`).
 */
export type Knowledge = 'fresh' | 'waiting' | 'done';

export interface Sorting {
	readonly look: (event: ParsedEvent) => Promise<Knowledge>;
	readonly isWanted: (event: ParsedEvent) => boolean;
}

export interface ListingBounds {
	/** A run of so many known events ends the listing: behind a whole page of them there is nothing new. */
	readonly pageSize: number;
	/**
	 * Listing goes on at least to here (unix milliseconds; 0 for the end of the list), whatever is known: an event
	 * whose delivery failed may stand behind many that arrived. Events that tell no time set no such bound.
	 */
	readonly backTo: number;
	/** The most events to keep; beyond it the newest are left to the next poll. */
	readonly most?: number;
}

export interface Listing {
	/** Unknown and wanted, oldest first. */
	readonly fresh: readonly ParsedEvent[];
	/** The time of the newest event listed, in unix milliseconds. */
	readonly newestAt: number | undefined;
	/** The time of the oldest event that waits for its run to begin, in unix milliseconds. */
	readonly waitingSince: number | undefined;
	/** How many records had no id, and so could not be told apart. */
	readonly withoutId: number;
	/** Whether `fresh` holds all that is new. */
	readonly complete: boolean;
	/** Why the list could not be read further. */
	readonly failure: Error | undefined;
}

const MOST = 5000;

/**
 * Reads the list until a page's worth of events in a row is known, or it ends, or a page of it fails.
 * A list that turns out to be sorted oldest first is read to its end, as the new events stand there.
 * Throws what `look` throws: without the ledger nothing can be told.
 */
export async function listFresh(
	records: AsyncIterable<Record<string, unknown>>,
	{ look, isWanted }: Sorting,
	{ pageSize, backTo, most = MOST }: ListingBounds,
): Promise<Listing> {
	const fresh: ParsedEvent[] = [];
	let newestAt: number | undefined;
	let waitingSince: number | undefined;
	let firstAt: number | undefined;
	let ascending = false;
	let knownInARow = 0;
	let withoutId = 0;
	let complete = true;
	let failure: Error | undefined;

	const readable = untilFailure(records, (error) => {
		failure = isError(error) ? error : new Error(String(error));
		complete = false;
	});
	for await (const record of readable) {
		const parsed = eventFromList(record);
		if (!parsed.ok) {
			withoutId += 1;
			continue;
		}
		const { event } = parsed;
		const at = createdAt(event);
		firstAt ??= at;
		if (at !== undefined && firstAt !== undefined && at > firstAt) ascending = true;
		if (at !== undefined) newestAt = Math.max(newestAt ?? at, at);

		const isOld = at !== undefined && at < backTo;
		const knowledge = isWanted(event) ? await look(event) : undefined;
		if (knowledge === 'fresh') {
			knownInARow = 0;
			fresh.push(event);
			if (fresh.length > most) {
				complete = false;
				if (ascending) break;
				fresh.shift();
			}
		} else if (knowledge !== undefined || isOld) {
			knownInARow += 1;
			if (knowledge === 'waiting' && at !== undefined) {
				waitingSince = Math.min(waitingSince ?? at, at);
			}
		}
		const farEnough = at === undefined || isOld;
		if (knownInARow >= pageSize && farEnough && !ascending) break;
	}
	return {
		fresh: oldestFirst(fresh, ascending).slice(0, most),
		newestAt,
		waitingSince,
		withoutId,
		complete,
		failure,
	};
}

async function* untilFailure<T>(
	records: AsyncIterable<T>,
	onFailure: (error: unknown) => void,
): AsyncGenerator<T> {
	try {
		yield* records;
	} catch (error) {
		onFailure(error);
	}
}

/** The time of creation in unix milliseconds; undefined when the event tells none. */
export function createdAt({ record }: ParsedEvent): number | undefined {
	const value = record['createdAt'];
	const at = typeof value === 'string' ? Date.parse(value) : NaN;
	return Number.isNaN(at) ? undefined : at;
}

/** By time where every event tells it; else in the order of the list, turned round when it begins with the newest. */
function oldestFirst(events: readonly ParsedEvent[], ascending: boolean): ParsedEvent[] {
	const inOrder = ascending ? [...events] : events.toReversed();
	if (inOrder.some((event) => createdAt(event) === undefined)) return inOrder;
	return inOrder.sort((a, b) => (createdAt(a) ?? 0) - (createdAt(b) ?? 0));
}
