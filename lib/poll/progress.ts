/** The state that a poll saves: the events to look at again, and the frontier. */
import { LISTED_MS, MOST_OPEN } from './bounds';
import type { OpenEvent, PollState } from './state';

/** The state with the open events of before and those found since, and the frontier that follows. */
export function settled(
	state: PollState,
	before: readonly OpenEvent[],
	found: ReadonlyMap<string, OpenEvent>,
	polledAt: number,
): PollState {
	const all = [...before.filter(({ id }) => !found.has(id)), ...found.values()]
		.filter(({ at }) => at > polledAt - LISTED_MS)
		.sort((a, b) => a.at - b.at);
	const open = all.slice(0, MOST_OPEN);
	const openAt = Math.min(all[MOST_OPEN]?.at ?? Infinity, state.openAt ?? Infinity);
	const next = { ...state, open, ...(openAt < Infinity && { openAt }) };
	return { ...next, frontier: Math.max(state.frontier, Math.min(polledAt, unsettledAt(next))) };
}

/** The oldest time that may belong to an event that has not begun; otherwise the newest one listed. */
export function unsettledAt({ readTo, walks, open, openAt = Infinity }: PollState): number {
	const held = walks.map(({ holdsAt = Infinity }) => holdsAt);
	const notBegun = open.flatMap(({ hasBegun, at }) => (hasBegun ? [] : [at]));
	return Math.min(readTo, openAt, ...held, ...notBegun);
}
