/** Determines the sort order of a list from its two ends, since neighboring records are often out of order. */

/** Records per end; more would not change its median by much. */
const LONGEST_END = 50;

/**
 * Whether the list begins with the oldest record, by the times of its records in order; undefined while unknown.
 * Each end is a third of the times, at most 50, and counts by its median, so that neither an event that appeared late
 * nor one dated in the future reverses the result.
 */
export function isOldestFirst(times: readonly number[]): boolean | undefined {
	const end = Math.min(LONGEST_END, Math.ceil(times.length / 3));
	const rise = median(times.slice(-end)) - median(times.slice(0, end));
	return rise > 0 ? true : rise < 0 ? false : undefined;
}

/** NaN for no times. */
function median(times: readonly number[]): number {
	return [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? NaN;
}
