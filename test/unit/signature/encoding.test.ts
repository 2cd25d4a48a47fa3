import fc from 'fast-check';
import { decodeBase64, digestDecoder } from '../../../lib/signature/encoding';

const whole = (decode: ReturnType<typeof digestDecoder>) => (text: string) =>
	decode(text, 0, text.length);
const digest = (bytes: number) => fc.uint8Array({ minLength: bytes, maxLength: bytes });
const ALGORITHMS = [
	{ algorithm: 'sha256', bytes: 32 },
	{ algorithm: 'sha512', bytes: 64 },
] as const;

describe.each(ALGORITHMS)('a $algorithm digest in hex', ({ algorithm, bytes }) => {
	const decode = whole(digestDecoder(algorithm, 'hex'));

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
	const decode = whole(digestDecoder(algorithm, 'base64'));

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

test('a digest is read from its place in a longer text', () => {
	const decode = digestDecoder('sha256', 'hex');
	const text = `v1=${'0f'.repeat(32)},v1=`;
	expect(decode(text, 3, 67)).toEqual(Buffer.alloc(32, 0x0f));
	expect(decode(text, 2, 66)).toBeUndefined();
	expect(decode(text, 3, 200)).toBeUndefined();
});

describe('base64 of any length', () => {
	test('is decoded with and without padding', () => {
		fc.assert(
			fc.property(fc.uint8Array({ minLength: 1 }), (value) => {
				const text = Buffer.from(value).toString('base64');
				expect(decodeBase64(text)).toEqual(Buffer.from(value));
				expect(decodeBase64(text.replace(/=+$/, ''))).toEqual(Buffer.from(value));
			}),
		);
	});

	test.each(['', '=', 'A', 'AAAAA', 'AA=', 'AAA==', 'AA AA', 'AA_A', 'AA-A', 'AAAA\n', 'ÄAAA'])(
		'%j is none',
		(text) => {
			expect(decodeBase64(text)).toBeUndefined();
		},
	);
});
