/** Reads a part of the list of events, page by page, as long as it may. A later call can continue where it stopped. */
import { setImmediate } from 'node:timers/promises';
import { createdAt, eventFromList, type ParsedEvent } from '../event';
import type { ApiClient, ApiRecord, ListedPage, ListedRecord } from '../service';
import { isError } from '../shared/errors';
import { type ListOrderName, Reach } from '../shared/listOrder';
import { MINUTE_MS, SECOND_MS } from '../shared/time';
import { own } from '../shared/values';
import type { Anchor } from './position';

export interface WalkOptions {
	readonly client: Pick<ApiClient, 'list'>;
	readonly pageSize: number;
	/** The ID of the record to continue after; undefined for the head of the list. */
	readonly after?: string | undefined;
	/** `Listed.by` of that record. */
	readonly by?: number | undefined;
	/**
	 * In Unix milliseconds: a list that begins with the newest event is read back to here, any other to its end. `newest`:
	 * past all events with the newest time, which is at most `now`.
	 */
	readonly backTo: number | 'newest';
	/** A list that begins with the oldest event is read up to here; to its end by default. */
	readonly upTo?: number | undefined;
	/** The ID of a record: the page that has it ends the reading, whatever its time. */
	readonly until?: string | undefined;
	/** Which event the list begins with, if that is known. */
	readonly order?: ListOrderName | undefined;
	/** Called before each request; false ends the reading. */
	readonly mayRequest?: () => boolean;
	/** By n8n's clock, in Unix milliseconds. Events dated later than the service's time are not the newest: a date may be a day wrong. */
	readonly now: number;
}

/** A record of the list. */
export interface Listed {
	readonly event: ParsedEvent;
	/** As the service sent it. */
	readonly record: ApiRecord;
	/** When it was created, in Unix milliseconds; undefined if it does not say. */
	readonly at: number | undefined;
	/** In a list that begins with the newest event: when it was created, or by when, as far as the records before it say. */
	readonly by: number | undefined;
	/** The cursor of a reading that begins with this event, by default the ID of the record before it; undefined at the head. */
	readonly place: string | undefined;
}

export type Walked = Awaited<ReturnType<typeof walk>>;

/**
 * Called with each page, before the next one is requested, and with the service's time at the first one. False ends the reading,
 * which then counts as whole.
 */
export type OnPage = (page: readonly Listed[], serviceNow: number) => Promise<boolean | undefined>;

/** This many older records in a row, or half a page, end a reading. */
const OLDER_IN_A_ROW = 20;
const REFUSALS: ReadonlySet<unknown> = new Set([400, 404, 410, 422]);
/** Neighbors in a list may be in the wrong order by less than this. Its order is known once its times differ by more. */
export const NEIGHBORS_MS = MINUTE_MS;

