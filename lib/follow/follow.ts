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
	type Anchor,
	anchorBefore,
	extendedTrail,
	LOOK_BACKS,
	OVERLAP_MS,
	placeOf,
	type Position,
	positionAt,
	type Stretch,
	unreadFrom,
	withStretch,
} from './position';
import { type Listed, type OnPage, type WalkOptions, walk, type Walked } from './walk';

export interface Source {
	readonly client: Pick<ApiClient, 'list'>;
	readonly pageSize: number;
	/** Called before each request but the first two; false leaves the rest to the next poll. */
	readonly mayRequest: () => boolean;
	/** By n8n's clock, in Unix milliseconds. */
	readonly now: number;
	/** Stretches to read again. Those without a place begin where the new events end. */
	readonly again?: readonly Stretch[];
	/** How late an event may be listed and still be of use, in milliseconds; longer looks back are left out. */
	readonly latestMs?: number;
}

export interface Followed {
	readonly position: Position;
	/** Whether everything has been read that was listed. */
	readonly isWhole: boolean;
	/** Why the list could not be read further. */
	readonly failure?: Error | undefined;
	/** The service's time at the first page, or n8n's if it sends none. */
	readonly serviceNow: number;
	/** How many records had no ID, without which events cannot be told apart. */
	readonly withoutId: number;
}

/** The order was found out at publication; the next poll finds it out again, and reads what is unread. */
class ListTurnedError extends PackageError {
	constructor(isOldestFirst: boolean) {
		const [now, before] = isOldestFirst ? ['oldest', 'newest'] : ['newest', 'oldest'];
		super(`The list of events now begins with the ${now} event, and no longer with the ${before}`, {
			hint: 'Nothing is lost: the next poll reads the list in its new order. If this keeps happening, ask the operator of the service for a list with a fixed order.',
		});
	}
}

/** How far apart the order of a list and the times of its events may be, in milliseconds. */
const DISORDER_MS = 10 * MINUTE_MS;
/** Requests of a poll that do not depend on the time: one for the new events and one to get further. */
const LEAST_REQUESTS = 2;
/** Looks back that can wait at the same time: one of each length. */
const MOST_LOOK_BACKS = LOOK_BACKS.length;

/**
 * Reads what is new, what is unread, and what is to be looked at again, and passes each page to `onPage` before the next
 * request. Never rejects because of the list, only with the error of `onPage`.
 */
export async function follow(
	position: Position,
	source: Source,
	onPage: OnPage,
): Promise<Followed> {
	const reader = new Reader(source, onPage);
	const read = await readAll(position, source, reader);
	const { failure, serviceNow, withoutId } = reader;
	return { ...read, failure, serviceNow, withoutId };
}

/**
 * The position of a publication: the list was read past all events of the newest time. A list that begins with its oldest
 * event is read to its end, or as far as the time allows.
 */
export async function begin(source: Source, onPage: OnPage): Promise<Followed> {
	const reader = new Reader(source, onPage);
	const walked = await reader.read({ after: undefined, backTo: 'newest' });
	const { failure, serviceNow, withoutId } = reader;
	const begun = { ...positionAt(serviceNow, source.now), newestAt: walked.newestAt ?? serviceNow };
	const position = ordered(begun, walked, reader);
	const isBehind = isFarBehind(position, walked, position.newestAt, reader);
	const isWhole = position.order !== 'oldestFirst' || walked.end === 'whole';
	return { position: { ...position, isBehind }, isWhole, failure, serviceNow, withoutId };
}

type ListPart = Pick<WalkOptions, 'after' | 'by' | 'backTo' | 'upTo' | 'order'>;

/** Reads parts of the list within the limits of one poll. */
class Reader {
	failure: Error | undefined;
	serviceNow: number;
	withoutId = 0;
	/** Of each page of the current part, the last record with a time that is not of the future. */
	anchors: Anchor[] = [];
	/** The newest time of the first page of the current part. */
	firstPageAt: number | undefined;
	isOver = false;
	#requests = 0;
	#walks = 0;
	readonly #source: Source;
	readonly #onPage: OnPage;

