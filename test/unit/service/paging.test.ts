import { recordsOf, walkPages } from '../../../lib/service/paging';
import { all } from './world';

type FetchPage = Parameters<typeof walkPages>[0];

const records = (from: number, count: number) =>
	Array.from({ length: count }, (_, index) => ({ id: `r${from + index}` }));

interface Asked {
	limit: number;
	startingAfter: string | undefined;
}

async function walk(
	answer: (asked: Asked, page: number) => { items: unknown[]; hasMore?: boolean },
	options: Partial<Parameters<typeof walkPages>[1]> = {},
) {
	const asked: Asked[] = [];
	const warnings: string[] = [];
	const fetchPage: FetchPage = (limit, startingAfter) => {
		const question = { limit, startingAfter };
		asked.push(question);
		const { items, hasMore } = answer(question, asked.length);
		return Promise.resolve({ items, hasMore });
	};
	const listed = await all(
		walkPages(fetchPage, { pageSize: 100, ...options }, (message) => warnings.push(message)),
	);
	return { listed, asked, warnings };
}

/** A service that keeps to the rules. */
const serving =
	(list: { id: string }[], hasMore: boolean) =>
	({ limit, startingAfter }: Asked) => {
		const start = list.findIndex(({ id }) => id === startingAfter) + 1;
		const items = list.slice(start, start + limit);
		return hasMore ? { items, hasMore: start + limit < list.length } : { items };
	};

describe('a list that is read ahead', () => {
	it.each([[undefined], [1], [100], [101], [250]])(
		'gives the same records by the same requests, with limit %s',
		async (limit) => {
			for (const hasMore of [true, false]) {
				const serve = serving(records(0, 230), hasMore);
				const options = limit === undefined ? {} : { limit };
				const ahead = await walk(serve, { ...options, readAhead: true });
				expect(ahead).toEqual(await walk(serve, options));
			}
		},
	);

	it('asks for the next page while the records of one are used, and for none after the last', async () => {
		const asked: unknown[] = [];
		const fetchPage: FetchPage = (_limit, startingAfter) => {
			asked.push(startingAfter);
			return Promise.resolve({ items: records(asked.length * 2, 2), hasMore: asked.length < 3 });
		};
		const progress: [string | undefined, number][] = [];
		const walking = walkPages(fetchPage, { pageSize: 2, readAhead: true }, () => undefined);
		for await (const { cursor } of walking) progress.push([cursor, asked.length]);
		expect(progress).toEqual([
			['r3', 2],
			['r5', 3],
			['r7', 3],
		]);
		expect(asked).toEqual([undefined, 'r3', 'r5']);
	});

	it('throws for a page only when it is due', async () => {
		const fetchPage: FetchPage = async (_limit, startingAfter) => {
			if (startingAfter !== undefined) throw new Error('away');
			return { items: records(0, 2), hasMore: true };
		};
		const walking = walkPages(fetchPage, { pageSize: 2, readAhead: true }, () => undefined);
		expect((await walking.next()).value).toMatchObject({ cursor: 'r1', isLast: false });
		// Time for an unhandled rejection, which would end the process.
		await new Promise(setImmediate);
		await expect(walking.next()).rejects.toThrow('away');
	});
});

describe('a list that may have only so many records', () => {
	it('fails when there are more, and never ends otherwise', async () => {
		const endless = (_asked: Asked, page: number) => ({ items: records(page * 10, 10) });
		await expect(walk(endless, { pageSize: 10, mostRecords: 100 })).rejects.toMatchObject({
			message: 'The list has more than 100 records',
		});
		const { listed } = await walk(serving(records(0, 100), true), { mostRecords: 100 });
		expect(listed).toHaveLength(100);
		expect((await walk(endless, { limit: 100, mostRecords: 100 })).listed).toHaveLength(100);
	});

	it('fails too if none of them matches', async () => {
		const endless = (_asked: Asked, page: number) => ({ items: records(page * 10, 10) });
		const none = { matching: () => false, limit: 1, mostRecords: 1000 };
		await expect(walk(endless, none)).rejects.toMatchObject({
			message: 'The list has more than 1,000 records',
		});
	});
});

describe('a list with records that are left out', () => {
	const ODD = [{ name: 'a' }, { name: 'b' }];

	it('ends when a page with one of them repeats', async () => {
		const same = () => ({ items: [ODD[0], { id: 'r1' }], hasMore: true });
		const { listed, asked } = await walk(same, { mostRecords: 100 });
		expect([listed, asked.length]).toEqual([[{ id: 'r1' }], 2]);
	});

	it('fails when it has too many records with them', async () => {
		const serve = (_asked: Asked, page: number) => ({
			items: [...ODD, { id: `r${page}` }],
			hasMore: page < 3,
		});
		expect((await walk(serve, { mostRecords: 9 })).listed).toHaveLength(3);
		await expect(walk(serve, { mostRecords: 8 })).rejects.toMatchObject({
			message: 'The list has more than 8 records',
		});
	});

	it('ends with several of them on its last page', async () => {
		const serve = (_asked: Asked, page: number) =>
			page === 1 ? { items: records(0, 2), hasMore: true } : { items: ODD, hasMore: false };
		const { listed, warnings } = await walk(serve);
		expect(listed).toEqual(records(0, 2));
		expect(warnings).toEqual([expect.stringContaining('left out 2 of the listed records')]);
	});

	it('ends with one of them as its only record', async () => {
		const { listed, warnings } = await walk(() => ({ items: ODD.slice(1), hasMore: false }));
		expect(listed).toEqual([]);
		expect(warnings).toEqual([expect.stringContaining('left out 1 of the listed records')]);
	});
});

