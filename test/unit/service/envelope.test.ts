import { pageOf as pageWith } from '../../../lib/service/envelope';
import { Destination } from '../../../lib/service/errors';
import { Redactor } from '../../../lib/service/response';

const address = 'https://api.example.com/things';
const destination = new Destination(address, 'baseUrl', new Redactor('hush'));
const items = [{ id: 1 }];
/** The page, with these settings. */
const pageOf = (answer: unknown, itemsPath = '', more = {}) =>
	pageWith(answer, { itemsPath, hasMorePath: '', nextCursorPath: '', ...more }, destination);
const deepList = (): unknown => {
	let list: unknown = [];
	for (let depth = 0; depth < 100_000; depth++) list = [list];
	return list;
};

function failure(answer: unknown, itemsPath?: string): unknown {
	try {
		return pageOf(answer, itemsPath);
	} catch (error) {
		return error;
	}
}

describe('a page', () => {
	it.each([
		['{ data: { items, hasMore } }', { data: { items, hasMore: true } }, true],
		['{ data: { items } }', { data: { items } }, undefined],
		['{ data: { items }, hasMore }', { data: { items }, hasMore: false }, false],
		['a bare list', items, undefined],
		['{ data: [...] }', { data: items, hasMore: true }, true],
		['{ items: [...] }', { items, hasMore: false }, false],
		['{ data: null, items: [...] }', { data: null, items }, undefined],
		['hasMore of another kind', { items, hasMore: 'yes' }, undefined],
		['hasMore as an object', { items, hasMore: { toString: 1, valueOf: 2 } }, undefined],
		['hasMore as a deep list', { items, hasMore: deepList() }, undefined],
		['hasMore as null', { items, hasMore: null }, undefined],
		['hasMore as text', { data: { items, hasMore: ' True ' } }, true],
		['hasMore as text that denies', { items, hasMore: 'false' }, false],
		['has_more', { data: { items, has_more: false } }, false],
		['has_more next to data', { data: items, has_more: 'true' }, true],
		['hasMore that does not say, with has_more', { items, hasMore: null, has_more: true }, true],
		[
			'hasMore next to data, which says nothing',
			{ data: { items, hasMore: null }, hasMore: true },
			true,
		],
	])('is read from %s', (_name, answer, hasMore) => {
		expect(pageOf(answer)).toEqual({ items, hasMore });
		expect(pageOf(answer, '  ')).toEqual({ items, hasMore });
	});

	it.each([
		['items', { data: { items: null, hasMore: false } }],
		['items at the top level', { items: null, hasMore: false }],
		['data', { data: null, hasMore: false }],
	])('is empty where null stands for the list: %s', (_name, answer) => {
		expect(pageOf(answer)).toEqual({ items: [], hasMore: false });
	});

	it('is empty where the answer is null, or null stands where the user says', () => {
		const empty = { items: [], hasMore: undefined };
		expect(pageOf(null)).toEqual(empty);
		expect(pageOf({ rows: null }, 'rows')).toEqual(empty);
	});

	it('is read from where the user says, and hasMore from next to it', () => {
		const answer = { result: { list: { rows: items, hasMore: true } } };
		expect(pageOf(answer, 'result.list.rows')).toEqual({ items, hasMore: true });
		expect(pageOf([{ rows: items }], '0.rows')).toEqual({ items, hasMore: undefined });
		expect(pageOf({ rows: items, has_more: 'true' }, 'rows').hasMore).toBe(true);
	});

	it('is the first list at one of the paths that the user says', () => {
		const paths = 'result.assets, result.events,events';
		for (const answer of [{ result: { events: items } }, { events: items }]) {
			expect(pageOf(answer, paths).items).toEqual(items);
		}
		expect(failure({ a: 1 }, paths)).toMatchObject({
			message: expect.stringContaining("has no 'result', only an object with 'a'") as string,
		});
	});

	it.each([
		['true', { hasMore: true, next: 'c' }, { hasMore: true, cursor: 'c' }],
		['its text', { hasMore: 'FALSE', next: 'c' }, { hasMore: false, cursor: 'c' }],
		['nothing, with a cursor', { next: 7 }, { hasMore: true, cursor: '7' }],
		['nothing, without a cursor', { next: '' }, { hasMore: false, cursor: null }],
		['that there is more, without a cursor', { hasMore: true }, { hasMore: true, cursor: null }],
		[
			'something else, with a cursor that is none',
			{ hasMore: 2, next: { a: 1 } },
			{ hasMore: false, cursor: null },
		],
		['nothing, with half a surrogate pair', { next: '\ud800' }, { hasMore: false, cursor: null }],
	])(
		'says where the user says whether there is more, and where it begins: %s',
		(_name, said, expected) => {
			const answer = { items, hasMore: true, meta: said };
			const settings = { hasMorePath: 'meta.hasMore', nextCursorPath: 'links.next, meta.next' };
			expect(pageOf(answer, 'items', settings)).toEqual({ items, ...expected });
		},
	);

	it.each([
		[{ results: [], next: 1 }, "is an object with 'results', 'next'"],
		[{ data: { rows: [] } }, "is an object with 'data', and 'data' holds 'rows'"],
		[{}, 'is an empty object'],
		[{ data: {} }, "is an object with 'data', and 'data' holds nothing"],
		[{ hush: 1 }, "is an object with '[redacted]'"],
		['text', 'is a string'],
		[7, 'is a number'],
	])('that is not there is explained by the keys seen: %j', (answer, words) => {
		expect(failure(answer)).toMatchObject({
			message: `The response of https://api.example.com/things has no list where one is expected: it ${words}`,
			hint: expect.stringContaining(
				"Set 'Items Path' under 'Customize Service Interface'",
			) as string,
		});
	});

	it.each([
		[10, "'8', '9'"],
		[11, "'8', '9' and more"],
	])('that is not there is explained by ten keys at most, of %d', (count, end) => {
		const answer = Object.fromEntries(Array.from({ length: count }, (_, key) => [key, 1]));
		expect(() => pageOf(answer)).toThrow(end);
	});

	it.each([
		[{ a: {} }, 'a.b', "has no 'b' at 'a', only an empty object"],
		[{ a: [] }, 'b', "has no 'b', only an object with 'a'"],
		[{ a: { b: {} } }, 'a.b', "has an empty object at 'a.b' instead of a list"],
		[{ a: [1] }, 'a.b', "has no 'b' at 'a', only a list"],
		[{ a: null }, 'a.b', "has no 'b' at 'a', only null"],
		[{ a: { b: 'text' } }, 'a.b.length', "has no 'length' at 'a.b', only a string"],
		[{}, '__proto__', "has no '__proto__', only an empty object"],
		[{}, 'constructor.name', "has no 'constructor', only an empty object"],
	])('that is not where the user says is explained: %j at %s', (answer, path, words) => {
		expect(failure(answer, path)).toMatchObject({
			message: `The response of https://api.example.com/things ${words}`,
			hint: "Correct 'Items Path' under 'Customize Service Interface' in the Asset Service API credential, or in the options of the node.",
		});
	});

	it('counts before an error that stands next to it, unless it is empty or not there', () => {
		const error = 'quota used up';
		expect(pageOf({ items, error }).items).toEqual(items);
		for (const answer of [{ items: [], error }, { error }]) {
			expect(() => pageOf(answer)).toThrow(error);
		}
	});
});
