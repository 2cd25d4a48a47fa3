import { asNumber, own, valueAt } from '../../../lib/shared/values';

describe('asNumber', () => {
	it.each([
		[5, 5],
		[' 5.5 ', 5.5],
		[0, 1],
		['1e3', 100],
		[Infinity, 100],
		['', 50],
		['0x10', 50],
		['Infinity', 50],
		[NaN, 50],
		[true, 50],
		[[7], 50],
	])('takes %j for %d, between 1 and 100 with 50 as default', (value, expected) => {
		expect(asNumber(value, 50, 1, 100)).toBe(expected);
	});
});

describe('own', () => {
	it('knows no field that every object or list inherits', () => {
		expect(own({ a: 1 }, 'a')).toBe(1);
		expect(own({}, 'toString')).toBeUndefined();
		expect(own([1], 'map')).toBeUndefined();
		expect([own(['a'], '0'), own(['a'], 'length')]).toEqual(['a', 1]);
		expect(own(undefined, 'a')).toBeUndefined();
	});
});

describe('valueAt', () => {
	it('follows the names of a path, and finds nothing beyond what is there', () => {
		const value = { a: { b: [{ c: 7 }] } };
		expect(valueAt(value, 'a.b.0.c')).toBe(7);
		expect([valueAt(value, 'a.x.c'), valueAt(value, 'a.toString')]).toEqual([undefined, undefined]);
		expect(valueAt(undefined, 'a')).toBeUndefined();
	});
});
