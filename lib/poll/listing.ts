/** What one poll finds in the list: the events to start, and how far it has read. */
import { setImmediate } from 'node:timers/promises';
import { createdAt, eventFromList, oldestFirst, type ParsedEvent } from '../event';
import type { ApiClient } from '../service';
import { isOldestFirst } from '../shared/listOrder';
import { isError } from '../shared/thrown';
import type { Knowledge } from './knowledge';

interface Reading {
	readonly client: Pick<ApiClient, 'list'>;
	readonly pageSize: number;
	readonly isWanted: (event: ParsedEvent) => boolean;
	readonly look: (event: ParsedEvent) => Promise<Knowledge>;
	/** Asked before each request; false ends the reading. */
	readonly mayRequest: () => boolean;
	readonly now: number;
}

interface Stretch {
	/** The ID of the record to continue after; undefined for the head of the list. */
	readonly after: string | undefined;
	/** Ends at what was created before, in a list that begins with the newest. */
	readonly backTo: number;
}

/** `whole`: as far as it was to go. `bounded`: the poll may ask for no more. `failed`: see `failure`. */
export type End = 'whole' | 'bounded' | 'failed';

interface Found {
	readonly event: ParsedEvent;
	readonly at: number | undefined;
}

/** This many older records in a row, or half a page, end a stretch: the list need not be sorted to the second. */
const OLDER_IN_A_ROW = 20;

/**
 * Reads stretches of the list, page by page. How far depends on time, never on how many known events it meets; only
 * where a whole page tells no time does it end at a page without news.
 */
export class Listing {
	/** How many records had no ID, without which events cannot be told apart. */
	withoutId = 0;
	/** The ID of the last record read. */
	cursor: string | undefined;
	/** The newest event listed that is not dated ahead; a day's mistake in a date would disable the look-back. */
	newestAt: number | undefined;
	/** The oldest event that was handed over before and has not begun. */
	waitingAt: number | undefined;
	/** Why the list could not be read further. */
	failure: Error | undefined;
	/** Whether the service refused to continue after the record that a stretch began with. */
	isCursorRefused = false;

	readonly #fresh: Found[] = [];
	readonly #read: { id: string; at: number }[] = [];
	readonly #seen = new Set<string>();
	readonly #reading: Reading;

	constructor(reading: Reading) {
		this.#reading = reading;
	}

	/** Whether the list begins with the oldest, as far as was read; undefined while that cannot be said. */
	get isOldestFirst(): boolean | undefined {
		return isOldestFirst(this.#read.map(({ at }) => at));
	}

	/** What is to start, oldest first: by time where all tell it, otherwise by the order of the list. */
	get fresh(): ParsedEvent[] {
		const events = this.#fresh.map(({ event }) => event);
		return oldestFirst(this.isOldestFirst ? events : events.toReversed());
	}

	/** The ID of the record after which all that was read was created at `moment` or later. */
	lastBefore(moment: number): string | undefined {
		return this.#read.findLast(({ at }) => at < moment)?.id;
	}

	/** Throws what the ledger throws: without it, it is unknown what is new. */
	async read({ after, backTo }: Stretch): Promise<End> {
		const { client, pageSize } = this.#reading;
		this.cursor = after;
		let page: Found[] = [];
		let records = 0;
		let olderInARow = 0;
		const asked = { isRefused: false };
		const mayRequest = () => {
			asked.isRefused = !this.#reading.mayRequest();
			return !asked.isRefused;
		};
		const options = { pageSize, mayRequest, ...(after !== undefined && { startingAfter: after }) };
		const listed = this.#listed(client.list('event', options));
		for await (const found of listed) {
			records += 1;
			page.push(found);
			olderInARow = (found.at ?? Infinity) < backTo ? olderInARow + 1 : 0;
			if (page.length < pageSize) continue;
			const hasNews = await this.#sort(page);
			const tellsNoTime = page.every(({ at }) => at === undefined);
			page = [];
			if (tellsNoTime && !hasNews) return 'whole';
			const isFarEnough = olderInARow >= Math.min(OLDER_IN_A_ROW, Math.ceil(pageSize / 2));
			if (isFarEnough && this.isOldestFirst === false) return 'whole';
		}
		await this.#sort(page);
		if (this.failure === undefined) return asked.isRefused ? 'bounded' : 'whole';
		const status = 'status' in this.failure ? Number(this.failure.status) : 0;
		this.isCursorRefused =
			records === 0 && after !== undefined && [400, 404, 410, 422].includes(status);
		return 'failed';
	}

	/** The events of the list, up to where it fails; records without an ID are left out and counted. */
	async *#listed(records: AsyncIterable<Record<string, unknown>>): AsyncGenerator<Found> {
		try {
			for await (const record of records) {
				const parsed = eventFromList(record);
				if (parsed.ok) yield { event: parsed.event, at: createdAt(parsed.event) };
				else this.withoutId += 1;
			}
		} catch (error) {
			this.failure = isError(error) ? error : new Error(String(error));
		}
	}

	/** Takes the events of a page; whether one of them is to start. They are looked up together. */
	async #sort(page: readonly Found[]): Promise<boolean> {
		const { isWanted, look, now } = this.#reading;
		const before = this.#fresh.length;
		for (const { event, at } of page) {
			this.cursor = event.id;
			if (at === undefined) continue;
			this.#read.push({ id: event.id, at });
			if (at <= now) this.newestAt = Math.max(this.newestAt ?? at, at);
		}
		const wanted = page.filter(({ event }) => !this.#seen.has(event.id) && isWanted(event));
		for (const { event } of page) this.#seen.add(event.id);
		const known = await Promise.all(wanted.map(async ({ event }) => await look(event)));
		for (const [index, found] of wanted.entries()) {
			if (known[index] === 'fresh') this.#fresh.push(found);
			if (known[index] === 'waiting' && found.at !== undefined) {
				this.waitingAt = Math.min(this.waitingAt ?? found.at, found.at);
			}
		}
		// Between pages, other work of the process has its turn.
		await setImmediate();
		return this.#fresh.length > before;
	}
}
