/** The 2 s that a call to Redis may take, on a clock that the test moves: how busy the machine is makes no difference. */
import { LedgerUnavailableError } from '../../../../lib/ledger';
import { advance, type Answer, call, ScriptedRedis, SILENCE, stopTheClock } from './scriptedRedis';

describe('a call to a Redis that is silent', () => {
	let redis: ScriptedRedis;

	const start = async (answer: Answer) => {
		redis = await new ScriptedRedis(answer).start();
	};

	afterEach(() => redis.stop());

	it.each<[string, Answer, string, number]>([
		['never responds', () => SILENCE, 'time', 1_999],
		// The last try may end a pause of 50 ms before the time is over.
		[
			'stops responding',
			(command) => (command === 'evalsha' ? SILENCE : undefined),
			'evalsha',
			1_949,
		],
	])('is refused after 2 s, not before, if it %s', async (_how, answer, heard, waitsMs) => {
		await start(answer);
		stopTheClock();
		const { seen, ended } = call(redis.open());
		await redis.untilHeard(heard);
		await advance(waitsMs);
		expect(seen.error).toBeUndefined();
		await advance(2_000 - waitsMs);
		await ended;
		expect(seen.error).toBeInstanceOf(LedgerUnavailableError);
		expect(String(seen.error)).toMatch(/did not respond in time/);
	});

	it('is refused within 2 s even if a thousand others are waiting', async () => {
		await start(() => SILENCE);
		stopTheClock();
		const ledger = redis.open();
		const calls = Array.from({ length: 1_000 }, () => call(ledger));
		await redis.untilHeard('time');
		await advance(2_000);
		await Promise.all(calls.map(({ ended }) => ended));
		expect(calls.filter(({ seen }) => seen.error instanceof LedgerUnavailableError)).toHaveLength(
			1_000,
		);
	});
});
