import { type Listed as WalkedRecord, type WalkOptions, walk } from '../../../lib/follow';
import { ApiError, type ApiRecord } from '../../../lib/service';
import { walkPages } from '../../../lib/service/paging';

const MINUTE = 60_000;
const NOW = Date.parse('2026-01-27T12:00:00.000Z');
const PAGE = 4;

interface Listed {
	readonly id?: string;
	/** Minutes ago; undefined for a record without a time. */
	readonly ago?: number | undefined;
}

interface Service {
	readonly list: Listed[];
	/** Called with the number of the request, before its page. */
	readonly onRequest?: (request: number) => void;
	readonly date?: number;
}

/** The records of each page that the walk gave, and how it ended. */
async function walked(
	{ list, onRequest, date }: Service,
	reading: Partial<WalkOptions> = {},
	onPage?: (ids: readonly string[]) => boolean,
) {
	const pages: string[][] = [];
	const by: (number | undefined)[] = [];
	let requests = 0;
	const client: WalkOptions['client'] = {
		list: (_resource, options) =>
			walkPages(
				async (limit, after) => {
					requests += 1;
					onRequest?.(requests);
					const from = list.findIndex(({ id }) => id === after) + 1;
					if (after !== undefined && from === 0) {
						throw new ApiError('Unknown cursor', { hint: '', status: 404 });
					}
					if (date !== undefined) options.onDate?.(date);
					const items = list.slice(from, from + limit).map(({ id, ago }) => ({
						...(id !== undefined && { id }),
						eventType: 'any',
						...(ago !== undefined && { createdAt: new Date(NOW - ago * MINUTE).toISOString() }),
					}));
					return { items, hasMore: from + limit < list.length };
				},
				{ pageSize: PAGE, ...options },
				() => undefined,
			),
	};
	const result = await walk(
		{ client, pageSize: PAGE, backTo: -Infinity, now: NOW, ...reading },
		async (page) => {
			const ids = page.map(({ event }) => event.id);
			pages.push(ids);
			by.push(...page.map((listed) => listed.by && (NOW - listed.by) / MINUTE));
			return onPage?.(ids);
		},
	);
	return { ...result, pages, minutesAgo: by, requests: () => requests };
}

/** Records with these times, named e0, e1, ... */
const listOf = (...minutesAgo: (number | undefined)[]): Listed[] =>
	minutesAgo.map((ago, n) => ({ id: `e${n}`, ago }));
const upTo = (count: number) => Array.from({ length: count }, (_each, n) => n);
const newestFirst = (count: number) => listOf(...upTo(count));
const oldestFirst = (count: number) => listOf(...upTo(count).map((n) => count - n));

