/** The trail through a list that begins with the oldest event, whose new events are at its end: records to begin a reading at. */
import type { Anchor } from './state';

const LONGEST_MS = 2 * 24 * 60 * 60_000;

/** The record to begin at so that everything created from `moment` on follows; undefined for the head of the list. */
export function anchorBefore(trail: readonly Anchor[], moment: number): Anchor | undefined {
	return trail.findLast(({ at }) => at < moment);
}

/** The trail with the records read since: the older, the wider their distances. */
export function extended(trail: readonly Anchor[], read: readonly Anchor[]): Anchor[] {
	const all = [...trail, ...read];
	const newest = all.at(-1);
	if (newest === undefined) return [];
	const kept = [newest];
	for (const each of all.toReversed()) {
		const last = kept.at(-1) ?? newest;
		const age = newest.at - each.at;
		const isApart = last.at - each.at > age / 8;
		if (isApart && newest.at - last.at < LONGEST_MS) kept.push(each);
	}
	return kept.reverse();
}
