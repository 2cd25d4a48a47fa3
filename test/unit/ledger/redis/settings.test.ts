import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LedgerUnavailableError } from '../../../../lib/ledger';
import { readRedisSettings, redisUnavailableError } from '../../../../lib/ledger/redis/settings';

describe("the settings of the queue's Redis", () => {
	it('are those of n8n when nothing is set', () => {
		expect(readRedisSettings({})).toEqual({
			address: { host: 'localhost', port: 6379 },
			clusterNodes: [],
			db: 0,
			username: '',
			password: '',
			tls: undefined,
			family: 4,
			keepAliveMs: 30_000,
			reconnectOnFailover: true,
			slotsRefreshTimeoutMs: 1_000,
			slotsRefreshIntervalMs: 5_000,
			lookupNodeNames: true,
			keyPrefix: 'asset-service:ledger:',
			source: 'QUEUE_BULL_REDIS_HOST',
			description: 'Redis at localhost:6379, database 0 (QUEUE_BULL_REDIS_HOST)',
		});
	});

	it('take every variable that n8n takes', () => {
		expect(
			readRedisSettings({
				QUEUE_BULL_REDIS_HOST: 'redis.local',
				QUEUE_BULL_REDIS_PORT: '6380',
				QUEUE_BULL_REDIS_DB: '3',
				QUEUE_BULL_REDIS_USERNAME: 'n8n',
				QUEUE_BULL_REDIS_PASSWORD: 'secret',
				QUEUE_BULL_REDIS_TLS: 'true',
				QUEUE_BULL_REDIS_TLS_SERVERNAME: 'redis.example',
				QUEUE_BULL_REDIS_TLS_VALIDATE_CERTIFICATE: 'false',
				QUEUE_BULL_REDIS_DUALSTACK: 'true',
				QUEUE_BULL_REDIS_KEEP_ALIVE: 'true',
				QUEUE_BULL_REDIS_KEEP_ALIVE_DELAY: '7000',
				QUEUE_BULL_REDIS_RECONNECT_ON_FAILOVER: 'false',
				QUEUE_BULL_REDIS_SLOT_REFRESH_TIMEOUT: '2000',
				QUEUE_BULL_REDIS_SLOT_REFRESH_INTERVAL: '9000',
				QUEUE_BULL_REDIS_DNS_LOOKUP_STRATEGY: 'NONE',
			}),
		).toMatchObject({
			address: { host: 'redis.local', port: 6380 },
			db: 3,
			username: 'n8n',
			password: 'secret',
			tls: { servername: 'redis.example', rejectUnauthorized: false },
			family: 0,
			keepAliveMs: 7_000,
			reconnectOnFailover: false,
			slotsRefreshTimeoutMs: 2_000,
			slotsRefreshIntervalMs: 9_000,
			lookupNodeNames: false,
		});
	});

	it('verify the certificate by default', () => {
		const { tls } = readRedisSettings({ QUEUE_BULL_REDIS_TLS: '1' });
		expect(tls).toEqual({ rejectUnauthorized: true });
	});

	it('take the nodes of a cluster', () => {
		const settings = readRedisSettings({ QUEUE_BULL_REDIS_CLUSTER_NODES: 'a:7000, b:7001,, ,c' });
		expect(settings.clusterNodes).toEqual([
			{ host: 'a', port: 7000 },
			{ host: 'b', port: 7001 },
			{ host: 'c', port: 6379 },
		]);
	});

	it('take the password from a file', () => {
		const folder = mkdtempSync(join(tmpdir(), 'ledger-'));
		const file = join(folder, 'password');
		writeFileSync(file, 'from a file\n');
		expect(readRedisSettings({ QUEUE_BULL_REDIS_PASSWORD_FILE: file }).password).toBe(
			'from a file',
		);
		rmSync(folder, { recursive: true });
	});

	it('give n8n instances that share a Redis under prefixes of their own keys of their own', () => {
		const prefix = (name: string) => readRedisSettings({ QUEUE_BULL_PREFIX: name }).keyPrefix;
		expect(prefix('bull')).toBe('asset-service:ledger:');
		expect(prefix('{bull}')).toBe('asset-service:ledger:');
		expect(prefix('{}')).toBe('asset-service:ledger:');
		expect(prefix('staging')).toBe('asset-service:ledger:staging:');
		expect(prefix('{staging}')).toBe('asset-service:ledger:staging:');
	});
});

