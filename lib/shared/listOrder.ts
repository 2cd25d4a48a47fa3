/** Says which way a list is sorted, by its two ends rather than by single pairs, which are often out of order. */

/** Records of an end; more would not change its median by much. */
const LONGEST_END = 50;

/**
 * Whether the list begins with the oldest, by the times of its records in their order; undefined while they do not say.
 * Each end is a third of the times, at most 50, and stands for its median, so that neither an event that appeared late nor one that
 * is dated ahead turns the list around.
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
