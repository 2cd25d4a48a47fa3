/** Walks a list page by page: each record once, never in a loop, and not beyond the limit (open point: paging). */
import { Reach } from '../../shared/listOrder';
import { isRecord } from '../../shared/values';
import { type ServiceInterface, SERVICE_INTERFACE } from '../common/defaults';
import { ApiError, IN_INTERFACE } from '../common/errors';
import { idOf, createdAtOf } from '../common/record';
import type { ApiRecord, ListOptions } from '../common/types';
import type { Page } from './envelope';

/** Fetches one page: at most `limit` records after `startingAfter`, the ID of a record. */
export type FetchPage = (limit: number, startingAfter: string | undefined) => Promise<Page>;

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
	fetchPage: FetchPage,
	options: Omit<ListOptions, 'query' | 'itemsPath' | 'pageSize'> & { pageSize: number },
	warn: (message: string) => void,
): AsyncGenerator<ApiRecord, void, undefined> {
	const { limit = Number.POSITIVE_INFINITY, matching, createdAfter, readAhead = false } = options;
	const { mostRecords = Number.POSITIVE_INFINITY } = options;
	const ageOf = createdAfter === undefined ? undefined : since(createdAfter);
	// With a filter applied here, it is unknown how many records it takes to find enough.
	const isFiltered = matching !== undefined || ageOf !== undefined;
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
			const age = ageOf?.(record);
			if (age === 'beyond') return;
			if (age === 'older' || (matching && !matching(record))) continue;
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

/** A wanted record, an older one, or one after which no wanted one follows. */
type Age = 'wanted' | 'older' | 'beyond';

/**
 * Returns a function that takes the records of a list in order, and says whether each was created at `moment` (Unix
 * milliseconds) or later. A record without a time is wanted.
 *
 * A list that is sorted newest first ends after a page of older records in a row. Any other list is read to its end,
 * since wanted records may be there.
 */
export function since(moment: number): (record: ApiRecord) => Age {
	const reach = new Reach({ from: () => moment, inARow: SERVICE_INTERFACE.pageSize });
	return (record) => {
		if (reach.add(createdAtOf(record))) return 'wanted';
		return reach.isFarEnough ? 'beyond' : 'older';
	};
}
