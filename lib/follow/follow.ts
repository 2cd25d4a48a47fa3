/**
 * Keeps up with the list of events, whatever pauses, outages and gaps there were. It knows nothing of what its callers do with
 * an event.
 *
 *     began ──publication──▶ up to date ◀──────────────── everything is read ────────┐
 *                               │                                                    │
 *                               └─ a poll cannot read all ─▶ stretches are unread ───┘
 *
 * A poll reads, as long as it may: (1) the new events, from the head of the list back to two minutes behind the newest event
 * of the poll before; (2) the stretches that no poll has read, the oldest first; (3) what its caller wants to see again, and
 * the longer looks back, the shorter ones first. What it cannot read of (1) is one more stretch. Nothing that was read is read
 * again because of it, so each poll gets further, however many gaps there are.
 *
 * A list that begins with its oldest event has its new ones at the end: it is read from the last record of the poll before,
 * and stretches behind that begin at a record of the trail.
 */
import type { ApiClient } from '../service';
import { PackageError } from '../shared/errors';
import { MINUTE_MS } from '../shared/time';
import {
	extendedTrail,
	LOOK_BACKS,
	OVERLAP_MS,
	type Position,
	positionAt,
	type Stretch,
	unreadFrom,
	withStretch,
} from './position';
import { type OnPage, type WalkOptions, walk, type Walked } from './walk';

export interface Source {
	readonly client: Pick<ApiClient, 'list'>;
	readonly pageSize: number;
	/** Called before each request but the first two; false leaves the rest to the next poll. */
	readonly mayRequest: () => boolean;
	/** By n8n's clock, in Unix milliseconds. */
	readonly now: number;
	/** Stretches to read again. Those without a place begin where the new events end. */
	readonly again?: readonly Stretch[];
	/** How old an event may be and still be of use, in milliseconds: no look back reaches further. */
	readonly latestMs?: number;
}

/** How far apart the order of a list and the times of its events may be, in milliseconds. */
export const DISORDER_MS = 10 * MINUTE_MS;
/** Requests of a poll that do not depend on the time: one for the new events and one to get further. */
const LEAST_REQUESTS = 2;
/** Looks back that can wait at the same time: one of each length. */
const MOST_LOOK_BACKS = LOOK_BACKS.length;

/**
 * Reads what is new, what is unread, and what is to be looked at again, and passes each page to `onPage` before the next
 * request. Never rejects because of the list, only with the error of `onPage`.
 */
export async function follow(before: Position, source: Source, onPage: OnPage) {
	const reader = new Reader(source, onPage);
	const isOldestFirst = before.order === 'oldestFirst';
	const { id: after, at: by } = (isOldestFirst ? before.trail.at(-1) : undefined) ?? {};
	const backTo = isOldestFirst ? -Infinity : before.newestAt - OVERLAP_MS;
	const news = await reader.read({ after, by, backTo, order: before.order });
	if (news.isCursorRefused) {
		// The record that the list was read to is gone.
		const trail = before.trail.slice(0, -1);
		const order = trail.length > 0 ? before.order : undefined;
		return reader.followed({ ...before, trail, order }, false);
	}
	if (reader.failure !== undefined && news.cursor === after) return reader.followed(before, false);
	if (isTurned(before, news)) {
		reader.failure ??= turnedError(isOldestFirst);
		const { knownUpTo, lookedBackAt } = before;
		const newestAt = Math.min(before.newestAt, knownUpTo);
		const turned = { ...positionAt(knownUpTo, source.now), newestAt, lookedBackAt };
		return reader.followed(turned, false);
	}
	let position = afterNews(before, news, source);
	if (reader.failure === undefined) position = await readStretches(position, reader);
	const isAtEnd = position.order !== 'oldestFirst' || news.isWhole;
	const read = Math.min(isAtEnd ? reader.serviceNow : position.newestAt, unreadFrom(position));
	position = { ...position, knownUpTo: Math.max(before.knownUpTo, read) };
	return reader.followed(position, isAtEnd && unreadFrom(position) === Infinity);
}

/**
 * The position of a publication: the list was read past all events of the newest time. A list that begins with its oldest
 * event is read to its end, or as far as the time allows.
 */
export async function begin(source: Source, onPage: OnPage) {
	const reader = new Reader(source, onPage);
	const news = await reader.read({ after: undefined, backTo: 'newest' });
	const { serviceNow, newestAt = serviceNow } = news;
	const position = ordered({ ...positionAt(serviceNow, source.now), newestAt }, news);
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
	isOver = false;
	#requests = 0;
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
			...{ client, pageSize, ...part, now: this.serviceNow },
			mayRequest: () => {
				this.#requests += 1;
				this.isOver = this.#requests > LEAST_REQUESTS && !mayRequest();
				return !this.isOver;
			},
		};
		const walked = await walk(options, this.onPage);
		if (this.#walks++ === 0) this.serviceNow = walked.serviceNow;
		this.failure ??= walked.failure;
		return walked;
	}

	/** `isWhole`: whether everything has been read that was listed. */
	followed(position: Position, isWhole: boolean) {
		const { failure, serviceNow } = this;
		return { position, isWhole, failure, serviceNow };
	}
}

