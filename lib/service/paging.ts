/** Walks a list page by page: each record once, never in a loop, and not beyond the limit (open points: paging, list envelope). */
import { Reach } from '../shared/listOrder';
import { isRecord, asText, own } from '../shared/values';
import { type ServiceInterface, SERVICE_INTERFACE, FIELDS } from './defaults';
import { ApiError, IN_INTERFACE, type Destination } from './errors';
import { type ApiRecord, asId, createdAtOf } from './lists';

export interface ListOptions {
	/** For a list that belongs to one endpoint, such as its deliveries. */
	endpointId?: string;
	/** Most records to list, a whole number above 0. Default: all. */
	limit?: number;
	/** Further query parameters. The limit and the cursor are reserved for paging and are refused. */
	query?: Record<string, string>;
	/** Dot path of the array in the response, e.g. `data.results`, if the envelope is unknown. */
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
	/** Called before each page; the list ends when it returns false. */
	mayRequest?: () => boolean;
	/** Called with the service's time (Unix milliseconds) when a page arrives whose response has a `Date` header. */
	onDate?: (date: number) => void;
}

const NOTHING_NEW = `The list may be incomplete: a page contained no new records, but the service did not mark it as the last one. If the service uses another paging parameter, change 'Cursor Parameter'${IN_INTERFACE}.`;
const NO_ID = 'The list may be incomplete: the last record of a page has no ID to continue from.';

/**
 * The records of all pages, in the order of the service.
 *
 * A record with an ID that was already listed is left out. The list ends when the limit is reached, when the service
 * says so, when a page is empty or has no new records, when it has gone beyond `createdAfter`, or when its last record
 * has no ID to continue from; with a warning if there may be more. A short page proves nothing: the service may allow
 * fewer records per page than requested.
 * @throws {ApiError} beyond `mostRecords`.
 */
export async function* walkPages(
	/** Fetches one page: at most `limit` records after `startingAfter`, the ID of a record. */
	fetchPage: (limit: number, startingAfter: string | undefined) => Promise<Page>,
	options: Omit<ListOptions, 'query' | 'itemsPath' | 'pageSize'> & { pageSize: number },
	warn: (message: string) => void,
): AsyncGenerator<ApiRecord, void, undefined> {
	const { limit = Number.POSITIVE_INFINITY, matching, createdAfter, readAhead = false } = options;
	const { mostRecords = Number.POSITIVE_INFINITY } = options;
	const reach =
		createdAfter === undefined
			? undefined
			: new Reach({ from: () => createdAfter, inARow: SERVICE_INTERFACE.pageSize });
	// With a filter applied here, it is unknown how many records it takes to find enough.
	const isFiltered = matching !== undefined || reach !== undefined;
	const known = new Set<string>();
	let read = 0;
	let left = limit;
	let next: Promise<Page> | undefined;
	let cursor = options.startingAfter;
	const fetchNext = (wanted: number) =>
		fetchPage(isFiltered ? options.pageSize : Math.min(options.pageSize, wanted), cursor);
	while (options.mayRequest?.() ?? true) {
		const { items, hasMore } = await (next ?? fetchNext(left));
		const fresh = newRecords(items, known);
		read += fresh.length;
		if (read > mostRecords) throw endless(mostRecords);
		cursor = idOf(items.at(-1));
		const hasNext = hasMore !== false && fresh.length > 0 && cursor !== undefined;
		const isNeeded = hasNext && !isFiltered && left > fresh.length;
		next = readAhead && isNeeded ? fetchNext(left - fresh.length) : undefined;
		// The error is thrown when this page is awaited.
		next?.catch(() => undefined);
		for (const item of fresh) {
			const record = isRecord(item) ? item : { value: item };
			const isOlder = reach?.add(createdAtOf(record)) === false;
			if (isOlder && reach.isFarEnough) return;
			if (isOlder || (matching && !matching(record))) continue;
			yield record;
			if (--left <= 0) return;
		}
		if (!(hasMore ?? items.length > 0)) return;
		if (fresh.length === 0) warn(NOTHING_NEW);
		else if (cursor === undefined) warn(NO_ID);
		if (!hasNext) return;
	}
}

function endless(mostRecords: number): ApiError {
	return new ApiError(`The list has more than ${mostRecords.toLocaleString('en')} records`, {
		hint: "Select fewer records with 'Limit', 'Filters' or 'Query Parameters'. If the service has fewer, its list does not end: contact its operator.",
	});
}

/**
 * The records of a page that were not listed before; adds their IDs to `known`. A record without an ID counts as new,
 * unless all the others show that the whole page was listed before.
 */
