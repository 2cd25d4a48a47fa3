/**
 * Keeps up with the list of events, whatever pauses, outages and gaps there were. It knows nothing of what its callers do with
 * an event.
 *
 *     began ──publication──▶ up to date ◀──────────────── everything is read ────────┐
 *                               │                                                    │
 *                               └─ a poll cannot read all ─▶ stretches are unread ───┘
 *
 * A poll reads, as long as it may: (1) the new events, from the head of the list back to the newest event of the poll before,
 * (2) two minutes behind that, (3) the stretches that no poll has read, the oldest first, (4) what its caller wants to see again.
 * What it cannot read of (1) and (2) is one more stretch. Nothing that was read is read again because of it, so each poll gets
 * further, however many gaps there are. When its caller has dealt with all that and nothing is unread, it reads on (`readOn`):
 * the looks back, the shorter one first, which go on in the next polls.
 *
 * A list that begins with its oldest event has its new ones at the end: it is read from the last record of the poll before,
 * where the two minutes behind end. They and the stretches begin at a record of the trail.
 */
import { type ApiClient, IN_INTERFACE } from '../service';
import { PackageError } from '../shared/errors';
import { MINUTE_MS } from '../shared/time';
import {
	extendedTrail,
	type LastLook,
	LOOKS,
	OVERLAP_MS,
	type Position,
	positionAt,
	type Stretch,
	unreadFrom,
	withStretch,
} from './position';
import { NEIGHBORS_MS, type OnPage, type WalkOptions, walk, type Walked } from './walk';

export interface Source {
	readonly client: Pick<ApiClient, 'list'>;
	readonly pageSize: number;
	/** Called before each request; false leaves the rest to the next poll. */
	readonly mayRequest: () => boolean;
	/** By n8n's clock, in Unix milliseconds. */
	readonly now: number;
	/** Stretches to read again. Those without a place begin where the new events end. */
	readonly again?: readonly Stretch[];
	/** How long after its creation an event is still of use, in milliseconds: a look back that finds older ones is left out. */
	readonly latestMs?: number;
}

/** How far apart the order of a list and the times of its events may be, in milliseconds. */
export const DISORDER_MS = 10 * MINUTE_MS;
/**
 * Reads what is new, what is unread, and what is to be looked at again, and passes each page to `onPage` before the next
 * request. Never rejects because of the list, only with the error of `onPage`.
 */
export async function follow(before: Position, source: Source, onPage: OnPage) {
	return await followWith(new Reader(source, onPage), before, source);
}

async function followWith(reader: Reader, before: Position, source: Source) {
	const isOldestFirst = before.order === 'oldestFirst';
	const { id: after, at: by } = (isOldestFirst ? before.trail.at(-1) : undefined) ?? {};
	const backTo = isOldestFirst ? -Infinity : before.newestAt - OVERLAP_MS;
	const news = await reader.read({ after, by, backTo, order: before.order });
	if (!news.isWhole && news.cursor === after) return reader.followed(before, false);
	if (isTurned(before, news)) {
		reader.failure ??= turnedError(isOldestFirst);
		const { knownUpTo, looks } = before;
		const newestAt = Math.min(before.newestAt, knownUpTo);
		return reader.followed({ ...positionAt(knownUpTo), newestAt, looks }, false);
	}
	reader.failure ??= untimedError(after, news);
	let position = afterNews(before, news, source);
	const behind = behindNews(before, position);
	if (behind !== undefined) {
		// What follows the record that the poll before ended with was read just now.
		const rest = await readPart(behind, position, reader, after);
		position = { ...position, stretches: rest.reduce(withStretch, position.stretches) };
	}
	position = await readKind('unread', position, reader);
	position = await readKind('again', position, reader);
	const isAtEnd = position.order !== 'oldestFirst' || news.isWhole;
	const read = Math.min(isAtEnd ? reader.serviceNow : position.newestAt, unreadFrom(position));
	position = { ...position, knownUpTo: Math.max(before.knownUpTo, read) };
	const isWhole = isAtEnd && unreadFrom(position) === Infinity;
	const onward = isWhole ? withLooks(position, before, news, source) : position;
	return reader.followed(position, isWhole, onward);
}

/**
 * Reads what `follow` has left, as long as there is time: it had none, or its caller first dealt with what it was given. Then it
 * looks back. It continues from `onward` of what `follow` returned.
 */
