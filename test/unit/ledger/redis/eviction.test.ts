import { call, ScriptedRedis } from './scriptedRedis';

describe('a warning of a Redis that may evict entries', () => {
	let redis: ScriptedRedis;

	afterEach(() => redis.stop());

	/** The warnings of a ledger whose Redis gives this response to `INFO memory`. */
	async function warningsOf(response: string): Promise<string[]> {
		redis = await new ScriptedRedis((command) =>
			command === 'info' && redis.heard.at(-1)?.args[0] === 'memory' ? response : undefined,
		).start();
		const warnings: string[] = [];
		const store = redis.open({}, (message) => warnings.push(message));
		await call(store).ended;
		await redis.untilHeard('info');
		// Arrives after the response to that.
		await call(store).ended;
		return warnings;
	}

	const told = (...lines: string[]) => {
		const memory = ['# Memory', ...lines, ''].join('\r\n');
		return `$${memory.length}\r\n${memory}`;
	};

	it('is given when its memory has a limit and a policy that evicts', async () => {
		const warnings = await warningsOf(told('maxmemory:1048576', 'maxmemory_policy:allkeys-lru'));
		expect(warnings).toEqual([
			expect.stringMatching(/^Redis may evict ledger entries .*\(maxmemory-policy allkeys-lru\), /),
		]);
	});

	it.each([
		['without a limit', told('maxmemory:0', 'maxmemory_policy:allkeys-lru')],
		['with a policy that evicts nothing', told('maxmemory:1048576', 'maxmemory_policy:noeviction')],
		['when it names no policy', told('maxmemory:1048576')],
		['when it names no limit', told('maxmemory_policy:allkeys-lru', 'total_maxmemory:1048576')],
		['when the user may not ask', '-NOPERM No permissions'],
	])('is not given %s', async (_name, response) => {
		expect(await warningsOf(response)).toEqual([]);
	});
});
