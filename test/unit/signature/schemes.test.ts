import fc from 'fast-check';
import type { DeliveryHeaders } from '../../../lib/signature';
import { digestsIn, isTimestamp, singleHeader } from '../../../lib/signature/schemes';

const digest = (bytes: number) => fc.uint8Array({ minLength: bytes, maxLength: bytes });
const ALGORITHMS = [
	{ algorithm: 'sha256', bytes: 32 },
	{ algorithm: 'sha512', bytes: 64 },
] as const;

describe.each(ALGORITHMS)('a $algorithm digest in hex', ({ algorithm, bytes }) => {
	const decode = (text: string) => digestsIn([text], algorithm, 'hex')[0];

	test('is read in lower, upper and mixed case', () => {
		fc.assert(
			fc.property(digest(bytes), fc.infiniteStream(fc.boolean()), (value, upper) => {
				const lower = Buffer.from(value).toString('hex');
				const mixed = lower.replace(/./g, (digit) =>
					upper.next().value === true ? digit.toUpperCase() : digit,
				);
				for (const text of [lower, lower.toUpperCase(), mixed]) {
					expect(decode(text)).toEqual(Buffer.from(value));
				}
			}),
		);
	});

	test('is refused when it is a digit short or long, or holds anything else', () => {
		const text = 'a1'.repeat(bytes);
		expect(decode(text.slice(1))).toBeUndefined();
		expect(decode(text.slice(2))).toBeUndefined();
		expect(decode(`${text}a`)).toBeUndefined();
		expect(decode(`${text}a1`)).toBeUndefined();
		// U+0130 has the low byte of the digit 0.
		for (const odd of ['g', ' ', '-', '\u0130', 'ａ', 'é']) {
			expect(decode(`${text.slice(1)}${odd}`)).toBeUndefined();
		}
	});
});

describe.each(ALGORITHMS)('a $algorithm digest in base64', ({ algorithm, bytes }) => {
	const decode = (text: string) => digestsIn([text], algorithm, 'base64')[0];

	test('is read in both alphabets, with and without padding', () => {
		fc.assert(
			fc.property(digest(bytes), (value) => {
				const padded = Buffer.from(value).toString('base64');
				const url = Buffer.from(value).toString('base64url');
				const padding = padded.slice(url.length);
				for (const text of [padded, padded.slice(0, url.length), url, `${url}${padding}`]) {
					expect(decode(text)).toEqual(Buffer.from(value));
				}
			}),
		);
	});

	test('has no second spelling: every other last character is refused', () => {
		const text = Buffer.alloc(bytes).toString('base64url');
		const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
		const accepted = Array.from({ length: 64 }, (_, value) => alphabet.charAt(value)).filter(
			(last) => decode(`${text.slice(0, -1)}${last}`) !== undefined,
		);
		const values = accepted.map((last) => decode(`${text.slice(0, -1)}${last}`)?.toString('hex'));
		expect(new Set(values).size).toBe(accepted.length);
		expect(accepted).toHaveLength(algorithm === 'sha256' ? 16 : 4);
	});

	test('is refused when it is truncated, too long, half padded or holds anything else', () => {
		const text = Buffer.alloc(bytes, 7).toString('base64url');
		for (const wrong of [text.slice(1), text.slice(4), `${text}AAAA`, `${text}===`, '']) {
			expect(decode(wrong)).toBeUndefined();
		}
		if (algorithm === 'sha512') expect(decode(`${text}=`)).toBeUndefined();
		for (const odd of ['=', ' ', '.', 'é', '\u0141']) {
			expect(decode(`${odd}${text.slice(1)}`)).toBeUndefined();
		}
	});
});

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

	test('is empty when it is repeated, also with the same value', () => {
		expect(singleHeader({ name: ['value', 'value'] }, 'name')).toBe('');
	});

	test('is empty when it is no text', () => {
		for (const value of [1, null, true, {}, [1], [undefined], () => 'value']) {
			expect(singleHeader({ name: value } as unknown as DeliveryHeaders, 'name')).toBe('');
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

describe('the form of a timestamp', () => {
	test.each(['0', '1700000000', '999999999999', '000000000001'])('%j is one', (text) => {
		expect(isTimestamp(text)).toBe(true);
	});

	test.each([
		['nothing', ''],
		['a missing one', undefined],
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
