/** The one connection of the process to Redis: every call is bounded in time, however Redis behaves. */
import { sleep } from '../../shared/sleep';
import { createRedisClient, type RedisClient } from './client';
import { evictionWarning } from './eviction';
import { errorCode, isAnswer, isLasting, redisUnavailable } from './errors';
import type { Script } from './scripts';
import type { RedisSettings } from './settings';

/** For a call in all, connecting included. */
const CALL_MS = 2_000;
/** For one try: a connection that died unnoticed is replaced within the same call. */
const TRY_MS = 900;
const PAUSE_MS = 50;
/** After this long without a call a lost connection is not opened again until the next call. */
const IDLE_MS = 10_000;
const STUCK_MS = 10_000;

export interface Call {
	readonly script: Script;
	readonly key: string;
	readonly args: readonly (string | number)[];
}

interface Waiter {
	resolve(client: RedisClient): void;
	giveUp(): void;
}

class NoAnswer extends Error {}

export class RedisConnection {
	readonly #settings: RedisSettings;
	readonly #warn: (message: string) => void;
	readonly #waiting = new Set<Waiter>();
	#client: RedisClient | undefined;
	/** The client while its connection takes calls. */
	#usable: RedisClient | undefined;
	#epoch = 0;
	#closes = 0;
	#lastUse = 0;
	/** Of this client; its making counts as one. */
	#lastSuccess = 0;
	#lastError: unknown;
	#checked = false;

	/** `warn` hears once, on connecting, when Redis is set up in a way that breaks the ledger's promise. */
	constructor(settings: RedisSettings, warn: (message: string) => void) {
		this.#settings = settings;
		this.#warn = warn;
	}

	/**
	 * Runs a script on one key and answers what it returns. Scripts are safe to send twice: one whose answer
	 * was lost is sent again, within 2 s in all. Throws `LedgerUnavailableError` then. `onSend` is called
	 * before each sending: from then on Redis may run the script whatever this answers.
	 */
	async run(call: Call, onSend?: () => void): Promise<unknown> {
		const deadline = performance.now() + CALL_MS;
		const closes = this.#closes;
		this.#lastUse = performance.now();
		let reason: unknown;
		for (;;) {
			try {
				const client = await this.#ready(deadline);
				onSend?.();
				const answer = await this.#try(client, call, deadline);
				this.#succeeded();
				return answer;
			} catch (error) {
				// What Redis said once tells more than its silence since.
				if (errorCode(error) !== undefined) reason = error;
				const over = performance.now() + PAUSE_MS >= deadline || closes !== this.#closes;
				if (over || isLasting(reason ?? this.#lastError)) {
					this.#replaceIfStuck();
					throw redisUnavailable(this.#settings, reason ?? this.#lastError);
				}
			}
			await sleep(PAUSE_MS);
		}
	}

	/** Calls under way fail; a later call connects again. */
	close(): void {
		this.#closes += 1;
		this.#drop();
	}

	#succeeded(): void {
		this.#lastSuccess = performance.now();
		this.#lastError = undefined;
	}

	/** Whatever state the client is in: one that has brought nothing for long makes way for a new one. */
	#replaceIfStuck(): void {
		if (performance.now() - this.#lastSuccess < STUCK_MS) return;
		this.#drop();
	}

	#drop(): void {
		this.#client?.disconnect();
		this.#client = undefined;
		this.#usable = undefined;
	}

	async #ready(deadline: number): Promise<RedisClient> {
		const client = (this.#client ??= this.#create());
		if (client === this.#usable) return client;
		if (client.status === 'wait' || client.status === 'end') {
			// How it went arrives as an event.
			client.connect().catch(() => undefined);
		}
		return new Promise<RedisClient>((resolve, reject) => {
			const waiter: Waiter = {
				resolve: (usable) => {
					clearTimeout(timer);
					resolve(usable);
				},
				giveUp: () => {
					clearTimeout(timer);
					reject(new NoAnswer());
				},
			};
			const timer = setTimeout(
				() => {
					this.#waiting.delete(waiter);
					// A server that takes connections and never answers is connected to anew.
					if (client.status === 'connect' || client.status === 'ready') client.disconnect(true);
					reject(new NoAnswer());
				},
				Math.max(deadline - performance.now(), 1),
			);
			this.#waiting.add(waiter);
		});
	}

	async #try(client: RedisClient, call: Call, deadline: number): Promise<unknown> {
		const epoch = this.#epoch;
		const answer = evaluate(client, call);
		const left = Math.max(Math.min(TRY_MS, deadline - performance.now()), 1);
		let timer: NodeJS.Timeout | undefined;
		const silence = new Promise<never>((_resolve, reject) => {
			timer = setTimeout(() => {
				reject(new NoAnswer());
			}, left);
		});
		try {
			return await Promise.race([answer, silence]);
		} catch (error) {
			answer.catch(() => undefined);
			const stale = error instanceof NoAnswer || isReadOnly(error, this.#settings);
			if (stale && epoch === this.#epoch && client.status === 'ready') client.disconnect(true);
			throw error;
		} finally {
			clearTimeout(timer);
		}
	}

	#create(): RedisClient {
		const client = createRedisClient(
			this.#settings,
			() => performance.now() - this.#lastUse > IDLE_MS,
		);
		this.#lastSuccess = performance.now();
		client.on('error', (error: Error) => {
			this.#noteFailure(error);
		});
		client.on('close', () => {
			if (client === this.#usable) this.#usable = undefined;
		});
		client.on('ready', () => {
			void this.#greet(client);
		});
		return client;
	}

	/** A connection is usable when Redis has answered on it, not before: by then it has taken the password. */
	async #greet(client: RedisClient): Promise<void> {
		const epoch = ++this.#epoch;
		try {
			await client.ping();
		} catch (error) {
			if (!isAnswer(error)) {
				this.#noteFailure(error);
				return;
			}
		}
		if (client !== this.#client || epoch !== this.#epoch || client.status !== 'ready') return;
		this.#usable = client;
		this.#settleWaiting((waiter) => {
			waiter.resolve(client);
		});
		await this.#checkSetup(client);
	}

	async #checkSetup(client: RedisClient): Promise<void> {
		if (this.#checked) return;
		this.#checked = true;
		const warning = await evictionWarning(client);
		if (warning !== undefined) this.#warn(warning);
	}

	#noteFailure(error: unknown): void {
		const code = errorCode(error);
		// A wrong password is told by the answer to it; what was sent along with it is only told to bring one.
		if (code === undefined || (code === 'NOAUTH' && this.#settings.password !== '')) return;
		this.#lastError = error;
		if (!isLasting(error)) return;
		this.#settleWaiting((waiter) => {
			waiter.giveUp();
		});
	}

	#settleWaiting(settle: (waiter: Waiter) => void): void {
		for (const waiter of this.#waiting) settle(waiter);
		this.#waiting.clear();
	}
}

/** By its hash; the text follows when Redis does not know it (started anew, or another node). */
async function evaluate(client: RedisClient, { script, key, args }: Call): Promise<unknown> {
	try {
		return await client.evalsha(script.sha, 1, key, ...args);
	} catch (error) {
		if (errorCode(error) !== 'NOSCRIPT') throw error;
		return client.eval(script.text, 1, key, ...args);
	}
}

/** After a failover the old primary refuses writes: the name is looked up again, as n8n's own client does. */
function isReadOnly(error: unknown, settings: RedisSettings): boolean {
	return settings.reconnectOnFailover && errorCode(error) === 'READONLY';
}
