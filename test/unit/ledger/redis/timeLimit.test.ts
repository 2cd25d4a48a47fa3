/** The 2 s that a call to Redis may take, on a clock that the test moves: how busy the machine is makes no difference. */
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as realSleep } from 'node:timers/promises';
import { LedgerUnavailableError } from '../../../../lib/ledger';
import { RedisLedger, readRedisSettings } from '../../../../lib/ledger/redis';

describe('a call to a Redis that is silent', () => {
	const closing: (() => unknown)[] = [];

	afterEach(async () => {
		jest.useRealTimers();
		for (const close of closing.splice(0).reverse()) await close();
	});

	/** Takes connections and answers as told; undefined is silence. */
	async function startServer(answer: (command: string) => string | undefined) {
		const sockets = new Set<Socket>();
		const heard: string[] = [];
		const server = createServer((socket) => {
			sockets.add(socket);
			socket.on('error', () => undefined);
			socket.on('data', (bytes) => {
				// A command is an array of texts with their lengths; its name is the first of them.
				for (const [, name = ''] of bytes.toString().matchAll(/\*\d+\r\n\$\d+\r\n(\w+)\r\n/g)) {
					heard.push(name.toLowerCase());
					const reply = answer(name.toLowerCase());
					if (reply !== undefined) socket.write(`${reply}\r\n`);
				}
			});
		});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		closing.push(async () => {
			for (const socket of sockets) socket.destroy();
			await new Promise((resolve) => server.close(resolve));
		});
		const { port } = server.address() as AddressInfo;
		return {
			open: () => {
				const url = `redis://127.0.0.1:${port}`;
				const settings = readRedisSettings({ ASSET_SERVICE_LEDGER_REDIS_URL: url });
				const ledger = new RedisLedger({ settings });
				closing.push(() => ledger.close());
				return ledger;
			},
			/** By real time, in which the connection is made. */
			untilHeard: async (command: string) => {
				while (!heard.includes(command)) await realSleep(1);
			},
		};
	}

	function call(ledger: RedisLedger) {
		const seen: { error?: unknown } = {};
		const ended = ledger.readRecord('any').catch((error: unknown) => {
			seen.error = error;
		});
		return { seen, ended };
	}

	function stopTheClock(): void {
		// What a connection needs goes on by itself.
		jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
	}

	it('is refused after 2 s, not before, when it never answers', async () => {
		const { open, untilHeard } = await startServer(() => undefined);
		stopTheClock();
		const { seen, ended } = call(open());
		await untilHeard('ping');
		await jest.advanceTimersByTimeAsync(1_999);
		expect(seen.error).toBeUndefined();
		await jest.advanceTimersByTimeAsync(1);
		await ended;
		expect(seen.error).toBeInstanceOf(LedgerUnavailableError);
		expect(String(seen.error)).toMatch(/did not answer in time/);
	});

	it('is refused within 2 s, and not much before, when it stops answering', async () => {
		const { open, untilHeard } = await startServer((command) => {
			if (command.startsWith('eval')) return undefined;
			return command === 'ping' ? '+PONG' : '-ERR not here';
		});
		stopTheClock();
		const { seen, ended } = call(open());
		await untilHeard('evalsha');
		// The last try may end a pause of 50 ms before the time is over.
		await jest.advanceTimersByTimeAsync(1_949);
		expect(seen.error).toBeUndefined();
		await jest.advanceTimersByTimeAsync(51);
		await ended;
		expect(String(seen.error)).toMatch(/did not answer in time/);
	});

	it('is refused within 2 s although a thousand others wait beside it', async () => {
		const { open, untilHeard } = await startServer(() => undefined);
		stopTheClock();
		const ledger = open();
		const calls = Array.from({ length: 1_000 }, () => call(ledger));
		await untilHeard('ping');
		await jest.advanceTimersByTimeAsync(2_000);
		await Promise.all(calls.map(({ ended }) => ended));
		expect(calls.filter(({ seen }) => seen.error instanceof LedgerUnavailableError)).toHaveLength(
			1_000,
		);
	});
});
