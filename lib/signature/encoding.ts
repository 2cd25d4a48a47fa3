/** Turns the text of a signature into the bytes of a digest, strictly, and that of a secret into a key. */

export type Algorithm = 'sha256' | 'sha512';
export type Encoding = 'hex' | 'base64';

export const DIGEST_BYTES: Readonly<Record<Algorithm, number>> = { sha256: 32, sha512: 64 };

/** The bytes that the text spells from `start` up to `end`; `undefined` when that is not exactly one digest. */
export type DigestDecoder = (text: string, start: number, end: number) => Buffer | undefined;

/** Hex in any case; base64 or base64url, with or without padding. */
export function digestDecoder(algorithm: Algorithm, encoding: Encoding): DigestDecoder {
	const bytes = DIGEST_BYTES[algorithm];
	const alphabet = encoding === 'hex' ? HEX : BASE64;
	const digits = Math.ceil((bytes * 8) / alphabet.bits);
	// Base64 fills up to a multiple of four; hex digits are one already.
	const padding = '='.repeat(-digits & 3);
	const padded = digits + padding.length;
	return (text, start, end) => {
		const length = end - start;
		return length === digits || (length === padded && text.startsWith(padding, start + digits))
			? decodeDigits(alphabet, text, start, digits, bytes)
			: undefined;
	};
}

interface Alphabet {
	/** How many bits a digit stands for. */
	readonly bits: number;
	/** The value of each digit by character code; -1 for every other character. */
	readonly values: Int8Array;
}

const HEX = alphabet(4, '0123456789abcdef', '0123456789ABCDEF');
const LETTERS_AND_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const BASE64 = alphabet(6, `${LETTERS_AND_DIGITS}+/`, `${LETTERS_AND_DIGITS}-_`);

function alphabet(bits: number, ...spellings: readonly string[]): Alphabet {
	const values = new Int8Array(128).fill(-1);
	for (const digits of spellings) {
		for (let value = 0; value < digits.length; value += 1) values[digits.charCodeAt(value)] = value;
	}
	return { bits, values };
}

/**
 * By hand, because `Buffer.from` passes over what it does not know, and checking the form beforehand makes it
 * twice as slow. Bits beyond the digest must be zero, or several texts would pass for one signature.
 */
function decodeDigits(
	{ bits, values }: Alphabet,
	text: string,
	start: number,
	digits: number,
	length: number,
): Buffer | undefined {
	const bytes = Buffer.allocUnsafe(length);
	let held = 0;
	let heldBits = 0;
	let filled = 0;
	for (let index = start; index < start + digits; index += 1) {
		const value = values[text.charCodeAt(index)] ?? -1;
		if (value < 0) return undefined;
		held = (held << bits) | value;
		heldBits += bits;
		if (heldBits >= 8) {
			heldBits -= 8;
			bytes[filled] = held >> heldBits;
			held &= (1 << heldBits) - 1;
			filled += 1;
		}
	}
	return held === 0 ? bytes : undefined;
}

const BASE64_TEXT = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/** Decodes base64 of any length, padding optional; `undefined` when the text is not base64 or holds nothing. */
export function decodeBase64(text: string): Buffer | undefined {
	return text !== '' && BASE64_TEXT.test(text) ? Buffer.from(text, 'base64') : undefined;
}