describe('a list', () => {
	it.each([true, false])('is walked to its end (the service says so: %p)', async (says) => {
		const { listed, asked, warnings } = await walk(serving(records(0, 230), says));
		expect(listed).toEqual(records(0, 230));
		expect(asked).toEqual([
			{ limit: 100, startingAfter: undefined },
			{ limit: 100, startingAfter: 'r99' },
			{ limit: 100, startingAfter: 'r199' },
			// A short page does not say that it is the last.
			...(says ? [] : [{ limit: 100, startingAfter: 'r229' }]),
		]);
		expect(warnings).toEqual([]);
	});

	it('is walked to its end where the service allows less in a page than was asked for', async () => {
		const few = serving(records(0, 1000), false);
		const { listed, asked, warnings } = await walk((question) => few({ ...question, limit: 20 }));
		expect(listed).toEqual(records(0, 1000));
		expect([asked.length, warnings]).toEqual([51, []]);
	});

	it('continues if no limit is sent, since the service chooses the size of a page', async () => {
		const few = serving(records(0, 50), false);
		const { listed } = await walk((question) => few({ ...question, limit: 20 }), {
			pageSize: Infinity,
		});
		expect(listed).toEqual(records(0, 50));
	});

	const NO_ID = [{ name: 'a' }, { id: '' }, { id: null }];
	const INCOMPLETE = ['may be incomplete'];
	it.each<[string, Parameters<typeof walk>[0], readonly unknown[], number, readonly string[]]>([
		['when the service sends nothing', () => ({ items: [] }), [], 1, []],
		[
			'when its last page is full and an empty one follows',
			serving(records(0, 200), false),
			...([records(0, 200), 3, []] as const),
		],
		[
			'when the service ignores the cursor and says that there is more',
			() => ({ items: records(0, 100), hasMore: true }),
			...([records(0, 100), 2, INCOMPLETE] as const),
		],
		[
			'when the service ignores the cursor',
			() => ({ items: records(0, 100) }),
			...([records(0, 100), 2, INCOMPLETE] as const),
		],
		[
			'when pages go round in a circle',
			(_asked, page) => ({ items: records(page % 2 === 1 ? 0 : 50, 50), hasMore: true }),
			...([records(0, 100), 3, INCOMPLETE] as const),
		],
		[
			'when the service promises more and brings nothing',
			() => ({ items: [], hasMore: true }),
			...([[], 1, INCOMPLETE] as const),
		],
		['when no record has an ID', () => ({ items: NO_ID }), NO_ID, 1, ['no ID']],
		[
			'when no record has an ID and there is more',
			() => ({ items: NO_ID, hasMore: true }),
			...([NO_ID, 1, ['no ID']] as const),
		],
		[
			'when records have no ID and nothing more is to come',
			() => ({ items: NO_ID, hasMore: false }),
			...([NO_ID, 1, []] as const),
		],
		[
			'with a record without an ID between others, once',
			() => ({ items: [{ name: 'a' }, { id: 'r1' }], hasMore: true }),
			...([[{ name: 'a' }, { id: 'r1' }], 2, INCOMPLETE] as const),
		],
	])('that includes what has no ID ends %s', async (_name, answer, expected, requests, words) => {
		const { listed, asked, warnings } = await walk(answer, { includeOdd: true });
		expect(listed).toEqual(expected);
		expect(asked).toHaveLength(requests);
		expect(warnings).toEqual(words.map((text) => expect.stringContaining(text) as string));
	});

	it.each([
		[1, [1]],
		[99, [99]],
		[100, [100]],
		[101, [100, 1]],
		[250, [100, 100, 50]],
	])('of %d at most asks for no more than that', async (limit, limits) => {
		const { listed, asked } = await walk(serving(records(0, 1000), true), { limit });
		expect(listed).toEqual(records(0, limit));
		expect(asked.map((question) => question.limit)).toEqual(limits);
	});

	it('is cut at the limit when a page brings more than was asked for', async () => {
		const { listed } = await walk(() => ({ items: records(0, 30), hasMore: true }), { limit: 7 });
		expect(listed).toEqual(records(0, 7));
	});

	it('leaves out records that came before, within a page and across pages', async () => {
		const { listed } = await walk((_asked, page) =>
			page === 1
				? { items: [...records(0, 5), ...records(3, 3)], hasMore: true }
				: { items: records(4, 4), hasMore: false },
		);
		expect(listed).toEqual(records(0, 8));
	});

	it('takes the ids 7 and "7" for one', async () => {
		const { listed } = await walk(() => ({ items: [{ id: 7 }, { id: '7' }], hasMore: false }));
		expect(listed).toEqual([{ id: 7 }]);
	});

	it('wraps values that are not objects where it includes them', async () => {
		const odd = ['a', 7, null, [1]];
		const { listed } = await walk(() => ({ items: odd, hasMore: false }), { includeOdd: true });
		expect(listed).toEqual([{ value: 'a' }, { value: 7 }, { value: null }, { value: [1] }]);
	});

	it('counts only matching records towards the limit, and continues until it is reached', async () => {
		const matching = ({ id }: { id?: unknown }) => Number(String(id).slice(1)) % 50 === 0;
		const { listed, asked } = await walk(serving(records(0, 1000), true), { limit: 5, matching });
		expect(listed.map(({ id }) => id)).toEqual(['r0', 'r50', 'r100', 'r150', 'r200']);
		expect(asked.map(({ limit }) => limit)).toEqual([100, 100, 100]);
	});

	it('leaves out what is older than the moment asked for, and asks for whole pages meanwhile', async () => {
		const list = records(0, 1000).map((record, n) => ({ ...record, createdAt: 1_800_000_000 - n }));
		const createdAfter = (1_800_000_000 - 5) * 1000;
		const { listed, asked } = await walk(serving(list, true), { limit: 50, createdAfter });
		expect(listed).toEqual(list.slice(0, 6));
		expect(new Set(asked.map(({ limit }) => limit))).toEqual(new Set([100]));
	});

	it('asks for a page only when its records are wanted', async () => {
		let pages = 0;
		const walking = walkPages(
			() => Promise.resolve({ items: records(100 * pages++, 100), hasMore: true }),
			{ pageSize: 100 },
			() => undefined,
		);
		for await (const { id } of recordsOf(walking)) if (id === 'r99') break;
		expect(pages).toBe(1);
	});
});

