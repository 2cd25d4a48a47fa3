import { RedisLedger, readRedisSettings } from '../../../lib/ledger/redis';
import { Redis } from '../../../lib/vendor/ioredis';
import { type RedisServer, startRedis } from '../../support/redis';
import { describeLedgerContract } from '../../unit/ledger/contract/suite';

/** Shortens the remaining time of all entries at once; records never expire. */
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

describeLedgerContract('redis', async () => {
	const settings = readRedisSettings({ ASSET_SERVICE_LEDGER_REDIS_URL: server.url });
	await client.flushall();
	return {
		open: (onUnknown) => new RedisLedger({ settings, onUnknown }),
		// Redis has its own clock, which a test cannot set.
		advance: async (ms) => {
			await client.eval(ADVANCE, 0, ms);
		},
		dispose: async () => undefined,
	};
});
