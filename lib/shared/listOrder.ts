/** Determines the sort order of a list from its two ends, since neighboring records are often out of order, and when it has been read far enough. */

/** Records per end; more would not change its median by much. */
const LONGEST_END = 50;

/** The order of a list, from the times of its records as they are read. Keeps only the two ends. */
class ListOrder {
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

interface Range {
	/** In Unix milliseconds: a list that begins with the newest record is read back to here. */
	readonly from: () => number;
	/** A list that begins with the oldest record is read up to here; to its end by default. */
	readonly to?: number;
	/** This many records outside the range in a row end the reading, because a list need not be sorted to the second. */
	readonly inARow: number;
	/** Which record the list begins with, if that is known. */
	readonly order?: ListOrderName | undefined;
	/** The times of two records in a row may be in the wrong order by less than this, in milliseconds; 0 by default. */
	readonly disorderMs?: number;
	/** Whether the records before, which were read earlier, have shown that the order still holds. */
	readonly isInside?: boolean;
}

export type ListOrderName = 'newestFirst' | 'oldestFirst';

/** Takes the times of a list in its order. */
export class Reach {
	readonly order = new ListOrder();
	readonly #range: Range;
	#olderInARow = 0;
	#newerInARow = 0;
	#isInside: boolean;
	/** The last times, more than needed. */
	#recent: number[] = [];

	constructor(range: Range) {
		this.#range = range;
		this.#isInside = range.isInside === true;
	}

	/** Whether the record belongs to the range; one without a time does. */
	add(at: number | undefined): boolean {
		const { from, to = Infinity, inARow } = this.#range;
		if (at !== undefined) this.order.add(at);
		const isOlder = at !== undefined && at < from();
		const isNewer = at !== undefined && at > to;
		this.#olderInARow = isOlder ? this.#olderInARow + 1 : 0;
		this.#newerInARow = isNewer ? this.#newerInARow + 1 : 0;
		this.#isInside ||= at !== undefined && !isOlder && !isNewer;
		this.#recent.push(at ?? Infinity);
		if (this.#recent.length >= 4 * inARow) this.#recent = this.#recent.slice(-inARow);
		return !isOlder && !isNewer;
	}

	/**
	 * Whether nothing in the range follows. A list of unknown order is read to its end, since such records may be there; one of
	 * known order too, if it has shown no record of the range: it may have turned.
	 */
	get isFarEnough(): boolean {
		const { inARow } = this.#range;
		if (this.#olderInARow >= inARow) return this.#isOrder('newestFirst');
		return this.#newerInARow >= inARow && this.#isOrder('oldestFirst');
	}

	/** In a list that begins with the newest record, everything created after this time has been read; Infinity while unknown. */
	get readBackTo(): number {
		const { inARow } = this.#range;
		const isEnough = this.#recent.length >= inARow && this.#isOrder('newestFirst');
		return isEnough ? Math.max(...this.#recent.slice(-inARow)) : Infinity;
	}

	#isOrder(order: ListOrderName): boolean {
		const { disorderMs = 0, order: known } = this.#range;
		if (known !== undefined && this.#isInside) return known === order;
		const { rise } = this.order;
		return order === 'newestFirst' ? rise < -disorderMs : rise > disorderMs;
	}
}
