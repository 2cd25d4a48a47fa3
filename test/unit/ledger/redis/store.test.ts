/** How the ledger handles responses of Redis that never arrive or that are not from a ledger. */
import { ledgerKey, LedgerUnavailableError } from '../../../../lib/ledger';
import type { RedisLedger } from '../../../../lib/ledger/redis';
import { type Answer, ScriptedRedis, SILENCE, stopTheClock, until } from './scriptedRedis';

const KEY = ledgerKey('workflow', 'whevt_1');

describe('the ledger on Redis', () => {
	let redis: ScriptedRedis;

	const start = async (answer: Answer) => {
		redis = await new ScriptedRedis(answer).start();
		stopTheClock();
		return redis.open();
	};
	const advance = async (ms: number) => {
		await jest.advanceTimersByTimeAsync(ms);
	};

	afterEach(() => redis.stop());

	it('accepts no response with an unknown state', async () => {
		const ledger = await start((command) => (command === 'evalsha' ? '+lost' : undefined));
		for (const [asked, call] of [
			['a look', ledger.look(KEY)],
			['a claim', ledger.claim(KEY, 60_000)],
		] as const) {
			const error: unknown = await call.catch((thrown: unknown) => thrown);
			expect(error).toBeInstanceOf(LedgerUnavailableError);
			expect(String(error)).toContain(`Redis returned an unknown event state for ${asked}`);
		}
	});

	it('sends the hash of a script, and its text only to a Redis that does not know it', async () => {
		let answer = '-NOSCRIPT No matching script';
		const ledger = await start((command) => {
			if (command === 'eval') return '$-1';
			return command === 'evalsha' ? answer : undefined;
		});
		await ledger.readRecord('any');
		const [hash, text] = ['evalsha', 'eval'].map(
			(wanted) => redis.heard.find(({ command }) => command === wanted)?.args,
		);
		expect(hash?.[0]).toMatch(/^[\da-f]{40}$/);
		expect(text).toEqual([
			expect.stringContaining('redis.call'),
			'1',
			'asset-service:ledger:record:any',
			expect.stringMatching(/^\d+$/),
		]);
		answer = '-OOM command not allowed';
		await expect(ledger.readRecord('any')).rejects.toThrow(LedgerUnavailableError);
		expect([redis.count('evalsha'), redis.count('eval')]).toEqual([2, 1]);
	});

	describe('with a claim whose response is lost', () => {
		let isAway: boolean;

		let ledger: RedisLedger;

		/** Tries to claim for 2 s without success; returns the commands sent. */
		const claimInVain = async (leaseMs: number, silentTo: string) => {
			isAway = true;
			ledger = await start((command) => {
				if (isAway && command === silentTo) return SILENCE;
				return command === 'evalsha' ? ':1' : undefined;
			});
			const claim = expect(ledger.claim(KEY, leaseMs)).rejects.toThrow(LedgerUnavailableError);
			await redis.untilHeard(silentTo);
			await advance(2_000);
			await claim;
			return redis.heard.find(({ command }) => command === 'evalsha')?.args ?? [];
		};
		const calls = () => redis.heard.filter(({ command }) => command === 'evalsha');

		it('gives it back when Redis responds again, and is then done', async () => {
			const [script, count, key, , token] = await claimInVain(60_000, 'evalsha');
			isAway = false;
			const before = calls().length;
			await advance(1_000);
			await until('a call', () => calls().length > before);
			const [release, ...released] = calls().at(-1)?.args ?? [];
			expect(release).not.toBe(script);
			expect(released).toEqual([count, key, expect.stringMatching(/^\d+$/), token]);
			await until('the end of it', () => jest.getTimerCount() === 0);
		});

		it('tries that no longer than the lease', async () => {
			await claimInVain(2_900, 'evalsha');
			// The first try comes after 1 s, and takes 2.
			await advance(3_000);
			await advance(1_000);
			await until('it to stop trying', () => jest.getTimerCount() === 0);
		});

		it('gives nothing back that was never sent', async () => {
			expect(await claimInVain(60_000, 'time')).toEqual([]);
			isAway = false;
			await advance(200);
			await redis.untilHeard('info');
			await advance(1_000);
			// Arrives after everything sent so far.
			await ledger.readRecord('any');
			expect(calls()).toHaveLength(1);
		});
	});
});