export async function readOn(before: Position, source: Source, onPage: OnPage) {
	const reader = new Reader(source, onPage);
	// The rest of the new events is at the end of such a list.
	if (before.isBehind === true) return await followWith(reader, before, source);
	let position = await readKind('unread', before, reader);
	position = await readKind('again', position, reader);
	// Nothing of them is read while anything is unread, since the reader is over then, or has failed.
	position = await readKind('look', position, reader);
	const unread = unreadFrom(position);
	const knownUpTo = Math.max(before.knownUpTo, Math.min(position.newestAt, unread));
	return reader.followed({ ...position, knownUpTo }, unread === Infinity);
}

/**
 * The position of a publication: the list was read past all events of the newest time. A list that begins with its oldest
 * event is read to its end, or as far as the time allows.
 */
export async function begin(source: Source, onPage: OnPage) {
	const reader = new Reader(source, onPage);
	const news = await reader.read({ after: undefined, backTo: 'newest' });
	reader.failure ??= untimedError(undefined, news);
	const { serviceNow, newestAt = serviceNow } = news;
	const position = ordered({ ...positionAt(serviceNow), newestAt }, news);
	const isBehind = isFarBehind(position, news);
	const isWhole = position.order !== 'oldestFirst' || news.isWhole;
	return reader.followed({ ...position, isBehind }, isWhole);
}

/** Reads parts of the list within the limits of one poll. */
class Reader {
	/** Why the list could not be read further. */
	failure: Error | undefined;
	/** The service's time at the first page, or n8n's if it sends none. */
	serviceNow: number;
	/** The ID of a record that the service does not list any more. */
	gone: string | undefined;
	/** Whether no more requests are allowed. */
	isOver = false;
	#walks = 0;

	constructor(
		private readonly source: Source,
		private readonly onPage: OnPage,
	) {
		this.serviceNow = source.now;
	}

