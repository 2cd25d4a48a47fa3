/** The events that one reading of the list finds, and its end. */
import type { Knowledge } from '../../../lib/poll/knowledge';
import { Listing } from '../../../lib/poll/listing';
import { ApiError } from '../../../lib/service';
import { fakeList, listed } from './fakeList';

interface Choices {
	readonly pageSize?: number;
	readonly now?: number;
	readonly mayRequest?: () => boolean;
	readonly isWanted?: (id: string) => boolean;
	/** What is known of an event; everything else is fresh. */
	readonly known?: Readonly<Record<string, Knowledge>>;
	readonly failure?: Error;
}

function listingOf(records: readonly Record<string, unknown>[], choices: Choices = {}) {
	const { pageSize = 4, now = Infinity, known = {}, mayRequest = () => true } = choices;
	const { isWanted = () => true, failure } = choices;
	const list = fakeList(records, failure);
	const looked: string[] = [];
	const listing = new Listing({
		...{ client: list.client, pageSize, now, mayRequest },
		isWanted: ({ id }) => isWanted(id),
		look: async ({ id }) => {
			looked.push(id);
			return known[id] ?? 'fresh';
		},
	});
	return { list, listing, looked, fresh: () => listing.fresh.map(({ id }) => id) };
}
const atTimes = (...times: number[]) => times.map((at) => listed(`e${at}`, at));
const HEAD = { after: undefined, backTo: -Infinity };

it('counts records without an id and leaves them out', async () => {
	const { listing, fresh } = listingOf([{ id: '' }, ...atTimes(2), {}, ...atTimes(1)]);
	await listing.read(HEAD);
	expect([listing.withoutId, ...fresh()]).toEqual([2, 'e1', 'e2']);
});

it('neither starts nor looks up unwanted events, but continues from there', async () => {
	const { listing, looked, fresh } = listingOf(atTimes(3, 2, 1), { isWanted: (id) => id === 'e2' });
	await listing.read(HEAD);
	expect([looked, fresh()]).toEqual([['e2'], ['e2']]);
	expect(listing.cursor).toBe('e1');
	expect(listing.newestAt).toBe(3);
});

it('finds an event once when two stretches of the list overlap', async () => {
	const { listing, looked, fresh } = listingOf(atTimes(2, 1));
	await listing.read(HEAD);
	await listing.read({ ...HEAD, after: 'e3' });
	expect([looked, fresh()]).toEqual([
		['e2', 'e1'],
		['e1', 'e2'],
	]);
});

it('asks for events from the head, or after the record that it was given', async () => {
	const { list, listing } = listingOf([]);
	const options = { pageSize: 4, mayRequest: expect.any(Function) as unknown };
	expect(await listing.read(HEAD)).toBe('whole');
	expect(await listing.read({ ...HEAD, after: 'e3' })).toBe('whole');
	expect(list.asked).toStrictEqual([
		['event', options],
		['event', { ...options, startingAfter: 'e3' }],
	]);
	expect(listing.cursor).toBe('e3');
});

it('knows the newest time, dates ahead apart, and the oldest that waits', async () => {
	const known = { e3: 'waiting', e1: 'waiting', untimed: 'waiting' } as const;
	const records = [listed('untimed'), ...atTimes(9, 3, 4, 1, 2)];
	const { listing, fresh } = listingOf(records, { now: 4, known });
	await listing.read(HEAD);
	expect([listing.newestAt, listing.waitingAt]).toEqual([4, 1]);
	expect(fresh()).toEqual(['e2', 'e4', 'e9']);
});

it('holds nothing back for a waiting event without a time', async () => {
	const { listing } = listingOf([listed('untimed')], { known: { untimed: 'waiting' } });
	await listing.read(HEAD);
	expect(listing.waitingAt).toBeUndefined();
});

it('finds the order of the list by the records that have a time', async () => {
	const untimed = ['a', 'b', 'c'].map((id) => listed(id));
	const { listing } = listingOf([...untimed, ...atTimes(1, 2)]);
	await listing.read(HEAD);
	expect(listing.isOldestFirst).toBe(true);
});