	constructor(source: Source, onPage: OnPage) {
		this.#source = source;
		this.#onPage = onPage;
		this.serviceNow = source.now;
	}

	async read(part: ListPart): Promise<Walked> {
		const { client, pageSize, mayRequest } = this.#source;
		this.anchors = [];
		this.firstPageAt = undefined;
		const walked = await walk(
			{
				...{ client, pageSize, ...part, now: this.serviceNow },
				mayRequest: () => {
					this.#requests += 1;
					this.isOver = this.#requests > LEAST_REQUESTS && !mayRequest();
					return !this.isOver;
				},
			},
			async (page, serviceNow) => {
				this.#note(page, serviceNow);
				return await this.#onPage(page, serviceNow);
			},
		);
		if (this.#walks++ === 0) this.serviceNow = walked.serviceNow;
		this.withoutId += walked.withoutId;
		this.failure ??= walked.failure;
		return walked;
	}

	#note(page: readonly Listed[], serviceNow: number): void {
		const times = page.flatMap(({ at }) => (at === undefined ? [] : [at]));
		this.firstPageAt ??= times.length > 0 ? Math.max(...times) : undefined;
		const last = page.findLast(({ at = Infinity }) => at <= serviceNow);
		if (last?.at !== undefined) this.anchors.push({ id: last.event.id, at: last.at });
	}
}

async function readAll(
	before: Position,
	source: Source,
	reader: Reader,
): Promise<Pick<Followed, 'position' | 'isWhole'>> {
	const isOldestFirst = before.order === 'oldestFirst';
	const after = isOldestFirst ? before.trail.at(-1)?.id : undefined;
	const backTo = isOldestFirst ? -Infinity : before.newestAt - OVERLAP_MS;
	const news = await reader.read({ after, backTo, order: before.order });
	const unread = (position: Position) => ({ position, isWhole: false });
	if (news.isCursorRefused) return unread({ ...before, ...withoutLastAnchor(before) });
	if (reader.failure !== undefined && news.cursor === after) return unread(before);
	if (isTurned(before, news, reader)) {
		reader.failure ??= new ListTurnedError(!isOldestFirst);
		const { knownUpTo, lookedBackAt } = before;
		const newestAt = Math.min(before.newestAt, knownUpTo);
		return unread({ ...positionAt(knownUpTo, source.now), newestAt, lookedBackAt });
	}
	let position = afterNews(before, news, { source, reader });
	if (reader.failure === undefined) position = await readStretches(position, reader);
	const isAtEnd = position.order !== 'oldestFirst' || news.end === 'whole';
	const read = Math.min(isAtEnd ? reader.serviceNow : position.newestAt, unreadFrom(position));
	const knownUpTo = Math.max(before.knownUpTo, read);
	return {
		position: { ...position, knownUpTo },
		isWhole: isAtEnd && unreadFrom(position) === Infinity,
	};
}

interface ReadContext {
	readonly source: Source;
	readonly reader: Reader;
}

/** What the new events leave to be read, and what is due to be looked at again. */
function afterNews(before: Position, news: Walked, { source, reader }: ReadContext): Position {
	const known = ordered(before, news, reader);
	const newestAt = Math.max(before.newestAt, news.newestAt ?? 0);
	const isOldestFirst = known.order === 'oldestFirst';
	let { stretches } = known;
	const add = (stretch: Stretch) => {
		stretches = withStretch(stretches, stretch);
	};
	const behind = (backTo: number, isUnread: boolean): void => {
		if (isOldestFirst) {
			const trail = before.trail.length > 0 ? before.trail : known.trail;
			const after = anchorBefore(trail, backTo);
			add({ ...placeOf({ cursor: after }), backTo, upTo: before.newestAt, isUnread });
		} else if (!news.isAtEnd && news.readBackTo >= backTo) {
			add({ ...placeOf(news), backTo, isUnread });
		}
	};
	if (!isOldestFirst && news.isReadBelow !== true) stretches = passed(stretches, news);
	if (before.order !== 'oldestFirst') {
		if (!isOldestFirst && news.end !== 'whole') behind(before.newestAt - OVERLAP_MS, true);
	} else if (before.isBehind !== true) behind(before.newestAt - OVERLAP_MS, true);
	for (const stretch of source.again ?? []) {
		if (stretch.after === undefined) behind(stretch.backTo, stretch.isUnread);
		else add(stretch);
	}
	const base = Math.min(before.newestAt, source.now);
	const lookedBackAt = LOOK_BACKS.map(({ backMs, everyMs }, n) => {
		const last = before.lookedBackAt[n] ?? 0;
		// Setting the clock back delays nothing.
		const isDue = Math.abs(source.now - last) >= everyMs && backMs <= (source.latestMs ?? Infinity);
		const waiting = stretches.filter(({ isUnread }) => !isUnread).length;
		if (!isDue || waiting >= MOST_LOOK_BACKS || news.end !== 'whole') return last;
		behind(base - backMs, false);
		return source.now;
	});
	const isBehind = isFarBehind(known, news, newestAt, reader);
	return { ...known, newestAt, stretches, lookedBackAt, isBehind };
}