function newRecords(items: readonly unknown[], known: Set<string>): readonly unknown[] {
	const fresh: unknown[] = [];
	let hasKnown = false;
	let hasNew = false;
	for (const item of items) {
		const id = idOf(item);
		if (id !== undefined && known.has(id)) {
			hasKnown = true;
			continue;
		}
		if (id !== undefined) {
			known.add(id);
			hasNew = true;
		}
		fresh.push(item);
	}
	return hasKnown && !hasNew ? [] : fresh;
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

const idOf = (record: unknown) => asId(own(record, FIELDS.id));

interface Page {
	items: readonly unknown[];
	/** Undefined if the response does not say. */
	hasMore: boolean | undefined;
}

const { data, items, hasMore, has_more } = FIELDS;

/**
 * Any list; null counts as an empty one, as some services send it. Checked by hand: a schema would walk and copy the
 * records of every page.
 */
function listOf(value: unknown): readonly unknown[] | undefined {
	if (value === null) return [];
	return Array.isArray(value) ? value : undefined;
}

/** Whether there is more, by the fields of a response: a boolean, or its text. Undefined if they do not say. */
function moreOf(fields: unknown): boolean | undefined {
	for (const name of [hasMore, has_more]) {
		const said = asText(own(fields, name)).toLowerCase();
		if (said === 'true' || said === 'false') return said === 'true';
	}
	return undefined;
}

/** A list, or an object with one as `items`. */
function pageIn(value: unknown): Page | undefined {
	const found = listOf(value) ?? listOf(own(value, items));
	return found && { items: found, hasMore: moreOf(value) };
}

/**
 * The records of one page: `{ data: { items, hasMore } }`, a bare array, `{ data: [...] }` or `{ items: [...] }`, with
 * `hasMore` in `data` or next to it; with `itemsPath` the array at that dot path, and `hasMore` next to it.
 * @throws {ApiError} that names the keys found instead, or the service's error.
 */
export function pageOf(
	json: unknown,
	itemsPath: string | undefined,
	destination: Destination,
): Page {
	const path = itemsPath?.trim() ?? '';
	const failure = destination.errorIn(json);
	try {
		const page = path === '' ? knownPage(json, destination) : pageAt(json, path, destination);
		// Records count, whatever other fields there are.
		if (failure === undefined || page.items.length > 0) return page;
	} catch (error) {
		throw failure ?? error;
	}
	throw failure;
}

function knownPage(json: unknown, destination: Destination): Page {
	const inside = own(json, data);
	const page = pageIn(inside ?? undefined) ?? pageIn(json) ?? pageIn(inside);
	if (page) return { items: page.items, hasMore: page.hasMore ?? moreOf(json) };
	throw oddShapeError(
		`has no list where one is expected: it is ${shape(json)}`,
		"Set the option 'Items Path' to the path of the list in the response, such as data.results.",
		destination,
	);
}

function pageAt(json: unknown, itemsPath: string, destination: Destination): Page {
	const badPathError = (what: string) =>
		oddShapeError(what, "Correct the option 'Items Path'.", destination);
	let parent: unknown;
	let value = json;
	const walked: string[] = [];
	for (const step of itemsPath.split('.')) {
		parent = value;
		value = own(value, step);
		if (value === undefined) {
			const where = walked.length === 0 ? '' : ` at '${walked.join('.')}'`;
			throw badPathError(`has no '${step}'${where}, only ${shape(parent)}`);
		}
		walked.push(step);
	}
	const found = listOf(value);
	if (found) return { items: found, hasMore: moreOf(parent) };
	throw badPathError(`has ${shape(value)} at '${itemsPath}' instead of a list`);
}

/** Keys come from the service, so they are quoted like its other texts. */
function oddShapeError(what: string, hint: string, { address, redactor }: Destination): ApiError {
	return new ApiError(`The response of ${address} ${redactor.quote(what)}`, { hint });
}

/** Names only keys and kinds, never values. */
function shape(value: unknown): string {
	if (Array.isArray(value)) return 'a list';
	if (!isRecord(value)) return value === null ? 'null' : `a ${typeof value}`;
	const keys = Object.keys(value);
	if (keys.length === 0) return 'an empty object';
	const inside = value[data];
	const deeper = isRecord(inside) ? `, and 'data' holds ${keyList(Object.keys(inside))}` : '';
	return `an object with ${keyList(keys)}${deeper}`;
}

function keyList(keys: readonly string[]): string {
	const shown = keys.slice(0, 10).map((key) => `'${key}'`);
	return `${shown.join(', ')}${keys.length > shown.length ? ' and more' : ''}` || 'nothing';
}
