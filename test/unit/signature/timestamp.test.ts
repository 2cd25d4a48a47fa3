import { isTimestamp, isWithinTolerance } from '../../../lib/signature/timestamp';

describe('the form of a timestamp', () => {
	test.each(['0', '1700000000', '999999999999', '000000000001'])('%j is one', (text) => {
		expect(isTimestamp(text)).toBe(true);
	});

	test.each([
		['nothing', ''],
		['13 digits', '1700000000000'],
		['a sign', '-1700000000'],
		['a plus', '+1700000000'],
		['a fraction', '1700000000.5'],
		['an exponent', '17e8'],
		['hexadecimal', '0x10'],
		['white space in front', ' 1700000000'],
		['a line break behind', '1700000000\n'],
		['digits of another script', '١٧٠٠٠٠٠٠٠٠'],
		['words', 'NaN'],
	])('%s is none', (_, text) => {
		expect(isTimestamp(text)).toBe(false);
	});
});

describe('the tolerance', () => {
	const tolerant = (nowSeconds: number, toleranceSeconds = 300) =>
		isWithinTolerance(1000, { nowSeconds, toleranceSeconds });

	test('holds in both directions, its bounds included', () => {
		expect(tolerant(1300)).toBe(true);
		expect(tolerant(700)).toBe(true);
		expect(tolerant(1301)).toBe(false);
		expect(tolerant(699)).toBe(false);
		expect(tolerant(1300.001)).toBe(false);
	});

	test('of nothing accepts the very second', () => {
		expect(tolerant(1000, 0)).toBe(true);
		expect(tolerant(1001, 0)).toBe(false);
	});

	test('accepts nothing when the clock or the tolerance is no number', () => {
		expect(tolerant(Number.NaN)).toBe(false);
		expect(tolerant(1000, Number.NaN)).toBe(false);
		expect(tolerant(1000, -1)).toBe(false);
	});
});
