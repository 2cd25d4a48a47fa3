/** Numbers of which there can be a million: eight bytes each, outside of the heap. */
export class Numbers {
	/** Most lists stay empty. */
	#all = NONE;
	#length = 0;

	get length(): number {
		return this.#length;
	}

	get all(): Float64Array {
		return this.#all.subarray(0, this.#length);
	}

	/** Undefined beyond the end. */
	get(index: number): number | undefined {
		return index < this.#length ? this.#all[index] : undefined;
	}

	set(index: number, one: number): void {
		this.#all[index] = one;
	}

	push(one: number): void {
		if (this.#length === this.#all.length) {
			const all = new Float64Array(Math.max(FIRST_LENGTH, 2 * this.#length));
			all.set(this.#all);
			this.#all = all;
		}
		this.#all[this.#length++] = one;
	}
}

const NONE = new Float64Array();
const FIRST_LENGTH = 8;
