import { readRedisSettings } from '../../../lib/ledger/redis/settings';
import { RedisStore } from '../../../lib/ledger/redis/store';
import { Redis } from '../../../lib/vendor/ioredis';
import { type RedisServer, startRedis } from '../../support/redis';
import { describeStoreContract } from '../../unit/ledger/contract';

/** Shortens the remaining time of all entries, sessions and records at once. */
const ADVANCE = `
for _, key in ipairs(redis.call('KEYS', '*')) do
	local left = redis.call('PTTL', key)
	if left ~= -1 then redis.call('PEXPIRE', key, left - ARGV[1]) end
end`;

let server: RedisServer;
let client: Redis;

beforeAll(async () => {
	server = await startRedis({ password: 'a "p@ss" %word' });
	client = new Redis(server.url);
}, 30_000);

afterAll(async () => {
	client.disconnect();
	await server.remove();
});

describeStoreContract('Redis', async () => {
	const settings = readRedisSettings({ ASSET_SERVICE_LEDGER_REDIS_URL: server.url });
	await client.flushall();
	return {
		openStore: () => new RedisStore({ settings }),
		// Redis has its own clock, which a test cannot set.
		advance: async (ms) => {
			await client.eval(ADVANCE, 0, ms);
		},
		dispose: async () => undefined,
	};
});

it('finds its own change when a swap is sent again, since the response to the first was lost', async () => {
	const store = new RedisStore({
		settings: readRedisSettings({ ASSET_SERVICE_LEDGER_REDIS_URL: server.url }),
	});
	await client.flushall();
	for (let sent = 1; sent <= 2; sent += 1)
		expect(await store.swapRecord('name', undefined, 'one')).toBe(true);
	for (let sent = 1; sent <= 2; sent += 1)
		expect(await store.swapRecord('name', 'one', 'two')).toBe(true);
	expect(await store.swapRecord('name', 'one', 'three')).toBe(false);
	await store.close();
});