	async read(part: Omit<WalkOptions, 'client' | 'pageSize' | 'mayRequest' | 'now'>) {
		const { client, pageSize, mayRequest } = this.source;
		const options = {
			client,
			pageSize,
			...part,
			now: this.serviceNow,
			mayRequest: () => !(this.isOver = !mayRequest()),
		};
		const walked = await walk(options, this.onPage);
		if (this.#walks++ === 0) this.serviceNow = walked.serviceNow;
		this.failure ??= walked.failure;
		if (walked.isCursorRefused) this.gone = part.after;
		return walked;
	}

	/**
	 * `isWhole`: whether everything has been read that was listed. `onward`: for `readOn`, with the looks back that are due: until it
	 * has begun them, they stay due. Undefined if nothing is left to read, or nothing can be read.
	 */
	followed(position: Position, isWhole: boolean, onward = position) {
		const { failure, serviceNow, gone } = this;
		const isMore = onward.stretches.length > 0 || onward.isBehind === true;
		const next = isMore ? position : onward;
		return {
			position: gone === undefined ? next : without(next, gone),
			isWhole,
			failure,
			serviceNow,
			onward: isMore && failure === undefined ? onward : undefined,
		};
	}
}

/** What the new events leave to be read, and what is to be looked at again. */
function afterNews(before: Position, news: Walked, source: Source): Position {
	const known = ordered(before, news);
	const newestAt = Math.max(before.newestAt, news.newestAt ?? 0);
	const isOldestFirst = known.order === 'oldestFirst';
	const isBehind = isFarBehind({ ...known, newestAt }, news);
	let { stretches } = known;
	const add = (part: Stretch | undefined): void => {
		if (part !== undefined) stretches = withStretch(stretches, part);
	};
	if (!isOldestFirst) {
		stretches = passed(stretches, news);
		const { newestAt: lateTo } = before;
		if (!news.isWhole) add(below(news, lateTo - OVERLAP_MS, { kind: 'unread', lateTo }));
	}
	for (const stretch of source.again ?? []) {
		const { after, backTo, kind } = stretch;
		if (after !== undefined) add(stretch);
		else if (isOldestFirst) add({ ...stretch, after: placeBefore(backTo, known) });
		else add(below(news, backTo, { kind }));
	}
	const position = { ...known, newestAt, stretches, isBehind };
	// Behind a gap, a look back is due now: later, it would read what was created in the gap again.
	const isFirst = before.looks.length === 0;
	return isFirst || !news.isWhole ? withLooks(position, before, news, source) : position;
}

/** The position with the looks back that are due. */
function withLooks(position: Position, before: Position, news: Walked, source: Source): Position {
	const base = before.newestAt - OVERLAP_MS;
	const due = dueLooks(position, source);
	let { stretches } = position;
	if (position.order === 'oldestFirst') {
		// Behind the new events, a poll that is up to date reads two minutes in any case.
		const upTo = before.isBehind === true ? before.newestAt : base;
		for (const { from: backTo, after } of due.values()) {
			if (backTo < upTo) stretches = withStretch(stretches, { after, backTo, upTo, kind: 'look' });
		}
	} else if (due.size > 0) {
		const lookTo = Math.min(...[...due.values()].map(({ from }) => from));
		const part = news.isWhole
			? below(news, lookTo, { kind: 'look' })
			: below(news, base, { kind: 'unread', lateTo: before.newestAt, lookTo });
		if (part !== undefined) stretches = withStretch(stretches, part);
	}
	const upTo = position.isBehind === true ? news.serviceNow - OVERLAP_MS : position.newestAt;
	const looks = looksOf(source).map(({ lateMs }, n) => {
		const last = position.looks[n];
		if (last !== undefined && !due.has(n)) return last;
		const from = upTo - lateMs;
		return { at: source.now, from, after: placeBefore(from, position) };
	});
	return { ...position, stretches, looks };
}

const looksOf = ({ latestMs = Infinity }: Source) =>
	LOOKS.filter(({ lateMs, everyMs }) => lateMs + everyMs <= latestMs);

/** The last looks back of each length that is due again. Setting the clock back delays none. */
function dueLooks({ looks }: Position, source: Source): Map<number, LastLook> {
	const due = new Map<number, LastLook>();
	for (const [n, { everyMs }] of looksOf(source).entries()) {
		const last = looks[n];
		if (last !== undefined && Math.abs(source.now - last.at) >= everyMs) due.set(n, last);
	}
	return due;
}

/** In a list that begins with the newest event: what follows the new ones, as far back as that. */
function below(
	news: Walked,
	backTo: number,
	part: Pick<Stretch, 'kind' | 'lateTo' | 'lookTo'>,
): Stretch | undefined {
	const { cursor: after, by, isAtEnd, readBackTo } = news;
	return isAtEnd || readBackTo < backTo ? undefined : { after, by, backTo, ...part };
}

/**
 * In a list that begins with the oldest event: the ID of the last record, as far as it is known, that was created long enough
 * before: what was created since then may come before a record that is hardly older.
 */
function placeBefore(time: number, { order, trail }: Position): string | undefined {
	if (order !== 'oldestFirst') return undefined;
	return trail.findLast(({ at }) => at < time - NEIGHBORS_MS)?.id;
}

/** The position without a record that is gone. What was to be read after it begins after an older one, or at the head. */
function without(before: Position, gone: string): Position {
	const trail = before.trail.filter(({ id }) => id !== gone);
	const known = { ...before, trail };
	const order = trail.length < before.trail.length && trail.length === 0 ? undefined : before.order;
	const stretches = before.stretches.map((each) =>
		each.after === gone ? { ...each, after: placeBefore(each.backTo, known), by: undefined } : each,
	);
	const looks = before.looks.map((each) =>
		each.after === gone ? { ...each, after: placeBefore(each.from, known) } : each,
	);
	return { ...known, order, stretches, looks };
}

/** The two minutes behind the new events; in a list that begins with the newest event, they are read with them. */
function behindNews(before: Position, { order, trail }: Position): Stretch | undefined {
	if (before.order !== 'oldestFirst' || order !== 'oldestFirst' || before.isBehind === true)
		return undefined;
	const { newestAt } = before;
	const backTo = newestAt - OVERLAP_MS;
	const known = before.trail.length > 0 ? before.trail : trail;
	const { id: after, at: by } = known.findLast(({ at }) => at < backTo) ?? {};
	// A newer event may come before the last record of the poll before.
	const upTo = newestAt + NEIGHBORS_MS;
	return { after, by, backTo, upTo, kind: 'unread', lateTo: upTo };
}

/** Whether the reading of a list that begins with the oldest event has ended where nothing can be listed any more but what is late. */
function isFarBehind({ order, newestAt }: Position, news: Walked): boolean {
	return order === 'oldestFirst' && !news.isWhole && newestAt < news.serviceNow - OVERLAP_MS;
}

/** Stretches of a list that begins with the newest event, without what the reading of the new events has covered of them. */
function passed(stretches: readonly Stretch[], news: Walked): Stretch[] {
	const { cursor: after, by, isAtEnd, readBackTo } = news;
	if (isAtEnd) return [];
	return stretches.flatMap((each) => {
		const [left] = each.backTo <= readBackTo ? [each] : lookBehind(each);
		if (left === undefined || left.backTo > readBackTo) return [];
		return (left.by ?? Infinity) > readBackTo ? { ...left, after, by } : left;
	});
}

/** The look back that follows a stretch. */
function lookBehind({ after, by, lookTo }: Stretch): Stretch[] {
	return lookTo === undefined ? [] : [{ after, by, backTo: lookTo, kind: 'look' }];
}

/** Reads the stretches of a kind as long as it may. */
async function readKind(
	kind: Stretch['kind'],
	before: Position,
	reader: Reader,
): Promise<Position> {
	let { stretches } = before;
	const parts = stretches.filter((each) => each.kind === kind);
	if (kind === 'look') parts.reverse();
	for (const part of parts) {
		const rest = await readPart(part, before, reader);
		stretches = stretches.flatMap((each) => (each === part ? rest : [each]));
	}
	return { ...before, stretches };
}

/** Reads a stretch if it may. Returns what is left to be read: it is continued after its last record. */
async function readPart(
	part: Stretch,
	{ order }: Position,
	reader: Reader,
	until?: string,
): Promise<Stretch[]> {
	if (reader.isOver || reader.failure !== undefined) return [part];
	const { after, by, backTo, upTo } = part;
	const walked = await reader.read({ after, by, backTo, upTo, until, order });
	const rest = { ...part, after: walked.cursor, by: walked.by };
	if (walked.isWhole) return walked.isAtEnd ? [] : lookBehind(rest);
	return [upTo === undefined ? rest : { ...rest, backTo: Math.max(backTo, walked.by ?? backTo) }];
}

/** The position with the order of the list, as far as the reading from its head has shown it. */
function ordered(position: Position, { anchors, order: shown }: Walked): Position {
	const { order, trail } = position;
	if (order === 'oldestFirst') return { ...position, trail: extendedTrail(trail, anchors) };
	if (order !== undefined || shown !== 'oldestFirst') return { ...position, order: order ?? shown };
	// What was still to be read is behind the place that the reading has reached.
	return { ...position, order: shown, stretches: [], trail: extendedTrail([], anchors) };
}

/**
 * Whether a list of known order has been turned: its pages show the other order, and where its new events should be there are
 * only older ones than the newest one known, which reach back far.
 */
function isTurned({ order, newestAt }: Position, news: Walked): boolean {
	const { firstPageAt = Infinity, anchors } = news;
	if (order === undefined || news.order === undefined || news.order === order) return false;
	const longAgo = newestAt - DISORDER_MS;
	if (order === 'newestFirst') return firstPageAt < longAgo;
	const isOlder = (news.newestAt ?? Infinity) <= newestAt;
	return isOlder && (anchors.at(-1)?.at ?? Infinity) < longAgo;
}

/** The order was found out at publication; the next poll finds it out again, and reads what is unread. */
function turnedError(wasOldestFirst: boolean): PackageError {
	const [now, before] = wasOldestFirst ? ['newest', 'oldest'] : ['oldest', 'newest'];
	return new PackageError(
		`The list of events now begins with the ${now} event, and no longer with the ${before}`,
		{
			hint: 'Publish the workflow again to read the list in its new order at once; otherwise, the next poll does. Nothing is lost. If this keeps happening, ask the operator of the service for a list with a fixed order.',
		},
	);
}

/** Without times, it is unknown how far the list was read. Undefined if some record has one, or only new ones were read. */
function untimedError(after: string | undefined, news: Walked): UntimedError | undefined {
	return news.isUntimed && after === undefined ? new UntimedError() : undefined;
}

/** The list cannot be followed. */
export class UntimedError extends PackageError {
	constructor() {
		super('The listed events have no time of creation, so new ones cannot be told from old ones', {
			hint: `If they have one in another field, set the path of the time${IN_INTERFACE}. Otherwise, use the Asset Service Trigger, which receives events by webhook.`,
		});
	}
}
