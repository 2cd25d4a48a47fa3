import { RedisLedger, readRedisSettings } from '../../../lib/ledger/redis';
import { Redis } from '../../../lib/vendor/ioredis';
import { type RedisServer, startRedis } from '../../support/redis';
import { describeLedgerContract } from '../../unit/ledger/contract/suite';

let server: RedisServer;
let client: Redis;

beforeAll(async () => {
	server = await startRedis({ password: 'a "p@ss" %word' });
	client = new Redis(server.url);
});

afterAll(async () => {
	client.disconnect();
	await server.remove();
});

describeLedgerContract('redis', async () => {
	const settings = readRedisSettings({ ASSET_SERVICE_LEDGER_REDIS_URL: server.url });
	await client.flushall();
	return {
		open: () => new RedisLedger({ settings }),
		// Redis has a clock of its own: what is left of every entry gets shorter instead.
		advance: async (ms) => {
			for (const key of await client.keys('*')) {
				const until = await client.pttl(key);
				// Records stay for good.
				if (until === -1) continue;
				const left = until - ms;
				if (left > 0) await client.pexpire(key, left);
				else await client.del(key);
			}
		},
		dispose: async () => undefined,
	};
});
