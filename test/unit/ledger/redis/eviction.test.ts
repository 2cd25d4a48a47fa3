import type { RedisClient } from '../../../../lib/ledger/redis/client';
import { evictionWarning } from '../../../../lib/ledger/redis/connection';

const warningFor = (info: (section?: string) => Promise<string>) =>
	evictionWarning({ info } as unknown as RedisClient);
/** A response of Redis to `INFO memory`. */
const warningOf = (...lines: string[]) => {
	const memory = ['# Memory', ...lines, ''].join('\r\n');
	return warningFor(async (section) => (section === 'memory' ? memory : ''));
};

describe('a warning of a Redis that may evict entries', () => {
	it('is given when its memory has a limit and a policy that evicts', async () => {
		const warning = await warningOf('maxmemory:1048576', 'maxmemory_policy:allkeys-lru');
		expect(warning).toMatch(/^Redis may evict ledger entries .*\(maxmemory-policy allkeys-lru\), /);
	});

	it.each([
		['without a limit', ['maxmemory:0', 'maxmemory_policy:allkeys-lru']],
		['with a policy that evicts nothing', ['maxmemory:1048576', 'maxmemory_policy:noeviction']],
		['when it names no policy', ['maxmemory:1048576']],
		['when it names no limit', ['maxmemory_policy:allkeys-lru', 'total_maxmemory:1048576']],
	])('is not given %s', async (_name, lines) => {
		expect(await warningOf(...lines)).toBeUndefined();
	});

	it('is not given when the user may not ask', async () => {
		expect(await warningFor(() => Promise.reject(new Error('NOPERM')))).toBeUndefined();
	});
});
