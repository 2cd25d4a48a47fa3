/** What the client says to Redis of its own accord. */
import { call, ScriptedRedis } from './scriptedRedis';

describe('the client of Redis', () => {
	let redis: ScriptedRedis;

	beforeEach(async () => {
		redis = await new ScriptedRedis((command) =>
			['auth', 'select', 'client'].includes(command) ? '+OK' : undefined,
		).start();
	});

	afterEach(() => redis.stop());

	const said = () => redis.heard.map(({ command, args }) => [command, ...args].join(' '));

	it('signs in, chooses the database, and tells its name for the list of clients', async () => {
		const ledger = redis.open({
			QUEUE_BULL_REDIS_USERNAME: 'n8n',
			QUEUE_BULL_REDIS_PASSWORD: 'hunter2',
			QUEUE_BULL_REDIS_DB: '3',
		});
		await call(ledger).ended;
		expect(said().slice(0, 4)).toEqual([
			'auth n8n hunter2',
			'select 3',
			'client SETNAME asset-service-ledger',
			'ping',
		]);
	});

	it('says no more than that, and what the ledger asks', async () => {
		const { ended, seen } = call(redis.open());
		await ended;
		expect(seen).toEqual({ answer: 'none' });
		await redis.untilHeard('info');
		expect(said().map((words) => words.split(' ')[0])).toEqual(
			expect.arrayContaining(['client', 'ping', 'evalsha', 'info']),
		);
		expect(redis.heard).toHaveLength(4);
	});
});
