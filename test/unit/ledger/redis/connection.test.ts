/** How the connection to Redis handles responses, silence and losses, on a clock that the test moves. */
import { setTimeout as realSleep } from 'node:timers/promises';
import * as sleeping from '../../../../lib/shared/pace';
import {
	advanceUntil,
	type Answer,
	call,
	HANG_UP,
	ScriptedRedis,
	SILENCE,
	stopTheClock,
	until,
} from './scriptedRedis';

describe('a call to Redis', () => {
	let redis: ScriptedRedis;
	/** Those between two tries. */
	let pauses: jest.SpyInstance;

	const start = async (answer: Answer = () => undefined) => {
		redis = await new ScriptedRedis(answer).start();
		stopTheClock();
		pauses = jest.spyOn(sleeping, 'sleep');
	};
	const untilPaused = async (times = 1) => {
		await until(`${times} pauses`, () => pauses.mock.calls.length === times);
	};
	const advance = async (ms: number) => {
		await jest.advanceTimersByTimeAsync(ms);
	};
	/** Answers calls so on the first connection, and well on every other one. */
	const firstAnswers = (answer: string) => (command: string, connection: number) =>
		command === 'evalsha' && connection === 1 ? answer : undefined;

	afterEach(async () => {
		jest.restoreAllMocks();
		await redis.stop();
	});

	it('is sent again if its connection ends before the response', async () => {
		await start(firstAnswers(HANG_UP));
		const { seen, ended } = call(redis.open());
		await untilPaused();
		// The client ends the connection, and waits for 100 ms before it opens another one.
		await advance(200);
		await ended;
		expect(seen).toEqual({ answer: 'none' });
		expect(redis.heard.at(-1)).toMatchObject({ command: 'evalsha', connection: 2 });
		expect(redis.count('evalsha')).toBe(2);
	});

	it('is sent again over a new connection after 900 ms of silence', async () => {
		await start(firstAnswers(SILENCE));
		const { seen, ended } = call(redis.open());
		await redis.untilHeard('evalsha');
		await advance(899);
		expect(pauses).not.toHaveBeenCalled();
		await advance(1);
		await untilPaused();
		await advance(200);
		await ended;
		expect(seen).toEqual({ answer: 'none' });
		expect(redis.heard.at(-1)).toMatchObject({ command: 'evalsha', connection: 2 });
	});

	it('has its response if that had arrived when the process got a core again, though its time was over by then', async () => {
		await start((command) => (command === 'evalsha' ? SILENCE : undefined));
		const { seen, ended } = call(redis.open());
		await redis.untilHeard('evalsha');
		// From here in one turn of the event loop, in which timers come before connections.
		await realSleep(1);
		redis.say('$-1', 1);
		jest.advanceTimersByTime(900);
		await ended;
		expect(seen).toEqual({ answer: 'none' });
		expect(redis.count('evalsha')).toBe(1);
	});

	it.each(['OOM command not allowed', 'MISCONF Redis cannot save', 'NOPERM No permissions'])(
		'is refused at once by a response that another try would also get: %s',
		async (answer) => {
			await start(firstAnswers(`-${answer}`));
			const { seen, ended } = call(redis.open());
			await ended;
			expect(String(seen.error)).toContain(`(${answer.split(' ')[0]})`);
			expect(redis.count('evalsha')).toBe(1);
		},
	);

	it('is retried every 50 ms while Redis reports that it is loading, and is then refused with that', async () => {
		let answers = 0;
		await start((command) => {
			if (command !== 'evalsha') return undefined;
			answers += 1;
			return answers <= 24 ? '-LOADING Redis is loading' : SILENCE;
		});
		const { seen, ended } = call(redis.open());
		for (let times = 1; times <= 24; times++) {
			await untilPaused(times);
			await advance(50);
		}
		await redis.untilHeard('evalsha', 25);
		// The last try has the rest of the 2 s.
		await advance(800);
		await ended;
		// It is more useful than the silence since.
		expect(String(seen.error)).toContain('(LOADING)');
		// The next call need not wait for that.
		await advanceUntil('another connection', () => redis.count('time') === 2);
	});

	it('is refused at once if the password is wrong or missing', async () => {
		await start((command) => {
			if (command === 'auth') return '-WRONGPASS invalid username-password pair';
			return '-NOAUTH Authentication required.';
		});
		const store = redis.open({ QUEUE_BULL_REDIS_PASSWORD: 'wrong' });
		const wrong = call(store);
		const missing = call(redis.open());
		await Promise.all([wrong.ended, missing.ended]);
		expect(String(wrong.seen.error)).toContain('(WRONGPASS)');
		expect(String(missing.seen.error)).toContain('(NOAUTH)');
		expect(redis.count('evalsha')).toBe(0);
		const again = call(store);
		await advance(2_000);
		await again.ended;
		expect(String(again.seen.error)).toContain('(WRONGPASS)');
	});

	it('is never sent to database 0 if its own cannot be selected', async () => {
		await start((command) => (command === 'select' ? '-NOPERM No permissions' : undefined));
		const store = redis.open({ QUEUE_BULL_REDIS_DB: '3' });
		const first = call(store);
		await first.ended;
		expect(String(first.seen.error)).toContain('(NOPERM)');
		const again = call(store);
		await advance(2_000);
		await again.ended;
		expect(String(again.seen.error)).toContain('(NOPERM)');
		expect(redis.count('evalsha')).toBe(0);
	});

	it('is refused for the earlier wrong password if Redis has been silent since', async () => {
		await start((command, connection) =>
			command === 'auth' && connection === 1 ? '-WRONGPASS invalid' : SILENCE,
		);
		const store = redis.open({ QUEUE_BULL_REDIS_PASSWORD: 'wrong' });
		await call(store).ended;
		await advanceUntil('another connection', () => redis.heard.at(-1)?.connection === 2);
		await redis.untilHeard('time', 2);
		const { seen, ended } = call(store);
		redis.hangUp();
		await advanceUntil('the call to fail', () => seen.error !== undefined);
		await ended;
		expect(String(seen.error)).toContain('(WRONGPASS)');
	});

	it('is sent again although the password was wrong once', async () => {
		await start((command, connection) => {
			if (connection === 1) return command === 'auth' ? '-WRONGPASS invalid' : '-NOAUTH first';
			if (command === 'auth') return '+OK';
			return command === 'evalsha' && redis.count(command) === 1 ? SILENCE : undefined;
		});
		const store = redis.open({ QUEUE_BULL_REDIS_PASSWORD: 'right' });
		await call(store).ended;
		await advanceUntil('another connection', () => redis.count('time') === 2);
		const { seen, ended } = call(store);
		await redis.untilHeard('evalsha');
		redis.hangUp();
		await advanceUntil('the call to end', () => (seen.answer ?? seen.error) !== undefined);
		await ended;
		expect(seen).toEqual({ answer: 'none' });
	});

	it('goes over a new connection when the server has become a replica', async () => {
		await start(firstAnswers("-READONLY You can't write against a read only replica."));
		const { seen, ended } = call(redis.open());
		await untilPaused();
		// The client ends the connection, and waits for 100 ms before it opens another one.
		await advance(200);
		await ended;
		expect(seen).toEqual({ answer: 'none' });
	});

	it('stays on the connection of a replica when n8n is set to', async () => {
		await start(firstAnswers("-READONLY You can't write against a read only replica."));
		const store = redis.open({ QUEUE_BULL_REDIS_RECONNECT_ON_FAILOVER: 'false' });
		const { seen, ended } = call(store);
		for (const times of [1, 2, 3]) {
			await untilPaused(times);
			await advance(50);
		}
		await store.close();
		await ended;
		expect(String(seen.error)).toContain('(READONLY)');
		expect(redis.count('time')).toBe(1);
	});

	it('fails at once when the ledger is closed, and a later one connects again', async () => {
		await start(firstAnswers(SILENCE));
		const store = redis.open();
		const { seen, ended } = call(store);
		await redis.untilHeard('evalsha');
		await store.close();
		await ended;
		expect(String(seen.error)).toContain('did not respond in time');
		expect(jest.getTimerCount()).toBe(0);
		const later = call(store);
		await later.ended;
		expect(later.seen).toEqual({ answer: 'none' });
	});

	it('is taken by Redis from a user who may not do more', async () => {
		await start((command) => (command === 'time' ? '-NOPERM No permissions' : undefined));
		const { seen, ended } = call(redis.open());
		await ended;
		expect(seen).toEqual({ answer: 'none' });
	});

	it('goes over the connection of the one before', async () => {
		await start();
		const store = redis.open();
		for (let n = 0; n < 3; n++) await call(store).ended;
		expect(redis.heard.map(({ connection }) => connection)).not.toContain(2);
		expect(redis.count('evalsha')).toBe(3);
	});

	it('warns of a Redis that may evict entries, once a day with a call, as long as that is so', async () => {
		let policy = 'allkeys-lru';
		const memory = () => `maxmemory:1\r\nmaxmemory_policy:${policy}\r\n`;
		await start((command) =>
			command === 'info' ? `$${memory().length}\r\n${memory()}` : undefined,
		);
		const warnings: string[] = [];
		const store = redis.open({}, (message) => warnings.push(message));
		const asked = async (times: number) => {
			await call(store).ended;
			await redis.untilHeard('info', times);
			// Arrives after the response to that.
			await call(store).ended;
			expect(redis.count('info')).toBe(times);
			return warnings.length;
		};
		expect(await asked(1)).toBe(1);
		expect(warnings[0]).toContain('allkeys-lru');
		redis.hangUp();
		await until('another connection to come', () => jest.getTimerCount() === 1);
		await advance(100);
		await redis.untilHeard('time', 2);
		expect(await asked(1)).toBe(1);
		await advance(24 * 60 * 60_000);
		expect(await asked(2)).toBe(2);
		policy = 'noeviction';
		await advance(24 * 60 * 60_000);
		expect(await asked(3)).toBe(2);
	});

	it('is not sent before Redis has responded on its connection', async () => {
		await start((command) => (command === 'time' ? SILENCE : undefined));
		const { ended } = call(redis.open());
		await redis.untilHeard('time');
		await advance(2_000);
		await ended;
		expect(redis.count('evalsha')).toBe(0);
	});
});
