/** Tells which way a list is sorted, as far as the times of its records say. */
export class ListOrder {
	newestAt: number | undefined;
	isAscending = false;
	#firstAt: number | undefined;
	#oldestAt = Infinity;

	/** Takes the next record's time in unix milliseconds; undefined when it tells none. */
	learnFrom(at: number | undefined): void {
		if (at === undefined) return;
		this.#firstAt ??= at;
		this.isAscending ||= at > this.#firstAt;
		this.newestAt = Math.max(this.newestAt ?? at, at);
		this.#oldestAt = Math.min(this.#oldestAt, at);
	}

	/** Whether the first record is the newest so far, and a later one older. */
	get isDescending(): boolean {
		return !this.isAscending && this.#firstAt !== undefined && this.#oldestAt < this.#firstAt;
	}
}
