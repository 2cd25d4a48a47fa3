import { type Listed as WalkedRecord, type WalkOptions, walk } from '../../../lib/follow';
import { ApiError } from '../../../lib/service';
import { fakeList } from './fakeList';

const MINUTE = 60_000;
const NOW = Date.parse('2026-01-27T12:00:00.000Z');
const PAGE = 4;

interface Listed {
	readonly id?: string;
	readonly createdAt?: string;
}

interface Circumstances {
	/** Called before each page. */
	readonly onRequest?: () => void;
	/** The service's time at a page. */
	readonly date?: () => number;
	readonly onPage?: () => boolean;
}

/** What the walk gave, in how many requests, and how it ended. */
async function walked(
	list: readonly Listed[],
	reading: Partial<WalkOptions> = {},
	{ onRequest, date, onPage }: Circumstances = {},
) {
	const given: WalkedRecord[] = [];
	let requests = 0;
	const client = fakeList(
		() => list,
		(_after, { onDate }) => {
			requests += 1;
			onRequest?.();
			if (date !== undefined) onDate?.(date());
		},
	);
	const result = await walk(
		{ client, pageSize: PAGE, backTo: -Infinity, now: NOW, ...reading },
		async (page) => {
			given.push(...page);
			return onPage?.();
		},
	);
	return { ...result, given, requests };
}

/** Records of so many minutes ago, or without a time, named e0, e1, ... */
const listOf = (...minutesAgo: (number | undefined)[]): Listed[] =>
	minutesAgo.map((ago, n) => ({
		...{ id: `e${n}` },
		...(ago !== undefined && { createdAt: new Date(NOW - ago * MINUTE).toISOString() }),
	}));
const upTo = (count: number) => Array.from({ length: count }, (_each, n) => n);
const newestFirst = (count: number) => listOf(...upTo(count));
const oldestFirst = (count: number) => listOf(...upTo(count).map((n) => count - n));

const NO_TIMES = listOf(...upTo(10).map(() => undefined));
const first = (most: number) => {
	let requests = 0;
	return () => requests++ < most;
};

/** `count`: how many records are given. */
it.each<[string, Listed[], Partial<WalkOptions>, number, object]>([
	[
		'that begins with the newest event is read back to the moment, and a few records further',
		newestFirst(40),
		{ backTo: NOW - 10 * MINUTE },
		16,
		{ isWhole: true, isAtEnd: false, order: 'newestFirst' },
	],
	[
		'is at its end if the page that is far enough is the last one',
		newestFirst(16),
		{ backTo: NOW - 10 * MINUTE },
		16,
		{ isWhole: true, isAtEnd: true },
	],
	[
		'is read past one record that is out of order',
		listOf(0, 1, 50, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
		{ backTo: NOW - 6.5 * MINUTE },
		12,
		{ isWhole: true },
	],
	[
		'shows back to when it has been read',
		newestFirst(40),
		{ mayRequest: first(2) },
		8,
		{ isWhole: false, readBackTo: NOW - 6 * MINUTE },
	],
	[
		'is read past all events with the newest time',
		listOf(0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
		{ backTo: 'newest' },
		12,
		{},
	],
	['is read one page if that has them', newestFirst(8), { backTo: 'newest' }, 4, {}],
	[
		'has an event that is dated ahead, which is not the newest',
		listOf(-60, 1, 2, 3),
		{ backTo: 'newest' },
		4,
		{ newestAt: NOW - MINUTE },
	],
	[
		'that begins with the oldest event is read to its end',
		oldestFirst(10),
		{ backTo: NOW - 2 * MINUTE },
		10,
		{ isAtEnd: true, order: 'oldestFirst' },
	],
	[
		'that begins with the oldest event is read up to the given moment',
		oldestFirst(40),
		{ backTo: NOW - 60 * MINUTE, upTo: NOW - 30 * MINUTE },
		16,
		{ isWhole: true },
	],
	[
		'without times is read to its end, of unknown order',
		NO_TIMES,
		{ backTo: NOW },
		10,
		{ order: undefined, readBackTo: Infinity, newestAt: undefined },
	],
])('a list %s', async (_what, list, reading, count, expected) => {
	const { given, ...result } = await walked(list, reading);
	expect(given).toHaveLength(count);
	expect(result).toMatchObject(expected);
});

it('dates an event without a time by the one before it, also when it continues', async () => {
	const list = listOf(undefined, 1, 2, undefined, undefined, undefined, 3);
	const minutesAgo = (given: readonly WalkedRecord[]) =>
		given.map(({ by }) => by && (NOW - by) / MINUTE);
	const { given, cursor, by } = await walked(list, { mayRequest: first(1) });
	const rest = await walked(list, { after: cursor, by });
	expect(minutesAgo([...given, ...rest.given])).toEqual([undefined, 1, 2, 2, 2, 2, 3]);
	const unknown = await walked(list, { after: cursor });
	expect(minutesAgo(unknown.given)).toEqual([undefined, undefined, 3]);
});

it('gives each event its place, the record that it follows', async () => {
	const { given } = await walked(newestFirst(5));
	expect(given.map(({ place }) => place)).toEqual([undefined, 'e0', 'e1', 'e2', 'e3']);
});

it('ends as whole when the caller ends it, without a further request', async () => {
	const walk = await walked(newestFirst(40), {}, { onPage: () => false });
	expect(walk).toMatchObject({ isWhole: true, isAtEnd: true, requests: 1 });
});

it.each([
	[404, true],
	[503, false],
])('with status %p for the record that it begins at, isCursorRefused is %p', async (status, is) => {
	const onRequest = () => {
		throw new ApiError('No', { hint: '', status });
	};
	expect(await walked(newestFirst(10), { after: 'e3' }, { onRequest })).toMatchObject({
		...{ isWhole: false, isCursorRefused: is, cursor: 'e3', failure: { message: 'No' } },
	});
});

it('returns the time of the service at the first page', async () => {
	let now = NOW - 5 * MINUTE;
	const date = () => (now += MINUTE);
	const { serviceNow, requests } = await walked(newestFirst(10), {}, { date });
	expect([serviceNow, requests]).toEqual([NOW - 4 * MINUTE, 3]);
});

it('rejects with the error of the caller', async () => {
	const error = new Error('The ledger is down');
	const onPage = () => {
		throw error;
	};
	await expect(walked(newestFirst(4), {}, { onPage })).rejects.toBe(error);
});
