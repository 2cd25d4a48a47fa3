/** The clock of Redis, as this process knows it: the hosts that share a Redis need not agree on the time. */
import type { RedisClient } from './client';

/** How long the clocks of Redis and this process are assumed to run at the same speed. */
const VALID_MS = 60_000;

export class RedisClock {
	/** Unix milliseconds on the clock of Redis, at a time of `performance.now()` or slightly before it. */
	#known: { readonly redis: number; readonly at: number } | undefined;

	/** Unix milliseconds on the clock of Redis, as far as it is known. */
	now(): number {
		if (this.#known === undefined) return Date.now();
		return Math.floor(this.#known.redis + performance.now() - this.#known.at);
	}

	/**
	 * A time of `performance.now()` on the clock of Redis. Early by the time that the response to TIME took: a script may be refused too
	 * early, but never runs too late.
	 */
	of(time: number, client: RedisClient): number {
		if (this.#known === undefined) return Number.MAX_SAFE_INTEGER;
		const { redis, at } = this.#known;
		if (performance.now() - at > VALID_MS) {
			this.set(redis + performance.now() - at);
			this.read(client).catch(() => undefined);
		}
		return Math.floor(redis + time - at);
	}

	async read(client: RedisClient): Promise<void> {
		const [seconds, microseconds] = await client.time();
		const clock = Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
		if (Number.isSafeInteger(clock)) this.set(clock);
	}

	/** Unix milliseconds. */
	set(redis: number): void {
		this.#known = { redis, at: performance.now() };
	}
}
