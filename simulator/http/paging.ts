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

export type PageQuery = z.infer<typeof pageQuery>;

export interface Page<T> {
	data: { hasMore: boolean; items: T[] };
}

/**
 * The records after the one whose ID is the cursor.
 * @throws {ServiceError} 400 if no record has that ID
 */
export function page<T extends { readonly id: string }>(
	records: readonly T[],
	query: PageQuery,
	fault?: Fault,
): Page<T> {
	const start = fault?.ignoreCursor ? 0 : afterCursor(records, query.startingAfter);
	const end = start + query.limit;
	return { data: { hasMore: end < records.length, items: records.slice(start, end) } };
}

function afterCursor(records: readonly { readonly id: string }[], cursor?: string): number {
	if (cursor === undefined) return 0;
	const index = records.findIndex(({ id }) => id === cursor);
	if (index === -1) {
		throw new ServiceError(400, 'startingAfter is not the id of a record in this list.');
	}
	return index + 1;
}
