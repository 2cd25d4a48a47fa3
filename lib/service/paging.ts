/**
 * Walks a list page by page: each record once, never in a loop, and not beyond the limit (open points: paging, list envelope).
 * Decides which records can be used; the others are left out, and named once.
 */
import { createHash } from 'node:crypto';
import { IdSet } from '../shared/idSet';
import { KnownIds } from '../shared/knownIds';
import { Reach } from '../shared/listOrder';
import { withoutTags } from '../shared/text';
import { idOf, idProblem, isRecord } from '../shared/values';
import { safeParse } from '../vendor/zod';
import { FIELDS, type ServiceInterface, SERVICE_INTERFACE } from './defaults';
import type { ServedPage } from './envelope';
import { ApiError, IN_INTERFACE } from './errors';
import { type ApiRecord, createdAtOf, type ListedResource } from './lists';
import { RECORDS } from './schemas';

export interface ListOptions {
	/** For a list that belongs to one endpoint, such as its deliveries. */
	endpointId?: string;
	/** Most records to list, a whole number above 0. Default: all. */
	limit?: number;
	/** Further query parameters. The limit and the cursor are reserved for paging and are refused. */
	query?: Record<string, string>;
	/** Dot path of the array in the response, e.g. `data.results`; by default that of the credential. */
	itemsPath?: string;
	/** Most records per page, at least 1; never more than the page size of the credential. */
	pageSize?: number;
	/** Requests the next page while the caller uses the records of this one, for a caller that reads them all. Default false. */
	readAhead?: boolean;
	/** Fails if the list has more records than this. No limit by default. */
	mostRecords?: number;
	/** Lists and counts only records for which this is true, for filters that the service may not support. */
	matching?: (record: ApiRecord) => boolean;
	/**
	 * Unix milliseconds: lists only records of this time or later, and those without a time. A list that is sorted newest first
	 * ends after a page of older records in a row; any other is read to its end, since such records may be there.
	 */
	createdAfter?: number;
	/** The ID of a record: the list starts after it. */
	startingAfter?: string;
	/** Lists also records without an ID, and what is not an object, as `{ value }`. Default: they are left out. */
	includeOdd?: boolean;
	/** Called before each page; the list ends when it returns false. */
	mayRequest?: () => boolean;
	/** Called with the service's time (Unix milliseconds) when a page arrives whose response has a `Date` header. */
	onDate?: (date: number) => void;
}

const NOTHING_NEW = `The list may be incomplete: a page contained no new records, but the service did not mark it as the last one. If the service uses another paging parameter, change 'Cursor Parameter'${IN_INTERFACE}.`;
const NO_CURSOR = 'The list may be incomplete: a page has no ID to continue from.';

/** A record that can be used. */
export interface ListedRecord {
	/** An event has the shape of a delivered one if the service has another one. */
	readonly record: ApiRecord;
	/** The record as the service sent it. */
	readonly sent: ApiRecord;
	/** As text; empty if it has none (`includeOdd`). */
	readonly id: string;
	/** A reading that continues after this cursor begins with this record, or at most a page before it; undefined at the head of the list. */
	readonly place: string | undefined;
}

export interface ListedPage {
	/** The records that can be used and were not listed before. */
	readonly listed: readonly ListedRecord[];
	/** A later reading continues after it: the ID of the last record that has one, left out or not, or the service's own cursor. */
	readonly cursor: string | undefined;
	/** Whether the list ends with it, as far as the service says. */
	readonly isLast: boolean;
}

interface PagingOptions extends Omit<ListOptions, 'query' | 'itemsPath' | 'pageSize'> {
	readonly pageSize: number;
	/** The kind of the records, and how a message names them. */
	readonly resource?: ListedResource;
	readonly records?: string;
	/** Where they have their ID, as a message names it. */
	readonly idPath?: string;
	/** Gives them the shape of those of a service with the default interface. */
	readonly shape?: ((record: ApiRecord) => ApiRecord) | undefined;
	/** What earlier readings have left out. */
	readonly known?: KnownIds;
}

/** `kind`: `record_invalid` if records were left out, and how many. */
export type WarnOfList = (message: string, kind?: 'record_invalid', count?: number) => void;

/**
 * The pages of a list, in the order of the service, until it has no more, or the limit is reached.
 *
 * A record with an ID that was already listed is left out. The list ends when the service says so, when a page is empty or brings
 * no new record, when the limit is reached, or when it has gone beyond `createdAfter`; with a warning if there may be more. A
 * short page proves nothing: the service may allow fewer records per page than requested.
 * @throws {ApiError} beyond `mostRecords`, and for a page on which no record has an ID to continue from.
 */
