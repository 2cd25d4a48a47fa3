import { readRedisSettings } from '../../../../lib/ledger/redis';
import { createRedisClient } from '../../../../lib/ledger/redis/client';
import { Redis } from '../../../../lib/vendor/ioredis';

describe('a lost connection to Redis', () => {
	/** Milliseconds from the loss, or from the try that failed, to the next try. */
	function pauses(isIdle: () => boolean): unknown[] {
		const client = createRedisClient(readRedisSettings({}), isIdle);
		if (!(client instanceof Redis)) throw new Error('This is a cluster.');
		return [1, 2, 9, 10, 11, 1_000].map((attempt) => client.options.retryStrategy?.(attempt));
	}

	it('is opened again soon, and every second for as long as Redis is away', () => {
		expect(pauses(() => false)).toEqual([100, 200, 900, 1_000, 1_000, 1_000]);
	});

	it('is not opened again while nobody uses it', () => {
		expect(pauses(() => true)).toEqual([null, null, null, null, null, null]);
	});
});
