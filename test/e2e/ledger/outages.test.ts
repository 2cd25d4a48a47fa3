import {
	claimOrWait,
	commitHold,
	ledgerKey,
	LedgerUnavailableError,
	releaseHold,
} from '../../../lib/ledger';
import {
	accept,
	BACK_MS,
	CALL_MS,
	eventually,
	failingRedis,
	MANY_CALLS_MS,
	refusal,
	RETENTION_MS,
	within,
} from './failingRedis';

describe('the ledger while Redis is down', () => {
	// The first one: what waits to be written for the Redis of another test, which is gone for good, would be tried before it.
	it('writes a failed commit once Redis is back', async () => {
		const server = await start({ appendOnly: true });
		const ledger = open(server.url);
		const key = ledgerKey('workflow', 'pending');
		const answer = await claimOrWait(ledger, key);
		if (answer.state !== 'claimed') throw new Error(`The event is ${answer.state}`);
		await server.stop();
		await within(CALL_MS, () => commitHold({ ledger, claims: [answer.claim] }, RETENTION_MS));
		await server.start();
		await within(BACK_MS, () =>
			eventually(async () => {
				expect((await ledger.look(key)).state).toBe('stored');
			}),
		);
	});

	const { start, open } = failingRedis();

	it.each(['stopped', 'killed'])(
		'refuses within 2 s while Redis is %s, accepts within 5 s of its return, and loses nothing',
		async (how) => {
			const server = await start({ appendOnly: true });
			const ledger = open(server.url);
			const before = await accept(ledger);
			await (how === 'stopped' ? server.stop() : server.kill());
			for (let n = 0; n < 3; n++) {
				await refusal(ledger);
			}
			await server.start();
			await within(BACK_MS, () => eventually(() => accept(ledger)));
			expect(await ledger.claim(before)).toEqual({ state: 'committed' });
		},
	);

	it('accepts again even if there were no calls for longer than it tries to reconnect', async () => {
		const server = await start();
		const ledger = open(server.url);
		await accept(ledger);
		await server.stop();
		await refusal(ledger);
		await new Promise((resolve) => setTimeout(resolve, 13_000));
		await server.start();
		await accept(ledger);
	});

	it('completes a call during a short restart', async () => {
		const server = await start({ appendOnly: true });
		const ledger = open(server.url);
		await accept(ledger);
		await server.stop();
		const call = accept(ledger);
		await server.start();
		await call;
	});

	it('refuses within 2 s while Redis hangs, and accepts within 5 s of its return', async () => {
		const server = await start();
		const ledger = open(server.url);
		await accept(ledger);
		server.pause();
		for (let n = 0; n < 2; n++) {
			const message = await refusal(ledger);
			expect(message).toMatch(/did not respond in time/);
		}
		server.resume();
		await within(BACK_MS, () => eventually(() => accept(ledger)));
	});

	it('releases a claim whose response never arrived, so that the next copy need not wait for its process', async () => {
		const server = await start();
		const ledger = open(server.url);
		await accept(ledger);
		const key = ledgerKey('workflow', 'hanging');
		server.pause();
		await expect(ledger.claim(key)).rejects.toThrow(LedgerUnavailableError);
		server.resume();
		const other = open(server.url);
		const answer = await claimOrWait(other, key, 10_000);
		if (answer.state !== 'claimed') throw new Error(`The event is ${answer.state}`);
		await releaseHold({ ledger: other, claims: [answer.claim] });
	});

	it('refuses a thousand calls at once within 2 s each', async () => {
		const server = await start();
		const ledger = open(server.url);
		await accept(ledger);
		await server.kill();
		await Promise.all(Array.from({ length: 1_000 }, () => refusal(ledger, MANY_CALLS_MS)));
		await server.start();
		await within(BACK_MS, () => eventually(() => accept(ledger)));
	});

	it('works again in a cluster once its node is back', async () => {
		const server = await start({ cluster: 'single' });
		const ledger = open({ QUEUE_BULL_REDIS_CLUSTER_NODES: `127.0.0.1:${server.port}` });
		await accept(ledger);
		await server.stop();
		const message = await refusal(ledger);
		expect(message).toMatch(/Redis cluster at 127\.0\.0\.1:\d+ \(QUEUE_BULL_REDIS_CLUSTER_NODES\)/);
		await server.start();
		await within(BACK_MS, () => eventually(() => accept(ledger)));
	});
});