export async function* walkPages(
	/** Fetches one page: at most `limit` records after `startingAfter`, the ID of a record. */
	fetchPage: (limit: number, startingAfter: string | undefined) => Promise<ServedPage>,
	options: PagingOptions,
	warn: WarnOfList,
): AsyncGenerator<ListedPage, void, undefined> {
	const { pageSize, readAhead = false, mayRequest = () => true } = options;
	const wanted = new RecordSelection(options);
	const reader = new PageReader(options);
	let next: Promise<ServedPage> | undefined;
	const fetchNext = () => fetchPage(Math.min(pageSize, wanted.most), reader.cursor);
	try {
		while (mayRequest()) {
			const served = await (next ?? fetchNext());
			const { fresh, isNew } = reader.read(served);
			const listed = wanted.of(fresh);
			const { cursor } = reader;
			const isLast = served.hasMore === false || !isNew || cursor === undefined || wanted.isOver;
			next = readAhead && !isLast ? fetchNext() : undefined;
			// The error is thrown when this page is awaited.
			next?.catch(() => undefined);
			yield { listed, cursor, isLast };
			if (!isLast) continue;
			const mayHaveMore = served.hasMore ?? served.items.length > 0;
			if (mayHaveMore && !wanted.isOver) warn(isNew ? NO_CURSOR : NOTHING_NEW);
			return;
		}
	} finally {
		reader.leftOut.report(warn);
	}
}

/** The records of the pages. */
export async function* recordsOf(pages: AsyncIterable<ListedPage>): AsyncGenerator<ApiRecord> {
	for await (const { listed } of pages) for (const { record } of listed) yield record;
}

/** Which records the caller wants: those that match, of the time, up to the limit. */
class RecordSelection {
	/** Whether nothing of what follows is wanted. */
	isOver = false;
	readonly #matching: ListOptions['matching'];
	readonly #reach: Reach | undefined;
	#left: number;

	constructor({ limit = Infinity, matching, createdAfter }: ListOptions) {
		this.#left = limit;
		this.#matching = matching;
		const inARow = SERVICE_INTERFACE.pageSize;
		if (createdAfter !== undefined) this.#reach = new Reach({ from: () => createdAfter, inARow });
	}

	/** The most records that a page needs. With a filter, it is unknown how many it takes to find enough. */
	get most(): number {
		const isFiltered = this.#matching !== undefined || this.#reach !== undefined;
		return isFiltered ? Infinity : this.#left;
	}

	of(fresh: readonly ListedRecord[]): ListedRecord[] {
		const wanted: ListedRecord[] = [];
		for (const each of fresh) {
			if (this.#wants(each.record)) wanted.push(each);
			this.isOver ||= wanted.length >= this.#left;
			if (this.isOver) break;
		}
		this.#left -= wanted.length;
		return wanted;
	}

	#wants(record: ApiRecord): boolean {
		const reach = this.#reach;
		const isInTime = reach?.add(createdAtOf(record)) ?? true;
		this.isOver = reach?.isFarEnough === true;
		return isInTime && (this.#matching?.(record) ?? true);
	}
}

/** What was read of a record: `record` is absent if it cannot be used, and then it has a problem. */
interface Judged {
	readonly id: string | undefined;
	readonly record?: ApiRecord;
	readonly sent?: ApiRecord;
	/** What is wrong with it, such as `it has no 'id'`; nothing of the record. */
	readonly problem?: string;
	/** What tells it from others if it has no ID. */
	readonly text?: string;
}

/** Reads what the service sends: which records are new, which of them can be used, and where the list continues. */
class PageReader {
	readonly leftOut: LeftOutRecords;
	cursor: string | undefined;
	readonly #options: PagingOptions;
	readonly #known = new IdSet();
	#count = 0;

	constructor(options: PagingOptions) {
		this.#options = options;
		this.cursor = options.startingAfter;
		this.leftOut = new LeftOutRecords(options);
	}

