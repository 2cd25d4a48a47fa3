/** Lists in pages: `limit`, `startingAfter` and the envelope `{ data: { hasMore, items } }`. */
import { z } from 'zod/v4';
import type { Fault, ServiceForm } from '../shared/types';
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

/** A record, and what it looks like in the list. */
export interface Entry {
	readonly id: string;
	readonly shown: object;
}

/** A list that a page is read from: the records after the one with this ID, or undefined if there is none. */
export type Records = (after: string | undefined) => Iterable<Entry> | undefined;

/**
 * The body of the page after the cursor: the ID of a record, or a text of the service's own. Reads no more records than the page
 * has, and one.
 * @throws {ServiceError} 400 for an unknown cursor
 */
export function page(
	records: Records,
	{ limit, startingAfter }: PageQuery,
	fault?: Fault,
	bodyOf?: ServiceForm['list'],
): unknown {
	const after = bodyOf && startingAfter !== undefined ? idIn(startingAfter) : startingAfter;
	const wanted = records(fault?.ignoreCursor ? undefined : after);
	if (!wanted) {
		throw new ServiceError(400, 'startingAfter is not the id of a record in this list.');
	}
	const page: Entry[] = [];
	let hasMore = false;
	for (const entry of wanted) {
		hasMore = page.length === limit;
		if (hasMore) break;
		page.push(entry);
	}
	const items = page.map(({ shown }) => shown);
	const last = page.at(-1);
	const next = hasMore && last !== undefined ? cursorOf(last.id) : null;
	return bodyOf?.({ items, hasMore, next }) ?? { data: { hasMore, items } };
}

const OWN = 'next_';
const cursorOf = (id: string) => OWN + Buffer.from(id).toString('base64url');
/** Empty, which no record has, for a text that is not such a cursor. */
const idIn = (cursor: string) =>
	cursor.startsWith(OWN) ? Buffer.from(cursor.slice(OWN.length), 'base64url').toString() : '';

/** An array as a list. */
export function recordsOf(records: readonly { readonly id: string }[]): Records {
	const entries = records.map((shown) => ({ id: shown.id, shown }));
	return (after) => {
		if (after === undefined) return entries;
		const index = entries.findIndex(({ id }) => id === after);
		return index === -1 ? undefined : entries.slice(index + 1);
	};
}
