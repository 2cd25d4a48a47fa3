import { claimOrWait, type Ledger, ledgerKey, LedgerUnavailableError } from '../../../lib/ledger';
import { RedisLedger, readRedisSettings } from '../../../lib/ledger/redis';
import { Redis } from '../../../lib/vendor/ioredis';
import { watchCores } from '../../support/cores';
import { freePort } from '../../support/ports';
import { type RedisServer, type RedisServerOptions, startRedis } from '../../support/redis';

const LEASE_MS = 60_000;
const RETENTION_MS = 1_000_000;
/** A call takes 2 s at most, and the event loop may be late; later still with a thousand calls at once. */
const CALL_MS = 2_400;
const MANY_CALLS_MS = 3_400;
const BACK_MS = 5_000;
const SLOW_MS = 60_000;

describe('the ledger while Redis fails', () => {
	const opened: { close(): Promise<void> }[] = [];
	const unhandled: unknown[] = [];
	const note = (reason: unknown) => unhandled.push(reason);

	beforeEach(() => {
		process.on('unhandledRejection', note);
	});

	afterEach(async () => {
		for (const each of opened.splice(0).reverse()) await each.close();
		process.off('unhandledRejection', note);
		expect(unhandled.splice(0)).toEqual([]);
	});

	async function start(options: RedisServerOptions = {}): Promise<RedisServer> {
		const server = await startRedis(options);
		opened.push({ close: () => server.remove() });
		return server;
	}

	function open(url: string): RedisLedger {
		const ledger = new RedisLedger({
			settings: readRedisSettings({ ASSET_SERVICE_LEDGER_REDIS_URL: url }),
		});
		opened.push(ledger);
		return ledger;
	}

	it('refuses within 2 s when nothing listens, and says where', async () => {
		const port = await freePort();
		const message = await refusal(open(`redis://user:hunter2@127.0.0.1:${port}`));
		expect(message).toBe(
			`The ledger is not available. Redis at 127.0.0.1:${port}, database 0 (ASSET_SERVICE_LEDGER_REDIS_URL): nothing listens there: start it, or correct the address (ECONNREFUSED).`,
		);
	});

	it('refuses within 2 s when the host is not known', async () => {
		const message = await refusal(open('redis://redis.invalid'));
		expect(message).toMatch(/Redis at redis\.invalid:6379.*(ENOTFOUND|EAI_AGAIN)/);
	});

	it('refuses at once when the password is wrong, without repeating it', async () => {
		const server = await start({ password: 'hunter2' });
		const message = await refusal(open(`redis://:hunter3@127.0.0.1:${server.port}`));
		expect(message).toMatch(/^(?!.*hunter)The ledger.*refuses the user or password: correct them/);
		const without = await refusal(open(`redis://127.0.0.1:${server.port}`));
		expect(without).toMatch(/asks for a password/);
	});

	it('refuses when the memory of Redis is full', async () => {
		const server = await start({ args: ['--maxmemory', '100kb'] });
		const message = await refusal(open(server.url));
		expect(message).toMatch(/its memory is full: raise maxmemory \(OOM\)/);
	});

	it(
		'refuses while Redis is a read-only replica, and goes on when it is not',
		async () => {
			const server = await start();
			const ledger = open(server.url);
			await accept(ledger);
			const client = new Redis(server.url);
			await client.replicaof('127.0.0.1', await freePort());
			expect(await refusal(ledger)).toMatch(/read-only replica|replica without its primary/);
			await client.replicaof('NO', 'ONE');
			client.disconnect();
			await accept(ledger);
		},
		SLOW_MS,
	);

	it.each(['stopped', 'killed'])(
		'refuses within 2 s while Redis is %s, accepts within 5 s of its return, and has forgotten nothing',
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
			expect(await ledger.claim(before, LEASE_MS)).toEqual({ state: 'committed' });
		},
		SLOW_MS,
	);

	it(
		'accepts again although nobody has called for longer than it tries to reconnect',
		async () => {
			const server = await start();
			const ledger = open(server.url);
			await accept(ledger);
			await server.stop();
			await refusal(ledger);
			await new Promise((resolve) => setTimeout(resolve, 13_000));
			await server.start();
			await accept(ledger);
		},
		SLOW_MS,
	);

	it('sees a call through that a short restart falls into', async () => {
		const server = await start({ appendOnly: true });
		const ledger = open(server.url);
		await accept(ledger);
		await server.stop();
		const call = accept(ledger);
		await server.start();
		await call;
	});

	it(
		'refuses within 2 s while Redis hangs, and accepts within 5 s when it goes on',
		async () => {
			const server = await start();
			const ledger = open(server.url);
			await accept(ledger);
			server.pause();
			for (let n = 0; n < 2; n++) {
				const message = await refusal(ledger);
				expect(message).toMatch(/did not answer in time/);
			}
			server.resume();
			await within(BACK_MS, () => eventually(() => accept(ledger)));
		},
		SLOW_MS,
	);

	it(
		'gives a claim back whose answer never came, so that the next copy need not wait for its lease',
		async () => {
			const server = await start();
			const ledger = open(server.url);
			await accept(ledger);
			const key = ledgerKey('workflow', 'hanging');
			server.pause();
			await expect(ledger.claim(key, LEASE_MS)).rejects.toThrow(LedgerUnavailableError);
			server.resume();
			const answer = await claimOrWait(open(server.url), key, { waitMs: 10_000 });
			expect(answer.outcome).toBe('claimed');
			if (answer.outcome === 'claimed') await answer.hold.release();
		},
		SLOW_MS,
	);

	it(
		'refuses a thousand calls at once within 2 s each',
		async () => {
			const server = await start();
			const ledger = open(server.url);
			await accept(ledger);
			await server.kill();
			await Promise.all(Array.from({ length: 1_000 }, () => refusal(ledger, MANY_CALLS_MS)));
			await server.start();
			await within(BACK_MS, () => eventually(() => accept(ledger)));
		},
		SLOW_MS,
	);

	it(
		'writes a commit that Redis was away for when it is back',
		async () => {
			const server = await start({ appendOnly: true });
			const ledger = open(server.url);
			const key = ledgerKey('workflow', 'pending');
			const answer = await claimOrWait(ledger, key);
			if (answer.outcome !== 'claimed') throw new Error(`The event is ${answer.outcome}`);
			await server.stop();
			expect(await within(CALL_MS, () => answer.hold.commit(RETENTION_MS))).toBe('unwritten');
			await server.start();
			await within(BACK_MS, () =>
				eventually(async () => {
					expect(await ledger.look(key)).toBe('stored');
				}),
			);
		},
		SLOW_MS,
	);

	it(
		'goes on in a cluster whose node was away',
		async () => {
			const server = await start({ cluster: true });
			const ledger = new RedisLedger({
				settings: readRedisSettings({ QUEUE_BULL_REDIS_CLUSTER_NODES: `127.0.0.1:${server.port}` }),
			});
			opened.push(ledger);
			await accept(ledger);
			await server.stop();
			const message = await refusal(ledger);
			expect(message).toMatch(
				/Redis cluster at 127\.0\.0\.1:\d+ \(QUEUE_BULL_REDIS_CLUSTER_NODES\)/,
			);
			await server.start();
			await within(BACK_MS, () => eventually(() => accept(ledger)));
		},
		SLOW_MS,
	);
});

