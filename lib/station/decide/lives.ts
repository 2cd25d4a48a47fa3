/** The sessions that had the same transaction ID, mostly one after the other: a station may use one again, or number the sessions of each EVSE by itself. */
import type { SessionTransaction } from '../common/state';
import { evseOf } from '../fold/sessions';

type Begun = SessionTransaction['starts'][number];
type Ended = SessionTransaction['ends'][number];

export interface Life {
	readonly start: Begun | undefined;
	readonly end: Ended | undefined;
	/** What the station says in this time belongs to it. */
	readonly since: number;
	readonly until: number;
	/** Another EVSE had a session of the same ID meanwhile: what names no EVSE can be of either. */
	readonly isShared: boolean;
}

/** By what was created up to `known`, in Unix milliseconds. A later end of the same life is that end again. */
export function livesOf({ starts, ends }: SessionTransaction, known: number): Life[] {
	const begun = beginningsOf({ starts, ends }, known);
	const over = ends.filter(({ t }) => t <= known).sort((a, b) => a.at - b.at || a.t - b.t);
	const ended = endsOf(begun, over);
	const lives = [undefined, ...begun].map((start, n) => {
		const since = start?.at ?? -Infinity;
		const until = begun[n]?.at ?? Infinity;
		return { start, since, until, ends: ended.get(start) ?? [] };
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
		}))
		.map((life, _n, all) => ({ ...life, isShared: all.some((other) => isShared(life, other)) }));
}

/** Each end with its start: that of its EVSE, otherwise the latest one. An end that can be of either of two is of none. */
function endsOf(
	begun: readonly Begun[],
	over: readonly Ended[],
): ReadonlyMap<Begun | undefined, Ended[]> {
	const ended = new Map<Begun | undefined, Ended[]>();
	for (const end of over) {
		const before = begun.filter(({ at }) => at <= end.at);
		const latest = before.at(-1);
		const own = before.findLast((start) => !areApart(start, end)) ?? latest;
		const isOpen = (start: Begun) => latest && areApart(start, latest) && !ended.has(start);
		if (end.connector === undefined && before.some(isOpen)) continue;
		ended.set(own, [...(ended.get(own) ?? []), end]);
	}
	return ended;
}

interface AtPlace {
	readonly connector?: string | undefined;
}

function areApart({ connector: a }: AtPlace, { connector: b }: AtPlace): boolean {
	return a !== undefined && b !== undefined && evseOf(a) !== evseOf(b);
}

type LifeEnds = Pick<Life, 'start' | 'end'>;

function isShared({ start: a, end }: LifeEnds, { start: b, end: otherEnd }: LifeEnds): boolean {
	if (a === undefined || b === undefined || !areApart(a, b)) return false;
	return a.at < (otherEnd?.at ?? Infinity) && b.at < (end?.at ?? Infinity);
}

/** The starts without those that repeat the register of the one before, if none has ended in between: these are sent again. */
export function beginningsOf(
	{ starts, ends }: Pick<SessionTransaction, 'starts' | 'ends'>,
	known: number,
): Begun[] {
	const sorted = starts.filter(({ t }) => t <= known).sort((a, b) => a.at - b.at || a.t - b.t);
	return sorted.filter((start, n) => {
		const before = sorted[n - 1];
		if (before === undefined || (start.wh ?? 0) <= 0 || start.wh !== before.wh) return true;
		return ends.some(({ at }) => before.at <= at && at < start.at);
	});
}
