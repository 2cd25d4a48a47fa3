/** Which parts of the list a poll reads, in which order, and what remains of them for the next one. */
import type { Walked } from '../walk';
import { LONGEST_WHILE_CATCHING_UP_MS, LOOK_BACKS, MOST_WALKS, OVERLAP_MS } from './bounds';
import type { OpenEvent, PollState, Unfinished } from './state';
import { anchorBefore, extended } from './trail';

interface Part {
	/** The ID of the record to continue after. */
	readonly after: string | undefined;
	readonly by?: number | undefined;
	readonly backTo: number;
	readonly upTo?: number | undefined;
}

interface Reading {
	/** Reads with this share of the time that is left. Throws the ledger's error. */
	readonly read: (part: Part, share: number) => Promise<Walked>;
	/** Of each page read so far, the last record with a time. */
	readonly anchors: PollState['trail'] & {};
	/** Open events that may start now. */
	readonly due: readonly OpenEvent[];
	readonly polledAt: number;
}

interface Progress {
	readonly state: PollState;
	readonly failure?: Error | undefined;
}

/**
 * Reads the events that no poll has read, then the rest of earlier readings, then behind what was read before. Half of the
 * time is for the rest of earlier readings, and each of them gets further in each poll.
 */
export async function readList(reading: Reading, before: PollState): Promise<Progress> {
	const after = before.trail?.at(-1)?.id;
	const news = await reading.read(
		{ after, backTo: before.readTo },
		before.walks.length > 0 ? 0.5 : 1,
	);
	const { failure } = news;
	if (news.isCursorRefused) return { state: withoutLastAnchor(before), failure };
	if (failure !== undefined && news.cursor === after) return { state: before, failure };
	const state = entered(afterNews(before, news, reading), news, reading);
	if (failure !== undefined || isEntering(before, state)) return { state, failure };
	return await readWalks(reading, news, withDue(state, reading.due));
}

/** Reads every unfinished part, those with unread events first, then the shorter ones. */
async function readWalks(reading: Reading, news: Walked, before: PollState): Promise<Progress> {
	let state = before;
	const isHolding = ({ holdsAt }: Unfinished) => holdsAt !== undefined;
	const others = before.walks.filter((walk) => !isHolding(walk));
	const inOrder = [
		...before.walks.filter(isHolding),
		...others.sort((a, b) => b.backTo - a.backTo),
	];
	for (const [n, walk] of inOrder.entries()) {
		const { cursor, by, backTo, upTo } = walk;
		const share = isHolding(walk) || n === inOrder.length - 1 ? 1 : 0.5;
		const walked = await reading.read({ after: cursor, by, backTo, upTo }, share);
		const replace = (rest: Unfinished[]) => ({
			...state,
			walks: state.walks.flatMap((each) => (each === walk ? rest : [each])),
		});
		if (walked.end === 'whole') state = replace([]);
		else if (walked.isCursorRefused) state = replace([from({}, walk)]);
		else state = replace([from(walked, walk)]);
		if (walked.failure !== undefined) return { state, failure: walked.failure };
		if (isTurned(state, walk, walked)) return { state: withoutTrail(state) };
		state = entered(state, news, reading);
		if (isEntering(before, state)) return { state };
	}
	return { state };
}

/** The part, to be continued there. */
function from(
	{ cursor, by }: Partial<Pick<Walked, 'cursor' | 'by'>>,
	{ cursor: _cursor, by: _by, ...part }: Unfinished,
): Unfinished {
	return { ...part, ...(cursor !== undefined && { cursor, ...(by !== undefined && { by }) }) };
}

