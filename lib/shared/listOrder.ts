/** Determines the sort order of a list from its two ends, since neighboring records are often out of order. */

/** Records per end; more would not change its median by much. */
const LONGEST_END = 50;

/** The order of a list, from the times of its records as they are read. Keeps only the two ends. */
export class ListOrder {
	#count = 0;
	readonly #first: number[] = [];
	#last: number[] = [];

	add(time: number): void {
		this.#count += 1;
		if (this.#first.length < LONGEST_END) this.#first.push(time);
		this.#last.push(time);
		if (this.#last.length >= 2 * LONGEST_END) this.#last = this.#last.slice(-LONGEST_END);
	}

	/**
	 * Whether the list begins with the oldest record; undefined while unknown.
	 * Each end is a third of the times, at most 50, and counts by its median, so that neither an event that appeared late
	 * nor one dated in the future reverses the result.
	 */
	get isOldestFirst(): boolean | undefined {
		const { rise } = this;
		return rise > 0 ? true : rise < 0 ? false : undefined;
	}

	/** From the beginning of the list to its end, in milliseconds; NaN while unknown. */
	get rise(): number {
		const end = Math.min(LONGEST_END, Math.ceil(this.#count / 3));
		return median(this.#last.slice(-end)) - median(this.#first.slice(0, end));
	}
}

/** The same for times that are all known, in the order of the list. */
export function isOldestFirst(times: readonly number[]): boolean | undefined {
	const order = new ListOrder();
	for (const time of times) order.add(time);
	return order.isOldestFirst;
}

/** NaN for no times. */
function median(times: readonly number[]): number {
	return [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? NaN;
}
