/** Until when Redis may run a script: by its own clock, as far as this process knows it. */
import * as sleeping from '../../../../lib/shared/pace';
import { redisTime, ScriptedRedis, call, stopTheClock, until } from './scriptedRedis';

const CLOCK = 1_700_000_000_000;
const CALL_MS = 2_000;

describe('the deadline of a script', () => {
	let redis: ScriptedRedis;
	/** How far the clock of Redis is ahead of that of the test. */
	let aheadMs: number;
	let script: () => string | undefined;

	beforeEach(async () => {
		script = () => undefined;
		redis = await new ScriptedRedis((command) => {
			if (command === 'time') return redisTime(performance.now() + aheadMs);
			return command === 'evalsha' ? script() : undefined;
		}).start();
		stopTheClock();
		aheadMs = CLOCK - performance.now();
	});

	afterEach(async () => {
		jest.restoreAllMocks();
		await redis.stop();
	});

	/** The deadlines that were sent, on the clock that Redis began with. */
	const deadlines = () =>
		redis.heard
			.filter(({ command }) => command === 'evalsha')
			.map(({ args }) => Number(args[3]) - CLOCK);
	const late = () => `*2\r\n$4\r\nlate\r\n:${Math.floor(performance.now() + aheadMs)}`;

	it('is when the call gives up, on the clock of Redis', async () => {
		const store = redis.open();
		await call(store).ended;
		await jest.advanceTimersByTimeAsync(10_000);
		await call(store).ended;
		expect(deadlines()).toEqual([CALL_MS, 10_000 + CALL_MS]);
	});

	it('follows a clock of Redis that was set, with the next try', async () => {
		const store = redis.open();
		await call(store).ended;
		aheadMs += 60_000;
		const pauses = jest.spyOn(sleeping, 'sleep');
		let answers = 0;
		script = () => (answers++ === 0 ? late() : undefined);
		const { seen, ended } = call(store);
		await until('the first try', () => deadlines().length === 2);
		await until('a pause', () => pauses.mock.calls.length === 1);
		await jest.advanceTimersByTimeAsync(50);
		await ended;
		expect(seen).toEqual({ answer: 'none' });
		expect(deadlines()).toEqual([CALL_MS, CALL_MS, 60_000 + CALL_MS]);
	});

	it('ends the call as not available when every try is too late', async () => {
		script = late;
		const { seen, ended } = call(redis.open());
		await until('the first try', () => deadlines().length === 1);
		for (let n = 0; n < 50; n++) {
			await jest.advanceTimersByTimeAsync(50);
			await new Promise((resolve) => setImmediate(resolve));
		}
		await ended;
		expect(String(seen.error)).toContain('The event ledger is not available');
	});

	it('is read from the clock of Redis again after a minute', async () => {
		const store = redis.open();
		await call(store).ended;
		await jest.advanceTimersByTimeAsync(59_000);
		await call(store).ended;
		expect(redis.count('time')).toBe(1);
		// A clock that runs slow by a second a minute.
		aheadMs -= 1_000;
		await jest.advanceTimersByTimeAsync(2_000);
		await call(store).ended;
		await redis.untilHeard('time', 2);
		await call(store).ended;
		expect(deadlines().map((each) => each - CALL_MS)).toEqual([0, 59_000, 61_000, 60_000]);
	});

	it('dates the steps of entries as well, also while the clock of Redis is read again', async () => {
		const store = redis.open();
		const dates: number[] = [];
		const step = () =>
			store.change(
				[{ key: 'any' }],
				({ now }) => {
					dates.push(now - CLOCK);
					return { result: undefined };
				},
				{ keepMs: 0, isDurable: true, session: 'own', isDead: () => false },
			);
		await step();
		await jest.advanceTimersByTimeAsync(61_000);
		await step();
		await redis.untilHeard('time', 2);
		await jest.advanceTimersByTimeAsync(1_000);
		await step();
		expect(dates).toEqual([0, 61_000, 62_000]);
	});
});
