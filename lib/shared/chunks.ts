/** Cuts long lists into pieces, so that a step of the work stays short. */

/** Entries of the ledger that are handled in parallel: one round trip to Redis. Other work of the process runs in between. */
export const ENTRIES_AT_ONCE = 100;

/** Pieces of `size` entries each, in order; the last one may be shorter. */
export function chunksOf<T>(all: readonly T[], size = ENTRIES_AT_ONCE): T[][] {
	const count = Math.ceil(all.length / size);
	return Array.from({ length: count }, (_, n) => all.slice(n * size, (n + 1) * size));
}
