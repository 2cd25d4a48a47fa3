/** Decides when a list has been read far enough, by the times of its records. */
import { ListOrder } from './listOrder';

export interface Range {
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
}

export type ListOrderName = 'newestFirst' | 'oldestFirst';

/** Takes the times of a list in its order. */
export class Reach {
	readonly order = new ListOrder();
	readonly #range: Range;
	#olderInARow = 0;
	#newerInARow = 0;
	#isInside = false;
	/** The last times, more than needed. */
	#recent: number[] = [];

	constructor(range: Range) {
		this.#range = range;
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
