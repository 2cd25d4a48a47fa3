import { Fields } from '../../../lib/event';

const listed = (...records: Record<string, unknown>[]) => {
	const fields = new Fields();
	for (const record of records) fields.add(record);
	return fields.withValues;
};

describe('the fields of events', () => {
	it('are named by their paths, in order, with the values that were seen', () => {
		expect(
			listed(
				{ id: 'a', data: { connector: 2, ok: true, none: null, asset: { id: 'as_1' } } },
				{ id: 'b', data: { connector: 2, tags: ['x', ['y']], list: [{ code: 'E1' }, {}] } },
			),
		).toEqual([
			{ path: 'data.asset.id', values: ['as_1'] },
			{ path: 'data.connector', values: ['2'] },
			{ path: 'data.list.code', values: ['E1'] },
			{ path: 'data.ok', values: ['true'] },
			{ path: 'data.tags', values: ['x', 'y'] },
			{ path: 'id', values: ['a', 'b'] },
		]);
	});

	it('are those that a condition can name: no name has a dot in it or is empty', () => {
		expect(listed({ 'a.b': 1, '': { c: 1 }, d: 1 })).toEqual([{ path: 'd', values: ['1'] }]);
	});

	it('have a few short values each, and are a few hundred', () => {
		const [field] = listed(
			...Array.from({ length: 50 }, (_, n) => ({ a: `${n}\n${'x'.repeat(99)}` })),
		);
		expect(field?.values).toHaveLength(5);
		expect(field?.values.every((value) => value.length <= 40 && !value.includes('\n'))).toBe(true);
		const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`f${n}`, n]));
		expect(listed(many)).toHaveLength(500);
	});

	it('have a path of at most 100 characters', () => {
		const [listedName, longer] = ['x'.repeat(98), 'x'.repeat(99)];
		expect(listed({ a: { [listedName]: 1, [longer]: 1 } })).toEqual([
			{ path: `a.${listedName}`, values: ['1'] },
		]);
	});

	it.each([
		['fields', (inside: unknown) => ({ a: inside })],
		['lists', (inside: unknown) => [inside]],
	])('are at most 12 levels deep in %s', (_what, wrap) => {
		const nested = (levels: number) => {
			let value: unknown = 1;
			for (let n = 1; n < levels; n++) value = wrap(value);
			return listed({ a: value });
		};
		expect(nested(12)).toEqual([{ path: expect.any(String) as string, values: ['1'] }]);
		expect(nested(13)).toEqual([]);
	});

	it('are those among the first few thousand values of each event', () => {
		const after = (count: number, name: string) => ({
			list: [...Array.from({ length: count }, () => null), { [name]: 1 }],
		});
		expect(listed(after(4_900, 'a'), after(5_100, 'b'), after(4_900, 'c'))).toEqual([
			{ path: 'list.a', values: ['1'] },
			{ path: 'list.c', values: ['1'] },
		]);
	});
});

describe('the field that a path is probably meant to name', () => {
	const meant = (path: string, ...known: string[]) => {
		const fields = new Fields();
		fields.add(Object.fromEntries(known.map((name) => [name, 1])));
		fields.add({ data: { payload: Object.fromEntries(known.map((name) => [name, 1])) } });
		return fields.like(path);
	};

	it.each([
		['stet', 'stat', 'stat'],
		['spet', 'stat', undefined],
		['data.payload.spet', 'stat', undefined],
		['statsu', 'status', 'status'],
		['sattsu', 'status', undefined],
	])(
		'has at most one error for every three letters of the last name: %s for %s',
		(path, known, expected) => {
			expect(meant(path, known)).toBe(expected);
		},
	);

	it('is the one with the fewest errors', () => {
		expect(meant('errorCodes', 'errorCod', 'errorCode')).toBe('errorCode');
		expect(meant('errorCodes', 'errorCode', 'errorCod')).toBe('errorCode');
	});
});
