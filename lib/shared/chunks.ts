/** Cuts long lists into pieces, so that a step of the work stays short. */

/** Pieces of `size` entries each, in order; the last one may be shorter. */
export function chunksOf<T>(all: readonly T[], size: number): T[][] {
	const count = Math.ceil(all.length / size);
	return Array.from({ length: count }, (_, n) => all.slice(n * size, (n + 1) * size));
}
