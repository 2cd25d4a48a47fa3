/** What the ledger makes of answers of Redis that never come, or that no ledger gives. */
import { ledgerKey, LedgerUnavailableError } from '../../../../lib/ledger';
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

	it('takes no answer for a state that is none', async () => {
		const ledger = await start((command) => (command === 'evalsha' ? '+lost' : undefined));
		for (const [asked, call] of [
			['a look', ledger.look(KEY)],
			['a claim', ledger.claim(KEY, 60_000)],
		] as const) {
			const error: unknown = await call.catch((thrown: unknown) => thrown);
			expect(error).toBeInstanceOf(LedgerUnavailableError);
			expect(String(error)).toContain(`Redis answered ${asked} with something that is no state`);
		}
	});

	describe('with a claim whose answer is lost', () => {
		let isAway: boolean;

		/** Claims in vain for 2 s; gives what was sent. */
		const claimInVain = async (leaseMs: number, silentTo: string) => {
			isAway = true;
			const ledger = await start((command) => {
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

		it('gives it back when Redis answers again, and is done then', async () => {
			const [script, ...claim] = await claimInVain(60_000, 'evalsha');
			isAway = false;
			const before = calls().length;
			await advance(1_000);
			await until('a call', () => calls().length > before);
			const [release, ...released] = calls().at(-1)?.args ?? [];
			expect(release).not.toBe(script);
			expect(released).toEqual(claim.slice(0, 3));
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
			expect(await claimInVain(60_000, 'ping')).toEqual([]);
			await advance(100);
			isAway = false;
			await advance(2_000);
			expect(calls()).toEqual([]);
		});
	});
});