/** Whether the reading of a list that begins with the oldest event has ended where nothing can be listed any more but what is late. */
function isFarBehind(
	{ order }: Position,
	news: Walked,
	newestAt: number,
	{ serviceNow }: Reader,
): boolean {
	return order === 'oldestFirst' && news.end !== 'whole' && newestAt < serviceNow - OVERLAP_MS;
}

/** Stretches of a list that begins with the newest event, without what the reading of the new events has covered of them. */
function passed(stretches: readonly Stretch[], news: Walked): Stretch[] {
	return stretches.flatMap((each) => {
		const { by = Infinity, backTo } = each;
		if (news.isAtEnd || backTo > news.readBackTo) return [];
		return by > news.readBackTo ? [{ ...each, ...placeOf(news) }] : [each];
	});
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
		const walked = await reader.read({
			...{ after, by, backTo, order: before.order },
			...(upTo !== undefined && { upTo }),
		});
		const rest = walked.end === 'whole' ? [] : [restOf(stretch, walked)];
		stretches = stretches.flatMap((each) => (each === stretch ? rest : [each]));
		if (reader.failure !== undefined) break;
	}
	return { ...before, stretches };
}

function restOf(stretch: Stretch, walked: Walked): Stretch {
	const { after: _after, by: _by, ...part } = stretch;
	if (walked.isCursorRefused) return part;
	const { by = part.backTo } = walked;
	const backTo = part.upTo === undefined ? part.backTo : Math.max(part.backTo, by);
	return { ...part, ...placeOf(walked), backTo };
}

/** The position with the order of the list, as far as the reading from its head has shown it. */
function ordered(position: Position, news: Walked, { anchors }: Reader): Position {
	const { order, trail } = position;
	if (order === 'oldestFirst') return { ...position, trail: extendedTrail(trail, anchors) };
	if (order !== undefined || anchors.length < 2 || news.isOldestFirst === undefined)
		return position;
	if (!news.isOldestFirst) return { ...position, order: 'newestFirst' };
	// What was still to be read is behind the place that the reading has reached.
	return { ...position, order: 'oldestFirst', stretches: [], trail: extendedTrail([], anchors) };
}

/**
 * Whether a list of known order has been turned: its pages show the other order, and where its new events should be there are
 * only older ones than the newest one known, which reach back far.
 */
function isTurned({ order, newestAt }: Position, news: Walked, reader: Reader): boolean {
	const { firstPageAt = Infinity, anchors } = reader;
	if (order === undefined || anchors.length < 2) return false;
	const longAgo = newestAt - DISORDER_MS;
	if (order === 'newestFirst') return news.isOldestFirst === true && firstPageAt < longAgo;
	const isOlder = (news.newestAt ?? Infinity) <= newestAt;
	return news.isOldestFirst === false && isOlder && (anchors.at(-1)?.at ?? Infinity) < longAgo;
}

/** The record that the list was read to is gone. */
function withoutLastAnchor({ trail }: Position): Partial<Position> {
	const left = trail.slice(0, -1);
	return left.length > 0 ? { trail: left } : { trail: left, order: undefined };
}