describe('ASSET_SERVICE_LEDGER_REDIS_URL', () => {
	const fromUrl = (url: string, more: Record<string, string> = {}) =>
		readRedisSettings({ ASSET_SERVICE_LEDGER_REDIS_URL: url, ...more });

	it("goes before the queue's Redis, whole", () => {
		expect(
			fromUrl('redis://redis.local', {
				QUEUE_BULL_REDIS_HOST: 'other',
				QUEUE_BULL_REDIS_PASSWORD: 'other',
				QUEUE_BULL_REDIS_DB: '5',
				QUEUE_BULL_REDIS_TLS: 'true',
				QUEUE_BULL_REDIS_CLUSTER_NODES: 'other:7000',
			}),
		).toMatchObject({
			address: { host: 'redis.local', port: 6379 },
			clusterNodes: [],
			db: 0,
			username: '',
			password: '',
			tls: undefined,
		});
	});

	it('holds user, password, port and database', () => {
		expect(fromUrl('redis://n8n:p%40ss%20word@[::1]:6380/2')).toMatchObject({
			address: { host: '::1', port: 6380 },
			username: 'n8n',
			password: 'p@ss word',
			db: 2,
		});
	});

	it('can contain a password with a percent sign that is not encoded', () => {
		expect(fromUrl('redis://:100%25@redis.local').password).toBe('100%');
		expect(fromUrl('redis://:100%@redis.local').password).toBe('100%');
	});

	it('means TLS by rediss', () => {
		expect(fromUrl('rediss://redis.local').tls).toEqual({ rejectUnauthorized: true });
	});

	it('can be in a file', () => {
		const folder = mkdtempSync(join(tmpdir(), 'ledger-'));
		const file = join(folder, 'url');
		writeFileSync(file, 'redis://redis.local:7000\n');
		const settings = readRedisSettings({ ASSET_SERVICE_LEDGER_REDIS_URL_FILE: file });
		expect(settings.address).toEqual({ host: 'redis.local', port: 7000 });
		rmSync(folder, { recursive: true });
	});

	it.each([
		'redis.local',
		'redis.local:6379',
		'http://redis.local',
		'xredis://redis.local',
		'redis://',
		'redis://redis.local/name',
	])('is rejected with the name of the variable if it is %s', (url) => {
		expect(() => fromUrl(url)).toThrow(LedgerUnavailableError);
		expect(() => fromUrl(url)).toThrow(
			/ASSET_SERVICE_LEDGER_REDIS_URL is not the URL of a Redis server/,
		);
	});

	it('is not repeated when it is rejected, because of the password in it', () => {
		const refused = () => fromUrl('rediz://user:hunter2@redis.local');
		expect(refused).toThrow(/^(?!.*hunter2)(?!.*user:h).*is not the URL of a Redis server/s);
	});
});

describe('the description of a Redis', () => {
	it('says where it is and which variable says so, without credentials', () => {
		const url = 'rediss://someone:hunter2@redis.local:6380/2';
		const settings = readRedisSettings({ ASSET_SERVICE_LEDGER_REDIS_URL: url });
		expect(settings.description).toBe(
			'Redis at redis.local:6380, database 2 (ASSET_SERVICE_LEDGER_REDIS_URL, TLS)',
		);
	});

	it('names the nodes of a cluster', () => {
		const settings = readRedisSettings({ QUEUE_BULL_REDIS_CLUSTER_NODES: 'a:7000,b:7001' });
		expect(settings.description).toBe(
			'Redis cluster at a:7000, b:7001 (QUEUE_BULL_REDIS_CLUSTER_NODES)',
		);
	});

	it.each([
		['HOST', 'redis://someone:hunter2@redis.local:6379'],
		['HOST', 'someone:hunter2@redis.local'],
		['HOST', 'someone:hunter2'],
		['CLUSTER_NODES', 'hunter2@redis.local:7000'],
		['CLUSTER_NODES', 'a:7000,redis://someone:hunter2@redis.local:7001'],
	])('repeats nothing of a URL in QUEUE_BULL_REDIS_%s: %s', (name, value) => {
		const settings = readRedisSettings({ [`QUEUE_BULL_REDIS_${name}`]: value });
		for (const text of [settings.description, redisUnavailableError(settings, null).message]) {
			expect(text).toContain(`QUEUE_BULL_REDIS_${name}`);
			expect(text).not.toMatch(/hunter2|someone/);
		}
	});

	it('says of a host that is none what it is', () => {
		const settings = readRedisSettings({ QUEUE_BULL_REDIS_HOST: 'user@redis.local' });
		expect(settings.description).toMatch(/^Redis at a host with an invalid name, database 0/);
	});

	it.each(['redis.local', '10.1.2.3', 'fe80::1', 'fe80::1%eth0', 'rédis_1'])(
		'names the host %s',
		(host) => {
			expect(readRedisSettings({ QUEUE_BULL_REDIS_HOST: host }).description).toContain(host);
		},
	);
});
