/** The documented permissions of the ledger's Redis user, on a real Redis and a real cluster. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ledgerKey } from '../../../lib/ledger';
import type { EventLedger } from '../../../lib/ledger/eventLedger';
import { withRedis } from '../../support/redis';
import { startRedisCluster } from '../../support/redisCluster';
import { eventually, failingRedis, refusal } from './failingRedis';

const KEYS = '~asset-service:ledger:*';
const RETENTION_MS = 1_000_000;
const BEGINNING = { acknowledge: 'succeeded', retentionMs: RETENTION_MS } as const;

/** The rules of each line that defines a user in the documentation. */
const [SINGLE = [], CLUSTER = []] = Array.from(
	readFileSync(join(__dirname, '../../../docs/run.md'), 'utf8').matchAll(
		/^ACL SETUSER n8n on >password (.*)$/gm,
	),
	([, rules = '']) => rules.split(' '),
);
const OPTIONAL = ['+info', '+client|setname'];
/** Only while slots move between the nodes. */
const RARE = '+asking';

const without = (rules: readonly string[], ...some: readonly string[]) =>
	rules.filter((rule) => !some.includes(rule));

/** Uses all that the ledger has. */
async function useAll(ledger: EventLedger, name: string): Promise<void> {
	const key = ledgerKey('workflow', name);
	const answer = await ledger.claim(key);
	if (answer.state !== 'claimed') throw new Error(`The event is ${answer.state}`);
	await ledger.release([answer.claim]);
	const again = await ledger.claim(key);
	if (again.state !== 'claimed') throw new Error(`The event is ${again.state}`);
	await ledger.commit([again.claim], RETENTION_MS);
	expect(await ledger.begin([key], { ...BEGINNING, run: name })).toEqual([true]);
	await ledger.end(name, 'failed');
	await ledger.reopen([key], 1, RETENTION_MS);
	expect(await ledger.swapRecord(name, undefined, 'a')).toBe(true);
	expect(await ledger.swapRecord(name, 'a', undefined)).toBe(true);
	expect(await ledger.readRecord(name)).toBeUndefined();
	expect((await ledger.look(key)).state).toBe('overdue');
}

async function refusalOf(ledger: EventLedger, missing: string): Promise<string> {
	return await useAll(ledger, `without ${missing}`).then(() => 'It was not needed', String);
}

const NOT_ALLOWED: unknown = expect.stringMatching(
	/its user is not allowed to do what the ledger needs: .* \(NOPERM\)/,
);

describe('the permissions of the Redis user', () => {
	const { start, open, ending } = failingRedis();

	const setUser = (url: string, rules: readonly string[]) =>
		withRedis(url, (client) =>
			client.call('ACL', 'SETUSER', 'n8n', 'reset', 'on', '>password', ...rules),
		);
	const USER = { QUEUE_BULL_REDIS_USERNAME: 'n8n', QUEUE_BULL_REDIS_PASSWORD: 'password' };

	it('that are documented are for the keys of the ledger, and the cluster needs more', () => {
		expect(SINGLE).toContain(KEYS);
		expect(without(CLUSTER, ...SINGLE)).toEqual(['+cluster|slots', RARE]);
		expect(without(SINGLE, ...CLUSTER)).toEqual(['+select']);
	});

	it('that are documented are enough, and each of them is needed', async () => {
		const server = await start({
			args: ['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru'],
		});
		const address = {
			QUEUE_BULL_REDIS_HOST: '127.0.0.1',
			QUEUE_BULL_REDIS_PORT: String(server.port),
			QUEUE_BULL_REDIS_DB: '2',
			...USER,
		};
		const warnings: string[] = [];
		const openOne = () => open(address, (message) => warnings.push(message));
		await setUser(server.url, SINGLE);
		await useAll(openOne(), 'documented');
		await eventually(async () => {
			expect(warnings).toHaveLength(1);
		});
		await setUser(server.url, without(SINGLE, ...OPTIONAL));
		await useAll(openOne(), 'without the optional ones');
		expect(warnings).toHaveLength(1);
		for (const missing of without(SINGLE, ...OPTIONAL)) {
			await withRedis(server.url, (client) => client.script('FLUSH'));
			await setUser(server.url, without(SINGLE, missing));
			expect([missing, await refusalOf(openOne(), missing)]).toEqual([missing, NOT_ALLOWED]);
		}
	}, 120_000);

	it('that are missing are reported at once', async () => {
		const server = await start();
		await setUser(server.url, without(SINGLE, '+get'));
		const ledger = open({
			QUEUE_BULL_REDIS_HOST: '127.0.0.1',
			QUEUE_BULL_REDIS_PORT: String(server.port),
			...USER,
		});
		expect(await refusal(ledger, 1_000)).toMatch(/is not allowed .*\(NOPERM\)/);
	});

	it('that are documented for a cluster are enough, and each of them is needed', async () => {
		const cluster = ending(await startRedisCluster());
		const setAll = async (rules: readonly string[]) => {
			for (const { url } of cluster.nodes) await setUser(url, rules);
		};
		const address = { QUEUE_BULL_REDIS_CLUSTER_NODES: cluster.addresses, ...USER };
		await setAll(CLUSTER);
		await useAll(open(address), 'documented');
		await setAll(without(CLUSTER, RARE, ...OPTIONAL));
		await useAll(open(address), 'without the optional ones');
		for (const missing of without(CLUSTER, RARE, ...OPTIONAL)) {
			for (const { url } of cluster.nodes) await withRedis(url, (client) => client.script('FLUSH'));
			await setAll(without(CLUSTER, missing));
			expect([missing, await refusalOf(open(address), missing)]).toEqual([missing, NOT_ALLOWED]);
		}
	}, 120_000);
});