let events = 0;

/** Claims and commits an event that nobody has seen; gives its key. */
async function accept(ledger: Ledger): Promise<string> {
	const key = ledgerKey('workflow', `accepted ${++events}`);
	const answer = await ledger.claim(key, LEASE_MS);
	if (answer.state !== 'claimed') throw new Error(`The event is ${answer.state}`);
	await ledger.commit(answer.claim, RETENTION_MS);
	return key;
}

/** The message with which a claim is refused, in time. */
async function refusal(ledger: Ledger, ms = CALL_MS): Promise<string> {
	const claim = () => ledger.claim(ledgerKey('workflow', 'refused'), LEASE_MS);
	const error = await within(ms, () => claim().catch((thrown: unknown) => thrown));
	if (error instanceof LedgerUnavailableError) return error.message;
	throw new Error('The claim was not refused', { cause: error });
}

/** Fails when `work` takes longer, the time left out for which there was no core to run it. */
async function within<T>(ms: number, work: () => Promise<T>): Promise<T> {
	const withoutCore = watchCores();
	const startedAt = performance.now();
	const answer = await work();
	expect(performance.now() - startedAt).toBeLessThan(ms + withoutCore());
	return answer;
}

/** Again until it succeeds; the time limit of the test ends it. */
async function eventually(work: () => Promise<unknown>): Promise<void> {
	for (;;) {
		try {
			await work();
			return;
		} catch {
			await new Promise((resolve) => setTimeout(resolve, 50));
		}
	}
}
