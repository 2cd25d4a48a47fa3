/** The calls that wait for a usable connection. */
import type { RedisClient } from './client';
import { within } from './timeLimit';

interface Waiter {
	resolve(client: RedisClient): void;
	reject(error: unknown): void;
}

export class Waiters {
	readonly #waiting = new Set<Waiter>();

	/** The next usable client. Throws `NoResponse` if there is none within `ms` milliseconds. */
	async next(ms: number): Promise<RedisClient> {
		const { promise, ...waiter } = Promise.withResolvers<RedisClient>();
		this.#waiting.add(waiter);
		try {
			return await within(ms, promise);
		} finally {
			this.#waiting.delete(waiter);
		}
	}

	resolve(client: RedisClient): void {
		for (const waiter of this.#waiting) waiter.resolve(client);
	}

	reject(error: unknown): void {
		for (const waiter of this.#waiting) waiter.reject(error);
	}
}
