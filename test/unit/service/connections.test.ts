import { createServer as createHttpServer } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { undiciTransport } from '../../../lib/service';
import { LIMITS } from '../../../lib/service/defaults';
import { withRetries } from '../../../lib/service/transport';
import { watchCores } from '../../support/cores';
import type { Answer } from '../../support/httpService';
import { closeAll, get, serve, startTcp } from './servers';
import { rejection } from './world';

/** Milliseconds that only something that hangs would take: the bound under test is a shorter one. */
const HANG_MS = 600_000;

afterEach(closeAll);

/** A TLS host that never shakes hands, and a proxy that takes CONNECT and stays silent: each tells when it was reached. */
const silent: [
	string,
	(reached: () => void) => Promise<{ url: string; env: NodeJS.ProcessEnv }>,
][] = [
	[
		'a TLS host that never shakes hands',
		async (reached) => {
			const port = await startTcp((socket) => socket.once('data', reached));
			return { url: `https://127.0.0.1:${port}`, env: {} };
		},
	],
	[
		'a proxy that takes CONNECT and stays silent',
		async (reached) => {
			const proxy = createHttpServer().on('connect', (_request, socket: Socket) => {
				socket.on('error', () => undefined);
				reached();
			});
			const port = await startTcp((socket) => proxy.emit('connection', socket));
			return { url: 'https://api.example.com', env: { HTTPS_PROXY: `http://127.0.0.1:${port}` } };
		},
	],
	[
		'a host behind a proxy that never shakes hands',
		async (reached) => {
			const proxy = createHttpServer().on('connect', (_request, socket: Socket) => {
				socket.on('error', () => undefined).once('data', reached);
				socket.write('HTTP/1.1 200 OK\r\n\r\n');
			});
			const port = await startTcp((socket) => proxy.emit('connection', socket));
			return { url: 'https://api.example.com', env: { HTTPS_PROXY: `http://127.0.0.1:${port}` } };
		},
	],
];

describe.each(silent)('%s', (_name, start) => {
	it('costs no more than the time for connecting', async () => {
		const { url, env } = await start(() => undefined);
		const timeouts = { connectMs: 100, responseMs: HANG_MS, bodyMs: HANG_MS };
		expect(await rejection(get(url, { env, timeouts }))).toMatchObject({
			message: 'the connection took too long',
			retryable: true,
			neverSent: true,
		});
	});

	it('is left within 100 ms of a cancel', async () => {
		const caller = new AbortController();
		let cancelledAt = 0;
		let coreless = () => 0;
		const { url, env } = await start(() => {
			coreless = watchCores();
			cancelledAt = performance.now();
			caller.abort(new Error('cancelled by the person'));
		});
		const error = await rejection(get(url, { env }, caller.signal));
		expect(error).toMatchObject({ message: 'cancelled by the person' });
		expect(performance.now() - cancelledAt).toBeLessThan(100 + coreless());
	});
});

describe('more requests than connections', () => {
	const timeouts = { connectMs: 10_000, responseMs: 30_000, bodyMs: 60_000 };
	/** A service that responds on demand. */
	const startHeld = async () => {
		const held: ((answer: Answer) => void)[] = [];
		const service = await serve(() => new Promise<Answer>((resolve) => held.push(resolve)));
		return {
			...service,
			reached: async (count: number) => {
				while (service.requests.length < count) await nextTurn();
			},
			answerAll: () => {
				for (const answer of held.splice(0)) answer({ body: 'done' });
			},
		};
	};

	beforeEach(() => {
		jest.useFakeTimers({
			doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'],
		});
	});
	afterEach(() => {
		jest.useRealTimers();
	});

	it('all succeed when each gets its response in time, counted from when it was sent', async () => {
		const service = await startHeld();
		const answers = Array.from({ length: 3 * LIMITS.connections }, () =>
			get(service.url, { timeouts }),
		);
		for (let round = 1; round <= 3; round++) {
			await service.reached(round * LIMITS.connections);
			jest.advanceTimersByTime(29_000);
			service.answerAll();
		}
		expect(new Set((await Promise.all(answers)).map(({ body }) => body))).toEqual(
			new Set(['done']),
		);
		expect(service.connections()).toBe(LIMITS.connections);
	});

	it('wait no longer than the time for all attempts, and say for what', async () => {
		const service = await startHeld();
		const slow = { ...timeouts, responseMs: HANG_MS };
		const sent = Array.from({ length: LIMITS.connections }, () =>
			get(service.url, { timeouts: slow }),
		);
		await service.reached(LIMITS.connections);
		const request = { method: 'GET', url: service.url, headers: {} } as const;
		const transport = undiciTransport({ env: {}, timeouts: slow });
		const waiting = rejection(withRetries(transport)(request));
		jest.advanceTimersByTime(60_000);
		expect(await waiting).toMatchObject({
			message: 'all connections were busy',
			neverSent: true,
		});
		service.answerAll();
		await Promise.all(sent);
	});

	it('distinguish requests that were never sent from sent ones', async () => {
		const service = await startHeld();
		const caller = new AbortController();
		const sent = Array.from({ length: LIMITS.connections }, () =>
			rejection(get(service.url, { timeouts })),
		);
		const waiting = rejection(get(service.url, { timeouts }, caller.signal));
		await service.reached(LIMITS.connections);
		caller.abort(new Error('cancelled while it waited'));
		expect(await waiting).toMatchObject({ message: 'cancelled while it waited' });
		jest.advanceTimersByTime(30_000);
		for (const error of await Promise.all(sent)) {
			expect(error).toMatchObject({ message: 'the response took too long', neverSent: false });
		}
		expect(service.requests).toHaveLength(LIMITS.connections);
		const next = get(service.url, { timeouts });
		await service.reached(LIMITS.connections + 1);
		service.answerAll();
		expect(await next).toMatchObject({ body: 'done' });
	});
});
