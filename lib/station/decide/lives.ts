/** The sessions that had the same transaction ID, one after the other: a station may use one again. */
import type { SessionTransaction } from '../common/state';

type Begun = SessionTransaction['starts'][number];
type Ended = SessionTransaction['ends'][number];

export interface Life {
	readonly start: Begun | undefined;
	readonly end: Ended | undefined;
	/** What the station says in this time belongs to it. */
	readonly since: number;
	readonly until: number;
}

/** By what was created up to `known`, in Unix milliseconds. A later end of the same life is that end again. */
export function livesOf({ starts, ends }: SessionTransaction, known: number): Life[] {
	const begun = startsOf(starts, ends, known);
	const over = ends.filter(({ t }) => t <= known).sort((a, b) => a.at - b.at || a.t - b.t);
	const lives = [undefined, ...begun].map((start, n) => {
		const since = start?.at ?? -Infinity;
		const until = begun[n]?.at ?? Infinity;
		return { start, since, until, ends: over.filter(({ at }) => since <= at && at < until) };
	});
	const [before, first] = lives;
	// The clock was set back in between, or the messages have no time and came in the wrong order.
	if (before !== undefined && first !== undefined && first.ends.length === 0) {
		first.ends = before.ends.filter(({ reported }) => !reported);
		before.ends = before.ends.filter(({ reported }) => reported);
	}
	return lives
		.filter(({ start, ends: own }) => start !== undefined || own.length > 0)
		.map(({ start, since, until, ends: own }, n) => ({
			...{ start, until },
			since: n === 0 ? -Infinity : since,
			end: own.toSorted((a, b) => a.t - b.t)[0],
		}));
}

/** Without those that repeat the register of the one before, if none has ended in between: these are sent again. */
function startsOf(starts: readonly Begun[], ends: readonly Ended[], known: number): Begun[] {
	const sorted = starts.filter(({ t }) => t <= known).sort((a, b) => a.at - b.at || a.t - b.t);
	return sorted.filter((start, n) => {
		const before = sorted[n - 1];
		if (before === undefined || (start.wh ?? 0) <= 0 || start.wh !== before.wh) return true;
		return ends.some(({ at }) => before.at <= at && at < start.at);
	});
}
