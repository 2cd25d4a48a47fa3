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
});
