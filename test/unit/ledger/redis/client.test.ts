/** The commands that the client itself sends to Redis, and its connection options. */
import { lookup } from 'node:dns';
import { Socket } from 'node:net';
import { createRedisClient } from '../../../../lib/ledger/redis/connection';
import { readRedisSettings } from '../../../../lib/ledger/redis/settings';
import { Cluster, Redis } from '../../../../lib/vendor/ioredis';
import { call, ScriptedRedis, stopTheClock } from './scriptedRedis';

const CLUSTER_NODES = 'QUEUE_BULL_REDIS_CLUSTER_NODES';

describe('the client of Redis', () => {
	let redis: ScriptedRedis;
	const created: ReturnType<typeof createRedisClient>[] = [];

	/** The responses of a cluster of this one node. */
	const answerOfCluster = (about: string | undefined) => {
		if (about === 'INFO') return '+cluster_state:ok';
		return `*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$9\r\n127.0.0.1\r\n:${redis.port}`;
	};

	beforeEach(async () => {
		redis = await new ScriptedRedis((command) => {
			if (command === 'cluster') return answerOfCluster(redis.heard.at(-1)?.args[0]);
			return ['auth', 'select', 'client'].includes(command) ? '+OK' : undefined;
		}).start();
		stopTheClock();
	});

	afterEach(async () => {
		jest.restoreAllMocks();
		for (const client of created.splice(0)) client.disconnect();
		await redis.stop();
	});

	const create = (env: Readonly<Record<string, string>>) => {
		const client = createRedisClient(readRedisSettings(env), () => false);
		created.push(client);
		return client;
	};
	const optionsOf = (env: Readonly<Record<string, string>>) => {
		const client = create(env);
		if (!(client instanceof Redis)) throw new Error('This is a cluster.');
		return client.options;
	};
	const clusterOptionsOf = (env: Readonly<Record<string, string>>) => {
		const client = create({ [CLUSTER_NODES]: '127.0.0.1:1', ...env });
		if (!(client instanceof Cluster)) throw new Error('This is no cluster.');
		return client.options;
	};

	const said = () => redis.heard.map(({ command, args }) => [command, ...args].join(' '));

	it('signs in, chooses the database, and sets its name for the list of clients', async () => {
		const store = redis.open({
			QUEUE_BULL_REDIS_USERNAME: 'n8n',
			QUEUE_BULL_REDIS_PASSWORD: 'hunter2',
			QUEUE_BULL_REDIS_DB: '3',
		});
		await call(store).ended;
		expect(said().slice(0, 5)).toEqual([
			'auth n8n hunter2',
			'select 3',
			'client SETNAME asset-service-ledger',
			'select 3',
			'time',
		]);
	});

	it('sends only these and the commands of the ledger', async () => {
		const { ended, seen } = call(redis.open());
		await ended;
		expect(seen).toEqual({ answer: 'none' });
		await redis.untilHeard('info');
		expect(said().map((words) => words.split(' ')[0])).toEqual(
			expect.arrayContaining(['client', 'time', 'evalsha', 'info']),
		);
		expect(redis.heard).toHaveLength(4);
	});

	it('signs in at the nodes of a cluster, and sets its name at each', async () => {
		const store = redis.open({
			[CLUSTER_NODES]: `127.0.0.1:${redis.port}`,
			QUEUE_BULL_REDIS_PASSWORD: 'hunter2',
		});
		const { ended, seen } = call(store);
		await ended;
		expect(seen).toEqual({ answer: 'none' });
		const asked = redis.heard.find(({ command }) => command === 'evalsha');
		const before = redis.heard.filter(({ connection }) => connection === asked?.connection);
		expect(before[0]).toMatchObject({ command: 'auth', args: ['hunter2'] });
		expect(before.map(({ args }) => args)).toContainEqual(['SETNAME', 'asset-service-ledger']);
	});

	it('keeps no process alive by a connection', async () => {
		const unref = jest.spyOn(Socket.prototype, 'unref');
		await call(redis.open()).ended;
		expect(unref.mock.contexts.map((socket) => (socket as Socket).remotePort)).toEqual([
			redis.port,
		]);
	});

	it.each([
		['a server', () => ({ QUEUE_BULL_REDIS_PORT: String(redis.port) })],
		['a cluster', () => ({ [CLUSTER_NODES]: `127.0.0.1:${redis.port}` })],
	])('connects to %s on first use only, and lets nothing wait for that', async (_to, env) => {
		const client = create({ QUEUE_BULL_REDIS_HOST: '127.0.0.1', ...env() });
		expect(client.status).toBe('wait');
		await expect(client.ping()).rejects.toThrow('enableOfflineQueue options is false');
	});

	it('uses TLS only as configured', () => {
		const tls = {
			QUEUE_BULL_REDIS_TLS: 'true',
			QUEUE_BULL_REDIS_TLS_SERVERNAME: 'redis.test',
			QUEUE_BULL_REDIS_TLS_VALIDATE_CERTIFICATE: 'false',
		};
		const expected = { servername: 'redis.test', rejectUnauthorized: false };
		expect(optionsOf(tls).tls).toEqual(expected);
		expect(clusterOptionsOf(tls).redisOptions?.tls).toEqual(expected);
		expect(optionsOf({}).tls).toBeUndefined();
	});

	it('looks the names of nodes up, or passes them on as they are', () => {
		expect(clusterOptionsOf({}).dnsLookup).toBe(lookup);
		const found = jest.fn();
		const { dnsLookup } = clusterOptionsOf({ QUEUE_BULL_REDIS_DNS_LOOKUP_STRATEGY: 'NONE' });
		dnsLookup?.('redis.test', found);
		expect(found.mock.calls).toEqual([[null, 'redis.test']]);
	});
});
