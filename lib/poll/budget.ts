/** Shares the time of a poll, and the number of events that it may collect, between the parts of the list that it reads. */

interface Limits {
	/** How long the poll may read, in milliseconds. */
	readonly ms: number;
	readonly mostEvents: number;
	/** Milliseconds of a clock that nobody sets. */
	readonly clock: () => number;
	/** How many events have been collected. */
	readonly count: () => number;
}

export class Budget {
	readonly #limits: Limits;
	readonly #deadline: number;

	constructor(limits: Limits) {
		this.#limits = limits;
		this.#deadline = limits.clock() + limits.ms;
	}

	static ofTime(ms: number, clock: () => number): Budget {
		return new Budget({ ms, clock, mostEvents: Infinity, count: () => 0 });
	}

	get isOver(): boolean {
		return this.#limits.clock() >= this.#deadline;
	}

	get isFull(): boolean {
		return this.#limits.count() >= this.#limits.mostEvents;
	}

	/** Permits requests for this part of what is left, and one in any case: every reading gets further in each poll. */
	share(part: number): () => boolean {
		const { clock, count, mostEvents } = this.#limits;
		const now = clock();
		const until = now + part * Math.max(0, this.#deadline - now);
		const most = count() + part * Math.max(0, mostEvents - count());
		let requests = 0;
		return () => requests++ === 0 || (clock() < until && count() < most);
	}
}