/** What the new events leave to be read, and what is due to be looked at again. */
function afterNews(before: Position, news: Walked, source: Source): Position {
	const known = ordered(before, news);
	const newestAt = Math.max(before.newestAt, news.newestAt ?? 0);
	const isOldestFirst = known.order === 'oldestFirst';
	let { stretches } = known;
	const behind = (backTo: number, isUnread: boolean): void => {
		if (isOldestFirst) {
			const trail = before.trail.length > 0 ? before.trail : known.trail;
			const after = trail.findLast(({ at }) => at < backTo)?.id;
			stretches = withStretch(stretches, { after, backTo, upTo: before.newestAt, isUnread });
		} else if (!news.isAtEnd && news.readBackTo >= backTo) {
			stretches = withStretch(stretches, { after: news.cursor, by: news.by, backTo, isUnread });
		}
	};
	if (!isOldestFirst && !news.isReadBelow) stretches = passed(stretches, news);
	const isBehindUnread =
		before.order === 'oldestFirst' ? before.isBehind !== true : !isOldestFirst && !news.isWhole;
	if (isBehindUnread) behind(before.newestAt - OVERLAP_MS, true);
	for (const stretch of source.again ?? []) {
		if (stretch.after === undefined) behind(stretch.backTo, stretch.isUnread);
		else stretches = withStretch(stretches, stretch);
	}
	const base = Math.min(before.newestAt, source.now);
	const { latestMs = Infinity } = source;
	const lookedBackAt = LOOK_BACKS.map(({ backMs, everyMs }, n) => {
		const last = before.lookedBackAt[n] ?? 0;
		// Setting the clock back delays nothing.
		const isDue = Math.abs(source.now - last) >= everyMs && backMs <= latestMs;
		const waiting = stretches.filter(({ isUnread }) => !isUnread).length;
		if (!isDue || waiting >= MOST_LOOK_BACKS || !news.isWhole) return last;
		// It may have been listed at any time since the last look.
		behind(base - Math.min(everyMs + backMs, latestMs), false);
		return source.now;
	});
	const isBehind = isFarBehind({ ...known, newestAt }, news);
	return { ...known, newestAt, stretches, lookedBackAt, isBehind };
}

/** Whether the reading of a list that begins with the oldest event has ended where nothing can be listed any more but what is late. */
function isFarBehind({ order, newestAt }: Position, news: Walked): boolean {
	return order === 'oldestFirst' && !news.isWhole && newestAt < news.serviceNow - OVERLAP_MS;
}

/** Stretches of a list that begins with the newest event, without what the reading of the new events has covered of them. */
function passed(stretches: readonly Stretch[], news: Walked): Stretch[] {
	const { cursor: after, by, isAtEnd, readBackTo } = news;
	const left = stretches.filter(({ backTo }) => !isAtEnd && backTo <= readBackTo);
	return left.map((each) => ((each.by ?? Infinity) > readBackTo ? { ...each, after, by } : each));
}

/** Reads the stretches as long as it may; what is left of one is continued after its last record. */
async function readStretches(before: Position, reader: Reader): Promise<Position> {
	let { stretches } = before;
	const unread = stretches.filter(({ isUnread }) => isUnread);
	// In a list that begins with the oldest event, the newest one is what was read behind the new events.
	if (before.order === 'oldestFirst') unread.reverse();
	const others = stretches.filter(({ isUnread }) => !isUnread).reverse();
	for (const stretch of [...unread, ...others]) {
		if (reader.isOver) break;
		const { after, by, backTo, upTo } = stretch;
		const walked = await reader.read({ after, by, backTo, upTo, order: before.order });
		const rest = walked.isWhole ? [] : [restOf(stretch, walked)];
		stretches = stretches.flatMap((each) => (each === stretch ? rest : [each]));
		if (reader.failure !== undefined) break;
	}
	return { ...before, stretches };
}

function restOf(stretch: Stretch, { cursor: after, by, isCursorRefused }: Walked): Stretch {
	if (isCursorRefused) return { ...stretch, after: undefined, by: undefined };
	const { upTo, backTo } = stretch;
	const readTo = upTo === undefined ? backTo : Math.max(backTo, by ?? backTo);
	return { ...stretch, after, by, backTo: readTo };
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
			hint: 'Nothing is lost: the next poll reads the list in its new order. If this keeps happening, ask the operator of the service for a list with a fixed order.',
		},
	);
}
