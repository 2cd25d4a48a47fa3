/** The result of reading the list in one poll: the events to start, and how far it has read. */
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
	/** Called before each request; false ends the reading. */
	readonly mayRequest: () => boolean;
	readonly now: number;
}

interface Stretch {
	/** The ID of the record to continue after; undefined for the start of the list. */
	readonly after: string | undefined;
	/** The time to read back to, in a list that begins with the newest event. */
	readonly backTo: number;
}

/** `whole`: read as far as intended. `bounded`: the poll may send no more requests. `failed`: see `failure`. */
export type End = 'whole' | 'bounded' | 'failed';

interface Found {
	readonly event: ParsedEvent;
	readonly at: number | undefined;
}

/** This many older records in a row, or half a page, end a stretch, because the list need not be sorted to the second. */
const OLDER_IN_A_ROW = 20;

/**
 * Reads stretches of the list, page by page. How far depends on time, never on how many known events it reads. Only
 * where a whole page has no times does it end at a page without new events.
 */
export class Listing {
	/** How many records had no ID, without which events cannot be told apart. */
	withoutId = 0;
	/** The ID of the last record read. */
	cursor: string | undefined;
	/** The newest listed event that is not dated in the future: a date that is a day wrong would disable the look-back. */
	newestAt: number | undefined;
	/** The time of the oldest event that a later poll has to read again. */
	waitingAt: number | undefined;
	/** Why the list could not be read further. */
	failure: Error | undefined;
	/** Whether the service refused to continue after the record that a stretch starts at. */
	isCursorRefused = false;

	readonly #fresh: Found[] = [];
	readonly #read: { id: string; at: number }[] = [];
	readonly #seen = new Set<string>();
	readonly #reading: Reading;

	constructor(reading: Reading) {
		this.#reading = reading;
	}

	/** Whether the list begins with the oldest event, as far as it was read; undefined while unknown. */
	get isOldestFirst(): boolean | undefined {
		return isOldestFirst(this.#read.map(({ at }) => at));
	}

	/** The events to start, oldest first: by time if all have one, otherwise in the order of the list. */
	get fresh(): ParsedEvent[] {
		const events = this.#fresh.map(({ event }) => event);
		return oldestFirst(this.isOldestFirst ? events : events.toReversed());
	}

	/** The ID of the record after which all records read were created at `moment` or later. */
	lastBefore(moment: number): string | undefined {
		return this.#read.findLast(({ at }) => at < moment)?.id;
	}

	/** Throws the ledger's error: without the ledger, it is unknown which events are new. */
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

	/** The events of the list, until it fails; records without an ID are skipped and counted. */
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

	/** Looks up the events of a page, in parallel; returns whether any of them is to start. */
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
		// Lets other work of the process run between pages.
		await setImmediate();
		return this.#fresh.length > before;
	}
}