/** Never rejects because of the list, only with the error of `onPage`. Other work of the process runs between pages. */
export async function walk(reading: WalkOptions, onPage: OnPage) {
	const { client, pageSize, after, until } = reading;
	const inARow = Math.min(OLDER_IN_A_ROW, Math.ceil(pageSize / 2));
	const { upTo: to = Infinity, backTo } = reading;
	let [newest, isRefused] = [-Infinity, false];
	let serviceAt: number | undefined;
	const serviceNow = () => serviceAt ?? reading.now;
	const latest = () => (serviceAt === undefined ? reading.now : serviceAt + SECOND_MS);
	const from = () => (backTo === 'newest' ? Math.min(newest, latest()) : backTo);
	const range = { from, to, inARow, order: reading.order, isInside: after !== undefined };
	const reach = new Reach({ ...range, disorderMs: NEIGHBORS_MS });
	const pages = client.list('event', {
		pageSize,
		...(after !== undefined && { startingAfter: after }),
		mayRequest: () => !(isRefused = reading.mayRequest?.() === false),
		onDate: (date) => {
			serviceAt ??= date;
		},
	});

	let [cursor, by] = [after, reading.by];
	const anchors: Anchor[] = [];
	let [newestAt, firstPageAt]: (number | undefined)[] = [];
	let [isBegun, isUntimed] = [false, false];
	let goesOn: Awaited<ReturnType<OnPage>>;
	const take = ({ record, id, place }: ListedRecord): Listed => {
		const event = eventFromList(record, id);
		const at = createdAt(event);
		isUntimed = at === undefined && newest === -Infinity;
		if (at !== undefined) newest = Math.max(newest, at);
		reach.add(at);
		by = at ?? by;
		if (at !== undefined && at <= latest()) newestAt = Math.max(newestAt ?? at, at);
		return { event, record, at, by, place };
	};
	const result = (isWhole: boolean, isAtEnd = false, failure?: Error) => ({
		/** Whether it was read as far as intended; otherwise it failed, or no more requests were allowed. */
		isWhole,
		/** Why the list could not be read further. */
		failure,
		/** Whether nothing follows: the list has ended, or the caller ended the reading. */
		isAtEnd,
		/** The ID of the last record read: a later reading continues after it. Undefined if nothing was read from the head. */
		cursor,
		/** `Listed.by` of that record. */
		by,
		/** In a list that begins with the newest event, everything created after this time has been read; Infinity while unknown. */
		readBackTo: reach.readBackTo,
		/** Which event the list begins with, as far as it was read; undefined while unknown, as within one page, unless that ended the reading. */
		order: anchors.length < 2 && !reach.isFarEnough ? undefined : orderOf(reach),
		/** When the newest event was created that is not dated in the future. */
		newestAt,
		/** Of each page, its last record with a time that is not of the future, or what was left out right behind that. */
		anchors,
		/** The newest time of the first page that has one. */
		firstPageAt,
		/** Whether there were events, and none had a time. */
		isUntimed,
		/** The service's time at the first page, in Unix milliseconds; `now` of the reading if it sends none. */
		serviceNow: serviceNow(),
		/** Whether the service refused to continue after the record that the reading began at. */
		isCursorRefused: !isBegun && after !== undefined && REFUSALS.has(own(failure, 'status')),
	});

	for await (const page of withFailure(pages)) {
		if (isError(page)) return result(false, false, page);
		isBegun = true;
		const listed = page.listed.map(take);
		// Behind what was left out, too.
		cursor = page.cursor ?? cursor;
		firstPageAt ??= newest > -Infinity ? newest : undefined;
		const last = listed.findLastIndex(({ at = Infinity }) => at <= serviceNow());
		const id = listed[last + 1]?.place ?? page.cursor ?? listed[0]?.place;
		const at = listed.length > 0 ? listed[last]?.at : by;
		if (id !== undefined && at !== undefined) anchors.push({ id, at });
		if (listed.length > 0) goesOn = await onPage(listed, serviceNow());
		if (goesOn === false) return result(true, true);
		await setImmediate();
		const isReached = until !== undefined && hasRecord(page, until);
		if (!page.isLast && (isReached || reach.isFarEnough)) return result(true);
	}
	return result(!isRefused, !isRefused);
}

/** Whether the page has the record, which it may have left out. */
const hasRecord = ({ listed, cursor }: ListedPage, wanted: string): boolean =>
	cursor === wanted || listed.some(({ id, place }) => id === wanted || place === wanted);

/** The pages; then the error, if the list failed. */
async function* withFailure(pages: AsyncIterable<ListedPage>): AsyncGenerator<ListedPage | Error> {
	try {
		yield* pages;
	} catch (error) {
		yield isError(error) ? error : new Error(String(error));
	}
}

function orderOf({ order: { rise } }: Reach): ListOrderName | undefined {
	if (rise > NEIGHBORS_MS) return 'oldestFirst';
	return rise < -NEIGHBORS_MS ? 'newestFirst' : undefined;
}