describe('a list that begins with the newest event', () => {
	it('is read back to the moment, and a few records further', async () => {
		const { end, isAtEnd, pages, isOldestFirst } = await walked(
			{ list: newestFirst(40) },
			{ backTo: NOW - 10 * MINUTE },
		);
		expect({ end, isAtEnd, isOldestFirst }).toEqual({
			end: 'whole',
			isAtEnd: false,
			isOldestFirst: false,
		});
		expect(pages.flat()).toHaveLength(16);
	});

	it('is read past one record that is out of order', async () => {
		const list = listOf(0, 1, 50, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
		const { pages } = await walked({ list }, { backTo: NOW - 6.5 * MINUTE });
		expect(pages.flat()).toContain('e7');
	});

	it('shows back to when it has been read', async () => {
		const { readBackTo } = await walked({ list: newestFirst(40) }, { mayRequest: first(2) });
		expect(readBackTo).toBe(NOW - 6 * MINUTE);
	});

	it.each([
		[[0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 12],
		[[0, 1, 2, 3, 4, 5, 6, 7], 4],
	])('is read past all events with the newest time: %p', async (times, count) => {
		const { pages } = await walked({ list: listOf(...times) }, { backTo: 'newest' });
		expect(pages.flat()).toHaveLength(count);
	});

	it('does not take an event that is dated ahead for the newest', async () => {
		const { newestAt } = await walked({ list: listOf(-60, 1, 2, 3) }, { backTo: 'newest' });
		expect(newestAt).toBe(NOW - MINUTE);
	});
});

describe('a list that begins with the oldest event', () => {
	it('is read to its end', async () => {
		const { isAtEnd, isOldestFirst, pages } = await walked(
			{ list: oldestFirst(10) },
			{ backTo: NOW - 2 * MINUTE },
		);
		expect({ isAtEnd, isOldestFirst }).toEqual({ isAtEnd: true, isOldestFirst: true });
		expect(pages.flat()).toHaveLength(10);
	});

	it('is read up to the given moment', async () => {
		const { end, pages } = await walked(
			{ list: oldestFirst(40) },
			{ backTo: NOW - 60 * MINUTE, upTo: NOW - 30 * MINUTE },
		);
		expect(end).toBe('whole');
		expect(pages.flat()).toHaveLength(16);
	});
});

const first = (most: number) => {
	let requests = 0;
	return () => requests++ < most;
};

it('dates an event without a time by the one before it, also when it continues', async () => {
	const list = listOf(undefined, 1, 2, undefined, undefined, undefined, 3);
	const { minutesAgo, cursor, by } = await walked({ list }, { mayRequest: first(1) });
	const rest = await walked({ list }, { after: cursor, by });
	expect([...minutesAgo, ...rest.minutesAgo]).toEqual([undefined, 1, 2, 2, 2, 2, 3]);
	const unknown = await walked({ list }, { after: cursor });
	expect(unknown.minutesAgo).toEqual([undefined, undefined, 3]);
});

/** What the walk gives of these records, which the service lists as one page. */
async function walkedRecords(...records: ApiRecord[]) {
	const given: WalkedRecord[] = [];
	const client: WalkOptions['client'] = {
		async *list() {
			for (const record of records) yield await Promise.resolve(record);
		},
	};
	const reading = { client, pageSize: PAGE, backTo: -Infinity, now: NOW };
	const result = await walk(reading, async (page) => {
		given.push(...page);
		return await Promise.resolve(true);
	});
	return { ...result, given };
}

it('gives each event its place, the record that it follows', async () => {
	const { given } = await walkedRecords({ id: 'a' }, { id: 'b' }, { id: 'c' });
	expect(given.map(({ place }) => place)).toEqual([undefined, 'a', 'b']);
});

it('leaves out records without an ID, and counts them', async () => {
	const { given, withoutId } = await walkedRecords({ eventType: 'any' }, { id: 'b' });
	expect(given.map(({ event }) => event.id)).toEqual(['b']);
	expect(withoutId).toBe(1);
});

it('ends as whole when the caller ends it, without a further request', async () => {
	const { end, isAtEnd, requests } = await walked({ list: newestFirst(40) }, {}, () => false);
	expect({ end, isAtEnd }).toEqual({ end: 'whole', isAtEnd: true });
	expect(requests()).toBe(1);
});

it.each([
	[404, true],
	[503, false],
])('with status %p for the record that it begins at, isCursorRefused is %p', async (status, is) => {
	const result = await walked(
		{
			list: newestFirst(10),
			onRequest: () => {
				throw new ApiError('No', { hint: '', status });
			},
		},
		{ after: 'e3' },
	);
	expect(result).toMatchObject({ end: 'failed', isCursorRefused: is, cursor: 'e3' });
});

it('reads a list without times to its end, of unknown order', async () => {
	const { pages, isOldestFirst, readBackTo, newestAt } = await walked(
		{ list: listOf(...upTo(10).map(() => undefined)) },
		{ backTo: NOW },
	);
	expect(pages.flat()).toHaveLength(10);
	expect({ isOldestFirst, readBackTo, newestAt }).toEqual({
		isOldestFirst: undefined,
		readBackTo: Infinity,
		newestAt: undefined,
	});
});

it('returns the time of the service at the first page', async () => {
	expect(await walked({ list: newestFirst(10), date: NOW - 5 })).toMatchObject({
		serviceNow: NOW - 5,
	});
});

it('rejects with the error of the caller', async () => {
	const error = new Error('The ledger is down');
	const fails = () => {
		throw error;
	};
	await expect(walked({ list: newestFirst(4) }, {}, fails)).rejects.toBe(error);
});