it('keeps the order of an oldest-first list, and reverses another, if one has no time', async () => {
	const records = [...atTimes(1, 2), listed('untimed'), ...atTimes(3)];
	const ascending = listingOf(records);
	await ascending.listing.read(HEAD);
	expect(ascending.fresh()).toEqual(['e1', 'e2', 'untimed', 'e3']);
	const descending = listingOf(records.toReversed());
	await descending.listing.read(HEAD);
	expect(descending.fresh()).toEqual(['e1', 'e2', 'untimed', 'e3']);
});

it('names the last record before a moment', async () => {
	const { listing } = listingOf(atTimes(1, 2, 3, 4));
	await listing.read(HEAD);
	expect([1, 3, 9].map((moment) => listing.lastBefore(moment))).toEqual([undefined, 'e2', 'e4']);
});

describe('the reading ends', () => {
	it.each([
		['at a page whose last half is older', [9, 8, 4, 3, 2, 1], 4],
		['not where only less than half a page is older', [9, 8, 7, 4, 6, 5, 3, 2, 1], 8],
		['not where a newer one stands between', [9, 4, 3, 8, 7, 6, 2, 1, 0], 8],
		['not at what was created at the very moment', [9, 8, 5, 4, 7, 6, 3, 2, 1], 8],
		['not at old ones while the list begins with the oldest', [1, 2, 3, 4, 5, 6, 7], 7],
	])('%s', async (_which, times, taken) => {
		const { list, listing } = listingOf(atTimes(...times));
		expect(await listing.read({ after: undefined, backTo: 5 })).toBe('whole');
		expect(list.taken).toBe(taken);
	});

	it('at 20 older records in a row, however long a page is', async () => {
		const descending = Array.from({ length: 250 }, (_unused, n) => 250 - n);
		const { list, listing } = listingOf(atTimes(...descending), { pageSize: 100 });
		expect(await listing.read({ after: undefined, backTo: 171 })).toBe('whole');
		expect(list.taken).toBe(100);
	});

	it('at a page without times and new events, but not at one with a time', async () => {
		const known = { a: 'done', b: 'done', c: 'done', e9: 'done' } as const;
		const untimed = ['a', 'b', 'c', 'd'].map((id) => listed(id));
		const first = listingOf(untimed, { pageSize: 2, known });
		expect(await first.listing.read(HEAD)).toBe('whole');
		expect(first.list.taken).toBe(2);
		const second = listingOf([...atTimes(9), ...untimed], { pageSize: 2, known });
		expect(await second.listing.read(HEAD)).toBe('whole');
		expect(second.list.taken).toBe(4);
		const withNews = listingOf(untimed.toReversed(), { pageSize: 2, known });
		await withNews.listing.read(HEAD);
		expect(withNews.list.taken).toBe(4);
		expect(withNews.fresh()).toEqual(['d']);
	});

	it('bounded if the poll may send no more requests, with the events read so far', async () => {
		let requests = 0;
		const { listing, fresh } = listingOf(atTimes(6, 5, 4, 3, 2, 1), {
			mayRequest: () => requests++ < 1,
		});
		expect(await listing.read(HEAD)).toBe('bounded');
		expect([listing.cursor, ...fresh()]).toEqual(['e3', 'e3', 'e4', 'e5', 'e6']);
	});
});

describe('a list that fails', () => {
	const refused = (status: number) => new ApiError('No such cursor', { hint: '', status });

	it('has returned the earlier events', async () => {
		const { listing, fresh } = listingOf(atTimes(2, 1), { failure: refused(500) });
		expect(await listing.read(HEAD)).toBe('failed');
		expect(listing.failure).toMatchObject({ status: 500 });
		expect(fresh()).toEqual(['e1', 'e2']);
	});

	it.each([
		['the first request after a record is refused', [], 'gone', 404, true],
		['the request was for the head', [], undefined, 404, false],
		['a later request is refused', [2], 'gone', 404, false],
		['the service fails for the moment', [], 'gone', 503, false],
	])('where %s', async (_when, times, after, status, isCursorRefused) => {
		const { listing } = listingOf(atTimes(...times), { failure: refused(status) });
		expect(await listing.read({ ...HEAD, after })).toBe('failed');
		expect(listing.isCursorRefused).toBe(isCursorRefused);
	});

	it('without a status, such as a lost connection, refuses no cursor', async () => {
		const { listing } = listingOf([], { failure: new Error('socket hang up') });
		expect(await listing.read({ ...HEAD, after: 'e1' })).toBe('failed');
		expect(listing.isCursorRefused).toBe(false);
	});
});
