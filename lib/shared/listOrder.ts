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
	const first = median(times.slice(0, end));
	const last = median(times.slice(-end));
	return first === undefined || last === undefined || first === last ? undefined : first < last;
}

function median(times: readonly number[]): number | undefined {
	return [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)];
}
