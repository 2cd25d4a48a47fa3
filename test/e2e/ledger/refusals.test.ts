import { Redis } from '../../../lib/vendor/ioredis';
import { freePort } from '../../support/ports';
import { accept, failingRedis, refusal } from './failingRedis';

describe('the ledger when Redis cannot accept an event', () => {
	const { start, open } = failingRedis();

	it('refuses within 2 s if nothing listens, and names the address', async () => {
		const port = await freePort();
		const message = await refusal(open(`redis://user:hunter2@127.0.0.1:${port}`));
		expect(message).toBe(
			`The event ledger is not available. Redis at 127.0.0.1:${port}, database 0 (ASSET_SERVICE_LEDGER_REDIS_URL): no server is listening there: start it, or correct the host and the port (ECONNREFUSED).`,
		);
	});

	it('refuses within 2 s if the host is unknown', async () => {
		const message = await refusal(open('redis://redis.invalid'));
		expect(message).toMatch(/Redis at redis\.invalid:6379.*(ENOTFOUND|EAI_AGAIN)/);
	});

	it('refuses at once if the password is wrong, without repeating it', async () => {
		const server = await start({ password: 'hunter2' });
		const message = await refusal(open(`redis://:hunter3@127.0.0.1:${server.port}`));
		expect(message).toMatch(
			/^(?!.*hunter)The event ledger.*rejects the user or the password: correct them/,
		);
		const without = await refusal(open(`redis://127.0.0.1:${server.port}`));
		expect(without).toMatch(/asks for a password/);
	});

	it('refuses when the memory of Redis is full', async () => {
		const server = await start({ args: ['--maxmemory', '100kb'] });
		const message = await refusal(open(server.url));
		expect(message).toMatch(/its memory is full: raise maxmemory \(OOM\)/);
	});

	it('refuses while Redis is a read-only replica, and accepts again when it is not', async () => {
		const server = await start();
		const ledger = open(server.url);
		await accept(ledger);
		const client = new Redis(server.url);
		await client.replicaof('127.0.0.1', await freePort());
		expect(await refusal(ledger)).toMatch(/read-only replica|replica without its primary/);
		await client.replicaof('NO', 'ONE');
		client.disconnect();
		await accept(ledger);
	});
});