	/** `isNew`: whether the page brings a record that was not listed before, left out or not. */
	read(page: ServedPage): { fresh: ListedRecord[]; isNew: boolean } {
		const fresh: ListedRecord[] = [];
		const odd: Judged[] = [];
		let [hasKnown, hasNew] = [false, false];
		const hasOwnCursors = page.cursor !== undefined;
		let [place, last]: (string | undefined)[] = [this.cursor];
		for (const item of page.items) {
			const judged = this.#judge(item, page);
			const { id, record, sent = record } = judged;
			const isKnown = id !== undefined && !this.#known.add(id);
			hasKnown ||= isKnown;
			if (record === undefined || sent === undefined) odd.push(judged);
			else if (!isKnown) fresh.push({ record, sent, id: id ?? '', place });
			if (id === undefined) continue;
			hasNew ||= !isKnown;
			last = id;
			if (!hasOwnCursors) place = id;
		}
		if (last === undefined) this.#checkWithoutIds(page);
		this.cursor = hasOwnCursors ? (page.cursor ?? undefined) : last;
		// Records without an ID count as new, unless all others show that the whole page was listed before.
		if (hasKnown && !hasNew) return { fresh: [], isNew: false };
		for (const each of odd) this.leftOut.add(each);
		this.#count += page.items.length;
		const { mostRecords = Infinity } = this.#options;
		if (this.#count > mostRecords) throw endless(mostRecords);
		return { fresh, isNew: page.items.length > 0 };
	}

	#judge(item: unknown, { brokenAt }: ServedPage): Judged {
		const { includeOdd = false, shape, resource = 'asset' } = this.#options;
		const broken = brokenAt?.(item);
		if (broken !== undefined) return { ...broken, id: idOf(broken.id) };
		if (!isRecord(item)) {
			const odd = includeOdd ? { record: { value: item } } : { problem: 'it is not an object' };
			return { id: undefined, ...odd };
		}
		const record = shape?.(item) ?? item;
		const { id } = safeParse(RECORDS[resource], record).data ?? {};
		if (id !== undefined || includeOdd) return { id, record, sent: item };
		const problem = idProblem(record[FIELDS.id], this.#idPath);
		return { id, problem, text: JSON.stringify(item) };
	}

	get #idPath(): string {
		return this.#options.idPath ?? FIELDS.id;
	}

	/** One odd record at the end of a list is left out; otherwise the list cannot be read further, or has its IDs somewhere else. */
	#checkWithoutIds({ items, hasMore }: ServedPage): void {
		const { includeOdd = false, records = 'records', resource } = this.#options;
		const isEnd = hasMore === false && (items.length === 1 || this.cursor !== undefined);
		if (includeOdd || items.length === 0 || isEnd) return;
		throw new ApiError(`A page of the list of ${records} has no record with an '${this.#idPath}'`, {
			hint:
				resource === 'event'
					? `If events have their ID in another field, set 'Event ID Path'${IN_INTERFACE}. Otherwise contact the operator of the service: without IDs, the list cannot be read further.`
					: 'Contact the operator of the service: without IDs, the list cannot be read further.',
		});
	}
}

const MOST_NAMED = 3;
/** In characters: enough to tell a record without an ID from another one. */
const LONGEST_KEY = 1_000;

/** The records that a reading leaves out: counted, and the first few named. */
class LeftOutRecords {
	#count = 0;
	readonly #named: string[] = [];
	readonly #known: KnownIds;
	readonly #records: string;

	constructor({ known = new KnownIds(), records = 'records' }: PagingOptions) {
		this.#known = known;
		this.#records = records;
	}

	add({ id, problem = '', text = problem }: Judged): void {
		const shape = `${text.length} ${text.slice(0, LONGEST_KEY)}`;
		const key = id ?? createHash('sha256').update(shape).digest('base64url');
		if (!this.#known.add(key)) return;
		this.#count += 1;
		const name = id === undefined ? 'one' : withoutTags(id);
		if (this.#count <= MOST_NAMED) this.#named.push(`${name}, since ${problem}`);
	}

	report(warn: WarnOfList): void {
		const more = this.#count - this.#named.length;
		if (this.#count === 0) return;
		const named = [...this.#named, ...(more > 0 ? [`${more.toLocaleString('en')} more`] : [])];
		const which = `${this.#count.toLocaleString('en')} of the listed ${this.#records}`;
		const message = `left out ${which} (${named.join('; ')}): ask the provider of the service`;
		warn(message, 'record_invalid', this.#count);
	}
}

function endless(mostRecords: number): ApiError {
	return new ApiError(`The list has more than ${mostRecords.toLocaleString('en')} records`, {
		hint: "Select fewer records with 'Limit', 'Filters' or 'Query Parameters'. If the service has fewer, its list does not end: contact its operator.",
	});
}

/**
 * Checks the options.
 * @throws {ApiError} for a limit that is not a whole number above 0, and for query parameters reserved for paging.
 */
export function checkListOptions(
	options: ListOptions,
	{ limitParameter, cursorParameter }: ServiceInterface,
): void {
	const { limit, query = {} } = options;
	if (limit !== undefined && (!Number.isSafeInteger(limit) || limit < 1)) {
		throw new ApiError("'Limit' is not a whole number above 0", {
			hint: "Enter 1 or more in 'Limit', or turn on 'Return All'.",
		});
	}
	for (const name of Object.keys(query)) {
		if (name === limitParameter || name === cursorParameter) {
			throw new ApiError(`The query parameter '${name}' is reserved for paging`, {
				hint: `Remove '${name}' from 'Query Parameters' and use 'Return All' and 'Limit' instead.`,
			});
		}
		if (name.trim() === '') {
			throw new ApiError('A query parameter has no name', {
				hint: "Enter a name for each of the 'Query Parameters', or remove those without one.",
			});
		}
	}
}
