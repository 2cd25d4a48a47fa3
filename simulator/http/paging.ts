/** Lists in pages: `limit`, `startingAfter` and the envelope `{ data: { hasMore, items } }`. */
import { z } from 'zod/v4';
import type { Fault } from '../shared/types';
import { ServiceError } from './errors';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

export const pageQuery = z.object({
	limit: z
		.string()
		.regex(/^\d+$/, { error: 'expected a whole number', abort: true })
		.transform(Number)
		.pipe(z.number().min(1).max(MAX_LIMIT))
		.default(DEFAULT_LIMIT),
	startingAfter: z.string().min(1).optional(),
});

type PageQuery = z.infer<typeof pageQuery>;

export interface Page<T> {
	data: { hasMore: boolean; items: T[] };
}

/** A list that a page is read from: the records after the one with this ID, or undefined if there is none. */
export type Records<T> = (after: string | undefined) => Iterable<T> | undefined;

/**
 * The records after the one whose ID is the cursor. Reads no more of them than the page has, and one.
 * @throws {ServiceError} 400 if no record has that ID
 */
export function page<T>(records: Records<T>, query: PageQuery, fault?: Fault): Page<T> {
	const wanted = records(fault?.ignoreCursor ? undefined : query.startingAfter);
	if (!wanted) {
		throw new ServiceError(400, 'startingAfter is not the id of a record in this list.');
	}
	const items: T[] = [];
	for (const record of wanted) {
		if (items.length === query.limit) return { data: { hasMore: true, items } };
		items.push(record);
	}
	return { data: { hasMore: false, items } };
}

/** An array as a list. */
export function recordsOf<T extends { readonly id: string }>(records: readonly T[]): Records<T> {
	return (after) => {
		if (after === undefined) return records;
		const index = records.findIndex(({ id }) => id === after);
		return index === -1 ? undefined : records.slice(index + 1);
	};
}