/** The state after the new events were read as far as possible: what follows them is a part still to be read. */
function afterNews(state: PollState, news: Walked, { anchors, polledAt }: Reading): PollState {
	const { trail, openAt, ...kept } = state;
	const isWhole = news.end === 'whole' || trail !== undefined;
	const { backTo, lookedBackAt } = behind(state, polledAt, isWhole);
	const next = {
		...{ ...kept, lookedBackAt },
		readTo: Math.max(state.readTo, news.newestAt ?? 0),
	};
	if (trail !== undefined) {
		const anchor = anchorBefore(trail, backTo);
		const part = { backTo, upTo: state.readTo, ...(openAt !== undefined && { holdsAt: openAt }) };
		const walks = joined([...state.walks, from({ cursor: anchor?.id }, part)]);
		return { ...next, walks, trail: extended(trail, anchors) };
	}
	if (news.isAtEnd || news.readBackTo < backTo) return next;
	const holdsAt = Math.min(isWhole ? Infinity : state.readTo, openAt ?? Infinity);
	const part = { backTo, ...(holdsAt < Infinity && { holdsAt }) };
	return { ...next, walks: joined([...state.walks, from(news, part)]) };
}

/** How far back the poll reads, behind the newest event read before. Setting the clock back delays nothing. */
function behind({ readTo, lookedBackAt, openAt }: PollState, polledAt: number, isWhole: boolean) {
	const base = Math.min(readTo, polledAt);
	const due = LOOK_BACKS.filter(
		({ backMs, everyMs }, n) =>
			Math.abs(polledAt - (lookedBackAt[n] ?? 0)) >= everyMs &&
			(isWhole || backMs <= LONGEST_WHILE_CATCHING_UP_MS),
	);
	const backMs = Math.max(OVERLAP_MS, ...due.map((each) => each.backMs));
	return {
		backTo: Math.min(base - backMs, openAt ?? Infinity),
		lookedBackAt: LOOK_BACKS.map((each, n) =>
			each.backMs <= backMs ? polledAt : (lookedBackAt[n] ?? 0),
		),
	};
}

/** Joins the newest parts when there are too many: what lies between them is read again. */
function joined(walks: readonly Unfinished[]): Unfinished[] {
	const [last, previous] = [walks.at(-1), walks.at(-2)];
	if (walks.length <= MOST_WALKS || last === undefined || previous === undefined) return [...walks];
	const holdsAt = Math.min(last.holdsAt ?? Infinity, previous.holdsAt ?? Infinity);
	const both = {
		...last,
		backTo: Math.min(last.backTo, previous.backTo),
		...(holdsAt < Infinity && { holdsAt }),
	};
	return joined([...walks.slice(0, -2), both]);
}

/** A part for the open events that may start now, which begins at the newest of them. */
function withDue(state: PollState, due: readonly OpenEvent[]): PollState {
	const byTime = [...due].sort((a, b) => a.at - b.at);
	const [oldest, newest] = [byTime[0], byTime.at(-1)];
	if (oldest === undefined || newest === undefined) return state;
	const first = state.trail ? oldest : newest;
	const part = { backTo: oldest.at, ...(state.trail && { upTo: newest.at }) };
	return {
		...state,
		walks: joined([...state.walks, from({ cursor: first.place, by: first.at }, part)]),
	};
}

/** The state with a trail if the list turns out to begin with the oldest event. It then continues at the last record read. */
function entered(state: PollState, news: Walked, { anchors }: Reading): PollState {
	const isOldestFirst = news.isOldestFirst === true && anchors.length > 1;
	if (state.trail !== undefined || !isOldestFirst) return state;
	return { ...state, walks: [], trail: extended([], anchors) };
}

const isEntering = (before: PollState, after: PollState) =>
	before.trail === undefined && after.trail !== undefined;

/** Whether a list with a trail no longer begins with the oldest event: nothing that follows an anchor is newer than that. */
function isTurned({ trail }: PollState, { cursor }: Unfinished, walked: Walked): boolean {
	const anchor = trail?.find(({ id }) => id === cursor);
	if (trail === undefined) return false;
	if (anchor === undefined) return walked.isOldestFirst === false;
	return walked.end === 'whole' && (walked.newestAt ?? -Infinity) < anchor.at;
}

function withoutTrail({ trail: _trail, ...state }: PollState): PollState {
	return { ...state, walks: [] };
}

function withoutLastAnchor(state: PollState): PollState {
	const trail = state.trail?.slice(0, -1) ?? [];
	return trail.length > 0 ? { ...state, trail } : withoutTrail(state);
}
