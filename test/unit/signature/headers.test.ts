import type { DeliveryHeaders } from '../../../lib/signature';
import { eachEntry, singleHeader } from '../../../lib/signature/headers';

describe('a header that must occur once', () => {
	test('is read from a text and from an array of one, without surrounding white space', () => {
		expect(singleHeader({ name: ' value\t' }, 'name')).toBe('value');
		expect(singleHeader({ name: [' value '] }, 'name')).toBe('value');
		expect(singleHeader({ name: '' }, 'name')).toBe('');
	});

	test('is absent when there is none of it', () => {
		expect(singleHeader({}, 'name')).toBeUndefined();
		expect(singleHeader({ name: undefined }, 'name')).toBeUndefined();
		expect(singleHeader({ name: [] }, 'name')).toBeUndefined();
	});

	test('is refused when it is repeated, also with the same value', () => {
		expect(singleHeader({ name: ['value', 'value'] }, 'name')).toBeNull();
	});

	test('is refused when it is no text', () => {
		for (const value of [1, null, true, {}, [1], [undefined], () => 'value']) {
			expect(singleHeader({ name: value } as unknown as DeliveryHeaders, 'name')).toBeNull();
		}
	});

	test('is not mistaken for what every object inherits', () => {
		expect(singleHeader({}, 'constructor')).toBeUndefined();
		expect(singleHeader({}, '__proto__')).toBeUndefined();
	});

	test('is absent from headers that are no object', () => {
		for (const headers of [undefined, null, 'name', 1]) {
			expect(singleHeader(headers as unknown as DeliveryHeaders, 'name')).toBeUndefined();
		}
	});
});

describe('the entries of a list', () => {
	const entries = (value: string, separator: ',' | ' ') => {
		const found: string[] = [];
		eachEntry(value, separator, (start, end) => found.push(value.slice(start, end)));
		return found;
	};

	test('come in order and without white space around them', () => {
		expect(entries('a, b\t,\tc d ', ',')).toEqual(['a', 'b', 'c d']);
		expect(entries('a  b\tc ', ' ')).toEqual(['a', 'b\tc']);
	});

	test('that are empty are left out', () => {
		expect(entries(',, ,a,', ',')).toEqual(['a']);
		expect(entries('', ',')).toEqual([]);
		expect(entries('   ', ' ')).toEqual([]);
	});
});
