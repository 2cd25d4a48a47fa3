/** Finds in the event list what the ledger has not seen, oldest first, reading no more pages than it must. */
import { ListOrder } from '../shared/listOrder';
import { isError } from '../shared/thrown';
import { createdAt, eventFromList, oldestFirst, type ParsedEvent } from './event';

/**
 * What is known of an event before it is claimed: nobody started it (`fresh`), it was handed over and waits for its run
 * to begin (`waiting`), or there is nothing left to do (`done`).
 */
export type Knowledge = 'fresh' | 'waiting' | 'done';

interface Sorting {
	readonly look: (event: ParsedEvent) => Promise<Knowledge>;
	readonly isWanted: (event: ParsedEvent) => boolean;
}

export interface ListingBounds {
	/** This many known events in a row end the listing: behind a whole page of them there is nothing new. */
	readonly pageSize: number;
	/**
	 * How far back to read (unix milliseconds; 0 for the end of the list), whatever is known: an event whose delivery
	 * failed may stand behind many that arrived. Where events tell no time there is no such bound.
	 */
	readonly backTo: number;
	/** The most events to answer; the newest beyond it are left to the next poll. */
	readonly most?: number;
}

interface Listing {
	/** Unknown and wanted, oldest first. */
	readonly fresh: readonly ParsedEvent[];
	/** The time of the newest event listed, in unix milliseconds. */
	readonly newestAt: number | undefined;
	/** The time of the oldest event that waits for its run to begin, in unix milliseconds. */
	readonly waitingSince: number | undefined;
	/** How many records had no id, without which events cannot be told apart. */
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
 * Throws what `look` throws: without the ledger nobody knows what is new.
 */
export async function listFresh(
	records: AsyncIterable<Record<string, unknown>>,
	{ look, isWanted }: Sorting,
	{ pageSize, backTo, most = MOST }: ListingBounds,
): Promise<Listing> {
	const events = new ListedEvents(records);
	const order = new ListOrder();
	const fresh: ParsedEvent[] = [];
	let isCut = false;
	let knownInARow = 0;
	let waitingSince: number | undefined;

	for await (const event of events) {
		const at = createdAt(event);
		order.learnFrom(at);
		const isOld = at !== undefined && at < backTo;
		const knowledge = isWanted(event) ? await look(event) : undefined;
		if (knowledge === 'fresh') {
			knownInARow = 0;
			fresh.push(event);
			isCut ||= fresh.length > most;
			if (isCut && order.isAscending) break;
			// The newest come first: the oldest are kept.
			if (fresh.length > most) fresh.shift();
		} else if (knowledge !== undefined || isOld) {
			knownInARow += 1;
		}
		if (knowledge === 'waiting' && at !== undefined)
			waitingSince = Math.min(waitingSince ?? at, at);
		const isFarEnough = at === undefined || isOld;
		if (knownInARow >= pageSize && isFarEnough && !order.isAscending) break;
	}
	return {
		fresh: sorted(fresh, order).slice(0, most),
		newestAt: order.newestAt,
		waitingSince,
		withoutId: events.withoutId,
		complete: !isCut && events.failure === undefined,
		failure: events.failure,
	};
}

/** The events of the list, up to where it fails; records without an id are left out and counted. */
class ListedEvents {
	withoutId = 0;
	failure: Error | undefined;

	constructor(private readonly records: AsyncIterable<Record<string, unknown>>) {}

	async *[Symbol.asyncIterator](): AsyncGenerator<ParsedEvent> {
		try {
			for await (const record of this.records) {
				const parsed = eventFromList(record);
				if (parsed.ok) yield parsed.event;
				else this.withoutId += 1;
			}
		} catch (error) {
			this.failure = isError(error) ? error : new Error(String(error));
		}
	}
}

/** By time where every event tells it; else in the order of the list, reversed when it begins with the newest. */
function sorted(events: readonly ParsedEvent[], { isAscending }: ListOrder): ParsedEvent[] {
	return oldestFirst(isAscending ? events : events.toReversed());
}
