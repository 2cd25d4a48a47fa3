/** Numbers of which there can be a million: eight bytes each, outside of the heap. */
export class Numbers {
	#all = new Float64Array(16);
	#length = 0;

	get length(): number {
		return this.#length;
	}

	get all(): Float64Array {
		return this.#all.subarray(0, this.#length);
	}

	push(one: number): void {
		if (this.#length === this.#all.length) {
			const all = new Float64Array(2 * this.#length);
			all.set(this.#all);
			this.#all = all;
		}
		this.#all[this.#length++] = one;
	}
}
