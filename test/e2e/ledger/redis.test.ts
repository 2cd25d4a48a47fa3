import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ledgerKey } from '../../../lib/ledger';
import { EventLedger } from '../../../lib/ledger/eventLedger';
import { readRedisSettings } from '../../../lib/ledger/redis/settings';
import { RedisStore } from '../../../lib/ledger/redis/store';
import { Redis } from '../../../lib/vendor/ioredis';
import type { RedisServer } from '../../support/redis';
import { selfSigned } from '../../support/selfSigned';
import { waitFor } from '../../support/wait';
import { accept, failingRedis, refusal, RETENTION_MS } from './failingRedis';

const key = ledgerKey('workflow', 'whevt_1');

describe('the connection of the ledger to Redis', () => {
	const { start, open, ending } = failingRedis();

	/** The variables that configure the Redis of n8n's queue. */
	function openAsQueue(server: RedisServer, env: Record<string, string> = {}): EventLedger {
		return open({
			QUEUE_BULL_REDIS_HOST: '127.0.0.1',
			QUEUE_BULL_REDIS_PORT: String(server.port),
			...env,
		});
	}

	function connect(url: string): Redis {
		const client = new Redis(url);
		ending({
			close: () => {
				client.disconnect();
			},
		});
		return client;
	}

	it('is opened on first use, only once for any number of concurrent calls', async () => {
		const server = await start();
		const client = connect(server.url);
		const connections = async () =>
			String(await client.client('LIST')).split('name=asset-service-ledger').length - 1;
		const ledger = openAsQueue(server);
		expect(await connections()).toBe(0);
		await Promise.all(
			Array.from({ length: 100 }, (_unused, n) => ledger.claim(ledgerKey('workflow', String(n)))),
		);
		expect(await connections()).toBe(1);
	});

	it('stores entries of the same size that expire by themselves, under their own prefix', async () => {
		const server = await start();
		const client = connect(server.url);
		const ledger = openAsQueue(server);
		await accept(ledger, ledgerKey('workflow', '1'));
		await accept(ledger, ledgerKey('workflow', 'x'.repeat(100_000)));
		const keys = (await client.keys('*')).filter((each) => !each.includes('session'));
		expect(keys).toHaveLength(2);
		for (const each of keys) {
			expect(each).toMatch(/^asset-service:ledger:[A-Za-z0-9_-]{43}$/);
			expect(await client.get(each)).toMatch(/^1s\|\w{8}\|\w{4}\|\|[\w-]{11}\|[12]\|\|\|$/);
			expect(await client.pttl(each)).toBeGreaterThan(RETENTION_MS - 60_000);
			expect(await client.pttl(each)).toBeLessThanOrEqual(RETENTION_MS);
		}
	});

	it('lets an entry expire as before when it is given back or released, and keeps records', async () => {
		const server = await start();
		const client = connect(server.url);
		const ledger = openAsQueue(server);
		const left = async () => {
			const entry = (await client.keys('*')).find((each) => each.endsWith(key)) ?? '';
			return await client.pttl(entry);
		};
		await accept(ledger, key);
		await ledger.giveBack([key], 'run');
		expect(await left()).toBeGreaterThan(RETENTION_MS - 60_000);
		const answer = await ledger.claim(key);
		if (answer.state !== 'claimed') throw new Error(`The event is ${answer.state}`);
		await ledger.release([answer.claim]);
		expect(await left()).toBeGreaterThan(RETENTION_MS - 60_000);
		expect((await ledger.look(key)).state).toBe('overdue');
		await ledger.swapRecord('a', undefined, 'b');
		expect(await client.pttl('asset-service:ledger:record:a')).toBe(-1);
	});

	it('notices with the next renewal of its session that Redis was flushed, once', async () => {
		const server = await start();
		const client = connect(server.url);
		const settings = readRedisSettings({ ASSET_SERVICE_LEDGER_REDIS_URL: server.url });
		const onLost = jest.fn();
		const ledger = ending(new EventLedger({ store: new RedisStore({ settings }), onLost }));
		await accept(ledger, key);
		await client.flushall();
		await waitFor(() => (onLost.mock.calls.length > 0 ? true : undefined), {
			what: 'the loss to be noticed',
		});
		expect((await ledger.look(key)).state).toBe('free');
		const [session = ''] = await client.keys('asset-service:ledger:session:*');
		expect(await client.get(session)).toBe('1alive');
		await ledger.close();
		expect(await client.get(session)).toBe('1closed');
		expect(onLost).toHaveBeenCalledTimes(1);
	});

	it('takes the password from a file and the database by its number', async () => {
		const server = await start({ password: 'hunter2' });
		const folder = mkdtempSync(join(tmpdir(), 'ledger-'));
		const file = join(folder, 'password');
		writeFileSync(file, 'hunter2\n');
		const ledger = openAsQueue(server, {
			QUEUE_BULL_REDIS_PASSWORD_FILE: file,
			QUEUE_BULL_REDIS_DB: '3',
		});
		rmSync(folder, { recursive: true });
		await accept(ledger, key);
		const client = connect(server.url);
		expect(await client.dbsize()).toBe(0);
		await client.select(3);
		// The entry and the session.
		expect(await client.dbsize()).toBe(2);
	});

	it('signs in as the configured user', async () => {
		const server = await start({
			args: ['--user', 'n8n', 'on', '>hunter2', '~asset-service:ledger:*', '+@all'],
		});
		const ledger = openAsQueue(server, {
			QUEUE_BULL_REDIS_USERNAME: 'n8n',
			QUEUE_BULL_REDIS_PASSWORD: 'hunter2',
		});
		await accept(ledger, key);
		const elsewhere = openAsQueue(server, {
			QUEUE_BULL_REDIS_USERNAME: 'n8n',
			QUEUE_BULL_REDIS_PASSWORD: 'wrong',
		});
		expect(await refusal(elsewhere)).toMatch(/rejects the user or the password.*WRONGPASS/);
	});

	it('continues after Redis has lost its scripts', async () => {
		const server = await start();
		const ledger = openAsQueue(server);
		const answer = await ledger.claim(key);
		if (answer.state !== 'claimed') throw new Error(`The event is ${answer.state}`);
		await connect(server.url).script('FLUSH');
		await ledger.commit([answer.claim], RETENTION_MS);
		expect((await ledger.look(key)).state).toBe('stored');
	});

	it.each([
		['volatile-lru', ['--maxmemory', '100mb', '--maxmemory-policy', 'volatile-lru']],
		['noeviction', ['--maxmemory', '100mb', '--maxmemory-policy', 'noeviction']],
		['volatile-lru without a limit', ['--maxmemory-policy', 'volatile-lru']],
	])('warns once if Redis may evict entries: %s', async (policy, args) => {
		const server = await start({ args });
		const warnings: string[] = [];
		const ledger = open(server.url, (message) => warnings.push(message));
		for (let n = 0; n < 10; n++) await accept(ledger, ledgerKey('workflow', String(n)));
		const expected = policy === 'volatile-lru' ? [expect.stringContaining('volatile-lru')] : [];
		expect(warnings).toEqual(expected);
	});

	it('uses TLS, and verifies the certificate by default', async () => {
		const folder = mkdtempSync(join(tmpdir(), 'ledger-'));
		ending({
			close: () => {
				rmSync(folder, { recursive: true });
			},
		});
		const tls = { certificateFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
		writeFileSync(tls.certificateFile, selfSigned.cert);
		writeFileSync(tls.keyFile, selfSigned.key);
		const server = await start({ tls });
		const env = { QUEUE_BULL_REDIS_TLS: 'true' };
		expect(await refusal(openAsQueue(server, env))).toMatch(
			/TLS\): its certificate is self-signed/,
		);
		expect(await refusal(open({ ASSET_SERVICE_LEDGER_REDIS_URL: server.url }))).toMatch(
			/its certificate is self-signed/,
		);
		const trusting = { ...env, QUEUE_BULL_REDIS_TLS_VALIDATE_CERTIFICATE: 'false' };
		await accept(openAsQueue(server, trusting), key);
	});

	it('works with a cluster', async () => {
		const server = await start({ cluster: 'single' });
		const env = { QUEUE_BULL_REDIS_CLUSTER_NODES: `127.0.0.1:${server.port}` };
		const ledger = open(env);
		for (let n = 0; n < 50; n++) await accept(ledger, ledgerKey('workflow', String(n)));
		expect(await open(env).claim(ledgerKey('workflow', '7'))).toEqual({
			state: 'committed',
		});
		const slots = new Set<number>();
		const client = connect(server.url);
		for (const each of await client.keys('*')) slots.add(await client.cluster('KEYSLOT', each));
		expect(slots.size).toBeGreaterThan(40);
	});

	it('lets a process end that has nothing left to do', async () => {
		const server = await start();
		const { stdout } = await endOf(server, () => undefined);
		expect(stdout).toBe('claimed\n');
	}, 60_000);

	it('lets a process end while Redis is down', async () => {
		const server = await start();
		const { stdout } = await endOf(server, () => server.kill());
		expect(stdout).toBe('claimed\n');
	}, 60_000);

	/** Runs a process that claims and does not close; calls `then` after the claim. */
	async function endOf(server: RedisServer, then: () => unknown): Promise<{ stdout: string }> {
		const child = spawn(process.execPath, ['--import', 'tsx', join(__dirname, 'child.ts')], {
			env: {
				PATH: process.env['PATH'],
				ASSET_SERVICE_LEDGER: 'redis',
				ASSET_SERVICE_LEDGER_REDIS_URL: server.url,
			},
			stdio: ['ignore', 'pipe', 'inherit'],
		});
		let stdout = '';
		child.stdout.on('data', (text: Buffer) => {
			stdout += text.toString();
		});
		const exit = once(child, 'exit');
		await once(child.stdout, 'data');
		await then();
		await exit;
		return { stdout };
	}
});
