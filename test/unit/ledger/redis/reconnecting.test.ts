import { createRedisClient } from '../../../../lib/ledger/redis/connection';
import { readRedisSettings } from '../../../../lib/ledger/redis/settings';
import { Redis } from '../../../../lib/vendor/ioredis';
import {
	advance,
	advanceUntil,
	type Answer,
	call,
	HANG_UP,
	ScriptedRedis,
	SILENCE,
	stopTheClock,
	until,
} from './scriptedRedis';

describe('a lost connection to Redis', () => {
	/** Milliseconds from the loss, or from the try that failed, to the next try. */
	function pauses(isIdle: () => boolean): unknown[] {
		const client = createRedisClient(readRedisSettings({}), isIdle);
		if (!(client instanceof Redis)) throw new Error('This is a cluster.');
		return [1, 2, 9, 10, 11, 1_000].map((attempt) => client.options.retryStrategy?.(attempt));
	}

	it('is opened again soon, and every second while Redis is down', () => {
		expect(pauses(() => false)).toEqual([100, 200, 900, 1_000, 1_000, 1_000]);
	});

	it('is not opened again while it is not used', () => {
		expect(pauses(() => true)).toEqual([null, null, null, null, null, null]);
	});

	describe('on a clock that the test moves', () => {
		let redis: ScriptedRedis;

		const start = async (answer: Answer = () => undefined) => {
			redis = await new ScriptedRedis(answer).start();
			stopTheClock();
			return redis.open();
		};

		afterEach(() => redis.stop());

		it('is opened again within 10 s of the last call', async () => {
			await call(await start()).ended;
			await advance(9_999);
			redis.hangUp();
			await until('another connection to come', () => jest.getTimerCount() === 1);
			await advance(100);
			await redis.untilHeard('time', 2);
		});

		it('is opened again later by the next call', async () => {
			const store = await start();
			await call(store).ended;
			await advance(10_001);
			redis.hangUp();
			// Which takes longer than the news of the loss.
			await call(redis.open()).ended;
			expect(jest.getTimerCount()).toBe(0);
			const { seen, ended } = call(store);
			await ended;
			expect(seen).toEqual({ answer: 'none' });
		});

		it('is opened again to a Redis that is silent, after a call that failed', async () => {
			const { ended } = call(await start(() => SILENCE));
			await redis.untilHeard('time');
			await advance(2_000);
			await ended;
			await until('another connection to come', () => jest.getTimerCount() > 0);
			await advance(200);
			await redis.untilHeard('time', 2);
		});

		it('is given up if the client has received no response for 10 s', async () => {
			const store = await start(() => SILENCE);
			const failed = async () => {
				const { ended } = call(store);
				await advance(2_000);
				await ended;
			};
			await failed();
			await advance(8_000);
			await failed();
			await until('it to stop trying', () => jest.getTimerCount() === 0);
		});

		it('is not given up if the client received a response within that time', async () => {
			let isSilent = false;
			const store = await start(() => (isSilent ? SILENCE : undefined));
			await call(store).ended;
			await advance(9_000);
			await call(store).ended;
			isSilent = true;
			const { ended } = call(store);
			await redis.untilHeard('evalsha', 3);
			// One try, another connection, and the rest of the 2 s.
			await advance(900);
			await advance(200);
			await redis.untilHeard('time', 2);
			await advance(900);
			await ended;
			// The connection has 2 s of its own.
			await advance(1_300);
			await redis.untilHeard('time', 3);
		});

		it('serves all calls once Redis is back, although each response takes a while and the time of earlier calls is over meanwhile', async () => {
			let isDown = true;
			const store = await start(() => (isDown ? HANG_UP : undefined));
			const calls: { isLater: boolean; of: ReturnType<typeof call> }[] = [];
			// As executions and deliveries do that retry: at any time, one is about to give up.
			const keepCalling = async (times: number) => {
				for (let n = 0; n < times; n++) {
					calls.push({ isLater: !isDown, of: call(store) });
					await advance(200);
				}
			};
			await keepCalling(15);
			isDown = false;
			redis.delayMs = 300;
			const before = redis.heard.at(-1)?.connection ?? 0;
			await keepCalling(15);
			await advanceUntil('the last call to end', () => {
				const { answer, error } = calls.at(-1)?.of.seen ?? {};
				return (answer ?? error) !== undefined;
			});
			const later = calls.filter(({ isLater }) => isLater).map(({ of }) => of.seen);
			expect(later).toEqual(later.map(() => ({ answer: 'none' })));
			const connections = new Set(redis.heard.map(({ connection }) => connection));
			expect([...connections].filter((connection) => connection > before)).toHaveLength(1);
		});

		it('is not opened again sooner by a call', async () => {
			const store = await start();
			await call(store).ended;
			redis.hangUp();
			await until('another connection to come', () => jest.getTimerCount() === 1);
			const { seen, ended } = call(store);
			await call(redis.open()).ended;
			expect(redis.count('time')).toBe(2);
			await advance(100);
			await ended;
			expect(seen).toEqual({ answer: 'none' });
			expect(redis.heard.at(-1)).toMatchObject({ command: 'evalsha', connection: 3 });
		});

		it('does not take the next one along when it ends late', async () => {
			const store = await start();
			redis.lingers = true;
			await call(store).ended;
			await store.close();
			await call(store).ended;
			await advance(100);
			// Which takes longer than the news of the end.
			await call(redis.open()).ended;
			await call(store).ended;
			expect(redis.heard.at(-1)).toMatchObject({ command: 'evalsha', connection: 2 });
		});

		it('is not taken for the next one when Redis responds late on it', async () => {
			const store = await start((command, connection) =>
				command === 'time' && connection === 1 ? SILENCE : undefined,
			);
			redis.lingers = true;
			const { ended } = call(store);
			await redis.untilHeard('time');
			await store.close();
			await call(store).ended;
			await ended;
			redis.say('+PONG', 1);
			// Which takes longer than that answer.
			await call(redis.open()).ended;
			await call(store).ended;
			expect(redis.heard.at(-1)).toMatchObject({ command: 'evalsha', connection: 2 });
		});
	});
});
