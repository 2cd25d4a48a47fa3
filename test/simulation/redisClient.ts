/**
 * A client of Redis as ioredis makes it: the parts that the package uses.
 *
 * Facts: it connects when it is told to, and counts as ready without a word from Redis. Commands reach Redis in their order, and so
 * do the responses. A command that is sent without a connection is rejected, and so are all that wait for their responses when it
 * closes. It then connects again after `retryStrategy`, which can say no.
 */
import { EventEmitter } from 'node:events';
import type { Clock, Owner, Task } from './clock';

export type Command =
	| { readonly name: 'time' }
	| { readonly name: 'other' }
	| {
			readonly name: 'eval' | 'evalsha';
			/** Its text, or the hash of it. */
			readonly script: string;
			readonly key: string;
			readonly args: readonly (string | number)[];
	  };

/** `lost`: the connection breaks before the response. */
export type Outcome = { readonly result: unknown } | { readonly error: Error } | 'lost';

export interface Server {
	/** Whether it accepts connections. */
	readonly accepts: () => boolean;
	/** How long a command or a response takes on the network, in milliseconds. */
	readonly travelMs: () => number;
	readonly receive: (command: Command, respond: (outcome: Outcome) => void) => void;
}

interface Options {
	readonly server: Server;
	readonly clock: Clock;
	readonly owner: Owner;
	/** In how many milliseconds it connects again. */
	readonly retryStrategy: (attempts: number) => number | null;
}

/** From an open connection to its end. */
interface Connection {
	/** Whether the server closed it: what it had sent does not arrive. */
	isBroken: boolean;
	sentUntil: number;
	respondedUntil: number;
	readonly waiting: Set<(error: Error) => void>;
}

export class RedisClient extends EventEmitter {
	status: 'wait' | 'connecting' | 'ready' | 'reconnecting' | 'end' = 'wait';
	readonly stream = { unref: () => undefined };
	readonly #options: Options;
	#connection: Connection | undefined;
	#attempts = 0;
	#connecting: Task | undefined;

	constructor(options: Options) {
		super();
		this.#options = options;
	}

	async connect(): Promise<void> {
		this.#connectIn(0);
		await Promise.resolve();
	}

	disconnect(isToReconnect = false): void {
		this.#end(isToReconnect);
	}

	/** The server closes the connection. */
	lose(): void {
		if (this.#connection) this.#connection.isBroken = true;
		this.#end(true);
	}

	async time(): Promise<unknown> {
		return await this.#send({ name: 'time' });
	}

	async info(): Promise<unknown> {
		return await this.#send({ name: 'other' });
	}

	async client(): Promise<unknown> {
		return await this.#send({ name: 'other' });
	}

	async eval(
		script: string,
		_keys: 1,
		key: string,
		...args: (string | number)[]
	): Promise<unknown> {
		return await this.#send({ name: 'eval', script, key, args });
	}

	async evalsha(
		script: string,
		_keys: 1,
		key: string,
		...args: (string | number)[]
	): Promise<unknown> {
		return await this.#send({ name: 'evalsha', script, key, args });
	}

	#connectIn(ms: number): void {
		const { clock, owner, server } = this.#options;
		this.status = ms === 0 ? 'connecting' : 'reconnecting';
		this.#connecting = clock.after(
			ms + server.travelMs(),
			() => {
				if (server.accepts()) {
					this.#attempts = 0;
					this.#connection = {
						...{ isBroken: false, sentUntil: 0, respondedUntil: 0, waiting: new Set() },
					};
					this.status = 'ready';
					this.emit('connect');
					this.emit('ready');
					return;
				}
				this.emit('error', Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
				this.#end(true);
			},
			owner,
		);
	}

	#end(isToReconnect: boolean): void {
		const { retryStrategy } = this.#options;
		if (this.status === 'wait' || this.status === 'end') return;
		if (this.#connecting) this.#connecting.isCancelled = true;
		const connection = this.#connection;
		this.#connection = undefined;
		const afterMs = isToReconnect ? retryStrategy(++this.#attempts) : null;
		this.emit('close');
		if (afterMs === null) this.status = 'end';
		else this.#connectIn(afterMs);
		for (const reject of connection?.waiting ?? []) reject(new Error('Connection is closed.'));
	}

	async #send(command: Command): Promise<unknown> {
		const { server, clock, owner } = this.#options;
		const connection = this.#connection;
		if (connection === undefined) throw new Error("Stream isn't writeable");
		return await new Promise((resolve, reject) => {
			connection.waiting.add(reject);
			const respond = (outcome: Outcome) => {
				connection.respondedUntil = Math.max(
					connection.respondedUntil,
					clock.now + server.travelMs(),
				);
				clock.after(
					connection.respondedUntil - clock.now,
					() => {
						connection.waiting.delete(reject);
						if (connection !== this.#connection) return;
						if (outcome === 'lost') {
							this.lose();
							reject(new Error('Connection is closed.'));
						} else if ('error' in outcome) reject(outcome.error);
						else resolve(outcome.result);
					},
					owner,
				);
			};
			connection.sentUntil = Math.max(connection.sentUntil, clock.now + server.travelMs());
			clock.after(connection.sentUntil - clock.now, () => {
				if (!connection.isBroken) server.receive(command, respond);
			});
		});
	}
}
