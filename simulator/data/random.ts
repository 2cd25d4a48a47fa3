/** Numbers that look random but are the same at every start, so tests and people can recognize records. */

export interface Random {
	/** A whole number from 0 to `below` - 1. */
	int(below: number): number;
	pick<T>(choices: readonly [T, ...T[]]): T;
	/** Lower-case letters and digits. */
	text(length: number): string;
}

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';

/** The mulberry32 generator: 32 bits of state are plenty for a few thousand records. */
export function createRandom(seed: number): Random {
	let state = seed >>> 0;
	const next = (): number => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
	const int = (below: number): number => Math.floor(next() * below);
	return {
		int,
		pick: (choices) => choices[int(choices.length)] ?? choices[0],
		text: (length) => Array.from({ length }, () => ALPHABET.charAt(int(ALPHABET.length))).join(''),
	};
}
