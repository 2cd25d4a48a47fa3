/**
 * Randomness from one seed. Each label has a stream of its own, so that a history from which something is left out keeps the
 * rest of its choices.
 */

export class Random {
	readonly #seed: number;
	readonly #streams = new Map<string, () => number>();

	constructor(seed: number) {
		this.#seed = seed;
	}

	/** From 0 up to but not including 1. */
	next(label: string): number {
		let stream = this.#streams.get(label);
		if (stream === undefined)
			this.#streams.set(label, (stream = streamOf(hash(label, this.#seed))));
		return stream();
	}

	/** Whether something happens that has this chance. */
	chance(label: string, share: number): boolean {
		return this.next(label) < share;
	}

	/** A whole number from `least` to `most`. */
	whole(label: string, least: number, most: number): number {
		return least + Math.floor(this.next(label) * (most - least + 1));
	}

	/** Small numbers are as likely as large ones of a higher order. */
	spread(label: string, least: number, most: number): number {
		return Math.round(least * (most / least) ** this.next(label));
	}

	pick<T>(label: string, choices: readonly [T, ...T[]]): T {
		return choices[this.whole(label, 0, choices.length - 1)] ?? choices[0];
	}

	bytes(label: string, size: number): Buffer {
		return Buffer.from(Array.from({ length: size }, () => this.whole(label, 0, 255)));
	}
}

/** FNV-1a, mixed with the seed. */
function hash(text: string, seed: number): number {
	let value = 2_166_136_261 ^ Math.imul(seed, 2_654_435_761);
	for (let index = 0; index < text.length; index += 1) {
		value = Math.imul(value ^ text.charCodeAt(index), 16_777_619);
	}
	return value;
}

/** Mulberry32. */
function streamOf(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let value = Math.imul(state ^ (state >>> 15), 1 | state);
		value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
		return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
	};
}