const MOMENT = Date.UTC(2026, 0, 2);
const at = (minutes: number) => new Date(MOMENT + minutes * 60_000).toISOString();
const from = (first: number, step: number, count: number) =>
	Array.from({ length: count }, (_, index) => ({ createdAt: at(first + index * step) }));

/** The records that are listed, and how many were read, in pages of one. */
const since = async (records: readonly Record<string, unknown>[]) => {
	const list = records.map((record, n) => ({ ...record, id: `r${n}` }));
	const walked = await walk(serving(list, true), { pageSize: 1, createdAfter: MOMENT });
	const found = walked.listed.map(({ id, ...record }) => record);
	return { found, asked: walked.asked.length };
};

describe('a list since a moment', () => {
	it('ends a page after the moment where the newest come first', async () => {
		const records = from(249, -1, 5000);
		const { found, asked } = await since(records);
		expect(found).toEqual(records.slice(0, 250));
		expect(asked).toBe(350);
	});

	it('ends there also where its first records have no time', async () => {
		const timeless = Array.from({ length: 40 }, () => ({ createdAt: 'some day' }));
		expect((await since([...timeless, ...from(249, -1, 5000)])).asked).toBe(390);
	});

	it('is read to its end where the oldest come first', async () => {
		const records = from(-3000, 1, 3250);
		expect((await since(records)).found).toEqual(records.slice(3000));
	});

	it('is read to its end where the oldest come first, a page of them at one moment', async () => {
		const records = [...from(-60, 0, 300), ...from(-59, 1, 100)];
		expect((await since(records)).found).toEqual(records.slice(-41));
	});

	it('continues past older ones that do not fill a page in a row', async () => {
		const records = Array.from({ length: 500 }, (_, index) => ({
			createdAt: at(index % 100 === 0 ? 600 - index / 100 : -index),
		}));
		expect((await since(records)).found).toHaveLength(5);
	});

	it('is read to its end, with every record, if none has a time', async () => {
		const records = Array.from({ length: 500 }, () => ({ createdAt: 'some day' }));
		expect((await since(records)).found).toEqual(records);
	});

	it.each([
		['the moment itself', { createdAt: at(0) }, 1],
		[
			'its own time before that of an attempt',
			{ createdAt: at(1), attempts: [{ timestamp: 0 }] },
			1,
		],
		['its first attempt', { attempts: [{ timestamp: at(5) }, { timestamp: at(-9) }] }, 1],
		[
			'an attempt, where its own time is none',
			{ createdAt: {}, attempts: [{ timestamp: at(5) }] },
			1,
		],
		['a part of a second', { createdAt: MOMENT / 1000 - 0.5 }, 0],
		['its own time, which is older', { createdAt: at(-1), attempts: [{ timestamp: at(1) }] }, 0],
		[
			'its first attempt, which is older',
			{ attempts: [{ timestamp: at(-5) }, { timestamp: at(9) }] },
			0,
		],
		['attempts that are no list', { attempts: { length: 1 } }, 1],
	])('judges a record by %s', async (_name, record, count) => {
		expect((await since([record])).found).toHaveLength(count);
	});
});
