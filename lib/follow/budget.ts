/** The time for which a poll may read the list. */

/** Requests that do not depend on the time: one for the new events and one to get further. */
const LEAST_REQUESTS = 2;

export class Budget {
	readonly #clock: () => number;
	#endsAt: number;
	#requests = 0;

	/** In milliseconds of a clock that nobody sets. */
	constructor({ clock, budgetMs }: { readonly clock: () => number; readonly budgetMs: number }) {
		this.#clock = clock;
		this.#endsAt = clock() + budgetMs;
	}

	get isOver(): boolean {
		return this.#clock() >= this.#endsAt;
	}

	/** Whether another request may be made. */
	get isLeft(): boolean {
		return this.#requests < LEAST_REQUESTS || !this.isOver;
	}

	/** Before each request: whether it may be made. */
	readonly mayRequest = (): boolean => {
		const may = this.isLeft;
		this.#requests += 1;
		return may;
	};

	/** It ends at the latest then, in milliseconds from now. */
	shorten(ms: number): void {
		this.#endsAt = Math.min(this.#endsAt, this.#clock() + ms);
	}
}
