/**
 * Reads the list for one poll, and moves the watermark: everything up to it is known, so a state that lasts until then has
 * lasted, and one that is over by then has ended. Only a reading without a hole, from the newest event back to the
 * frontier, moves it. A long range is spread over several polls, which use what they read at once.
 */
import type { ApiClient } from '../service';
import { type Listed, walk, type Walked } from '../walk';
import { GRACE_MS, HOUR_MS, MINUTE_MS, type StationSettings } from './common/settings';
import { type Reading as FactsOf, readFacts, type EventFacts } from './facts';
import { isWatched } from './fold/station';
import type { Head } from './head';

/** As many as the service allows. */
const PAGE_SIZE = 100;
/** An event may appear in the list after newer ones: how far each poll reads behind the frontier, */
const OVERLAP_MS = 2 * MINUTE_MS;
/** how far back and how often some polls read, */
const DEEP_MS = 10 * MINUTE_MS;
/** and how far back and how often few do. */
const DEEPEST_MS = HOUR_MS;
/** Unknown words that a poll names. */
const MOST_WORDS = 5;
/** The service's `Date` header has whole seconds. */
const SECOND_MS = 1_000;

export interface Source {
	readonly client: Pick<ApiClient, 'list'>;
	/** Called before each request but the first; false ends the reading. */
	readonly mayRequest: () => boolean;
	/** By n8n's clock, in Unix milliseconds. */
	readonly now: number;
}

/** What a poll has read so far. */
export class Readings {
	readonly events: EventFacts[] = [];
	unreadable = 0;
	undated = 0;
	/** Words for a connection that are in neither list: the first few. */
	readonly unknownWords = new Set<string>();
	/** By the service's clock, otherwise by n8n's. */
	serviceNow: number;
	newestAt: number | undefined;
	readonly #isDated = { isKnown: false };
	readonly #settings: StationSettings;

	constructor({ now }: Source, settings: StationSettings) {
		this.serviceNow = now;
		this.#settings = settings;
	}

	onDate(date: number): void {
		if (!this.#isDated.isKnown) this.serviceNow = date;
		this.#isDated.isKnown = true;
	}

	add({ event, at }: Listed): void {
		if (at !== undefined && at <= this.serviceNow + SECOND_MS) {
			this.newestAt = Math.max(this.newestAt ?? at, at);
		}
		const read: FactsOf = readFacts(event, this.serviceNow, this.#settings);
		if (read === 'unreadable') this.unreadable += 1;
		else if (read === 'undated') this.undated += 1;
		else if (read === undefined) return;
		else if ('unknownWord' in read) {
			if (this.unknownWords.size < MOST_WORDS) this.unknownWords.add(read.unknownWord);
		} else if (read.facts.some((fact) => isWatched(fact, this.#settings))) this.events.push(read);
	}
}

interface Read {
	/** Why the list could not be read further. */
	readonly failure: Error | undefined;
	/** Whether everything from the newest event back to the frontier was read. */
	readonly isWhole: boolean;
	readonly head: Head;
}

/** Adds what it reads to `readings`. Never rejects because of the list. */
export async function readList(source: Source, readings: Readings, head: Head): Promise<Read> {
	const { walk: unfinished } = head;
	const rest = unfinished ?? begin(head, readings, source);
	const isAhead = unfinished !== undefined && !unfinished.isOldestFirst;
	const first = isAhead
		? await readStretch(source, readings, undefined, unfinished.readFrom - OVERLAP_MS)
		: undefined;
	if (first !== undefined && first.walked.end !== 'whole') {
		return { failure: first.walked.failure, isWhole: false, head };
	}
	const after = unfinished?.cursor ?? head.anchor;
	const main = unfinished?.backTo ?? head.frontier - OVERLAP_MS;
	const { walked, isReached, anchor } = await readStretch(
		source,
		readings,
		after,
		rest.backTo,
		main,
	);
	const isWhole = walked.end === 'whole' || isReached;
	return {
		failure: walked.failure,
		isWhole,
		head: next(head, { readings, walked, isWhole, anchor, ...rest }),
	};
}

interface Range {
	readonly backTo: number;
	readonly deepAt: number;
	readonly deepestAt: number;
}

/** How far back a poll reads that does not continue a walk. */
function begin(head: Head, readings: Readings, { now }: Source): Range {
	const { frontier, deepAt, deepestAt } = head;
	const isDeep = Math.abs(now - deepAt) >= DEEP_MS;
	const isDeepest = Math.abs(now - deepestAt) >= DEEPEST_MS;
	const depth = isDeepest ? DEEPEST_MS : isDeep ? DEEP_MS : -Infinity;
	return {
		backTo: Math.min(frontier - OVERLAP_MS, readings.serviceNow - depth - OVERLAP_MS),
		deepAt: isDeep || isDeepest ? now : deepAt,
		deepestAt: isDeepest ? now : deepestAt,
	};
}

async function readStretch(
	{ client, mayRequest, now }: Source,
	readings: Readings,
	after: string | undefined,
	backTo: number,
	main = backTo,
) {
	let isFirst = true;
	let anchor: string | undefined;
	const walked = await walk(
		{
			client: {
				list: (resource, options) =>
					client.list(resource, {
						...options,
						onDate: (date) => {
							readings.onDate(date);
							options.onDate?.(date);
						},
					}),
			},
			...{ pageSize: PAGE_SIZE, after, backTo, now },
			mayRequest: () => {
				const may = isFirst || mayRequest();
				isFirst = false;
				return may;
			},
		},
		async (page) => {
			for (const listed of page) {
				readings.add(listed);
				if ((listed.at ?? Infinity) < readings.serviceNow - 2 * DEEPEST_MS)
					anchor = listed.event.id;
			}
			return undefined;
		},
	);
	return { walked, isReached: walked.readBackTo <= main, anchor };
}

interface Outcome extends Partial<Range> {
	readonly readings: Readings;
	readonly walked: Walked;
	readonly isWhole: boolean;
	readonly anchor: string | undefined;
	readonly backTo: number;
}

function next(head: Head, outcome: Outcome): Head {
	const { walk: unfinished, anchor: _anchor, ...kept } = head;
	const { readings, walked, isWhole, backTo } = outcome;
	// Start again at the head: the record to continue from is gone.
	if (walked.isCursorRefused) return kept;
	const { deepAt = head.deepAt, deepestAt = head.deepestAt } = outcome;
	const anchor = walked.isOldestFirst === true ? (outcome.anchor ?? head.anchor) : undefined;
	const after = { ...kept, deepAt, deepestAt, ...(anchor !== undefined && { anchor }) };
	const newest = readings.newestAt ?? 0;
	if (isWhole) {
		const { serviceNow } = readings;
		const watermark = Math.max(head.watermark, serviceNow - GRACE_MS);
		// In a quiet network, the newest event would hold it back.
		const frontier = Math.max(head.frontier, watermark, Math.min(serviceNow, newest));
		return { ...after, frontier, watermark };
	}
	const { cursor } = walked;
	if (walked.end === 'failed' || cursor === undefined) return head;
	const isOldestFirst = walked.isOldestFirst === true;
	const readFrom = Math.max(unfinished?.readFrom ?? 0, newest, head.frontier);
	return { ...after, walk: { cursor, backTo, readFrom, isOldestFirst } };
}
