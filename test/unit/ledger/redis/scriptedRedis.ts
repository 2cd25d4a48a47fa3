/** A scripted server in place of Redis, and a clock that the test moves while connections live. */
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { readRedisSettings } from '../../../../lib/ledger/redis/settings';
import { RedisStore } from '../../../../lib/ledger/redis/store';
import { waitFor } from '../../../support/wait';

/** The response to a command on the nth connection; undefined for the response of an empty Redis. */
export type Answer = (command: string, connection: number) => string | undefined;
export const SILENCE = 'silence';
/** The end of the connection. */
export const HANG_UP = 'hang up';

/** The result of TIME on a Redis whose clock shows this many milliseconds. */
export function redisTime(ms: number): string {
	const parts = [Math.floor(ms / 1_000), Math.floor((ms % 1_000) * 1_000)].map(String);
	return ['*2', ...parts.flatMap((part) => [`$${part.length}`, part])].join('\r\n');
}

function emptyRedis(command: string): string {
	if (command === 'time') return redisTime(performance.now());
	return command === 'evalsha' ? '$-1' : '-ERR not here';
}

export class ScriptedRedis {
	/** Every command in order, with the connection that it came on. */
	readonly heard: {
		readonly command: string;
		readonly args: readonly string[];
		readonly connection: number;
	}[] = [];
	readonly #sockets = new Set<Socket>();
	readonly #stores: RedisStore[] = [];
	readonly #server = createServer({ allowHalfOpen: true }, (socket) => {
		this.#serve(socket);
	});
	/** Whether a connection stays open that the client has ended; the client then closes it after 100 ms. */
	lingers = false;
	/** How long each response takes, in milliseconds on the clock of the test. */
	delayMs = 0;
	#connections = 0;

	constructor(private readonly answer: Answer) {}

	async start(): Promise<this> {
		await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
		return this;
	}

	get port(): number {
		return (this.#server.address() as AddressInfo).port;
	}

	/** Ends every connection. */
	hangUp(): void {
		for (const socket of this.#sockets) socket.destroy();
	}

	/** Sends an unsolicited message on the nth connection. */
	say(text: string, connection: number): void {
		[...this.#sockets][connection - 1]?.write(`${text}\r\n`);
	}

	async stop(): Promise<void> {
		jest.useRealTimers();
		for (const store of this.#stores) await store.close();
		this.hangUp();
		await new Promise((resolve) => this.#server.close(resolve));
	}

	open(
		env: Readonly<Record<string, string>> = {},
		warn: (message: string) => void = () => undefined,
	): RedisStore {
		const queue = { QUEUE_BULL_REDIS_HOST: '127.0.0.1', QUEUE_BULL_REDIS_PORT: String(this.port) };
		const store = new RedisStore({ settings: readRedisSettings({ ...queue, ...env }), warn });
		this.#stores.push(store);
		return store;
	}

	count(command: string): number {
		return this.heard.filter((each) => each.command === command).length;
	}

	async untilHeard(command: string, times = 1): Promise<void> {
		await until(`${times} times ${command}`, () => this.count(command) >= times);
	}

	#respond(socket: Socket, answer: string): void {
		const write = () => {
			if (socket.writable) socket.write(`${answer}\r\n`);
		};
		if (this.delayMs === 0) write();
		else setTimeout(write, this.delayMs);
	}

	#serve(socket: Socket): void {
		const connection = ++this.#connections;
		this.#sockets.add(socket);
		socket.on('error', () => undefined);
		socket.on('end', () => {
			if (!this.lingers) socket.end();
		});
		socket.on('data', (bytes) => {
			// A command is an array of texts, each behind its length; its name is the first of them.
			for (const [, texts = ''] of bytes
				.toString()
				.matchAll(/\*\d+\r\n((?:\$\d+\r\n[^\r]*\r\n)+)/g)) {
				const [name = '', ...args] = texts.split('\r\n').filter((_line, n) => n % 2 === 1);
				const command = name.toLowerCase();
				this.heard.push({ command, args, connection });
				const answer = this.answer(command, connection) ?? emptyRedis(command);
				if (answer === HANG_UP) socket.destroy();
				else if (answer !== SILENCE) this.#respond(socket, answer);
			}
		});
	}
}

/** Waits by real time, in which connections are made and lost. */
export async function until(what: string, isSo: () => boolean): Promise<void> {
	await waitFor(() => (isSo() ? true : undefined), { what, everyMs: 1 });
}

/** Moves the clock until then, for work that alternates between clock time and real time. */
export async function advanceUntil(what: string, isSo: () => boolean): Promise<void> {
	const look = async () => {
		if (isSo()) return true;
		await jest.advanceTimersByTimeAsync(10);
		return undefined;
	};
	await waitFor(look, { what, everyMs: 1 });
}

/** Moves the clock by `ms` in small steps, with turns of the event loop in between: a process that has a core all the time. */
export async function advance(ms: number): Promise<void> {
	const until = performance.now() + ms;
	for (let left = ms; left > 0; left = until - performance.now()) {
		await jest.advanceTimersByTimeAsync(Math.min(left, 50));
		for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
	}
}

/** Only the test moves the clock; connections continue by themselves. */
export function stopTheClock(): void {
	jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
	// The process has run for longer than anything is waited for.
	jest.advanceTimersByTime(60_000);
}

/** Calls the store and records the result. */
export function call(store: RedisStore) {
	const seen: { answer?: string; error?: unknown } = {};
	const ended = store.readRecord('any').then(
		(value) => {
			seen.answer = value ?? 'none';
		},
		(error: unknown) => {
			seen.error = error;
		},
	);
	return { seen, ended };
}
