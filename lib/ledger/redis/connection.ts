/**
 * The process's connection to Redis: every call is limited in time, however Redis behaves.
 *
 *     none ──call──▶ connecting ──TIME answered──▶ usable
 *      ▲                 ▲                           │
 *      │                 └── closed, or no response ─┘
 *      └── closed by the ledger; no result for 10 s; idle for 10 s and lost
 *
 * - none: the next call creates a client. - connecting: calls wait, each until its limit. - usable: calls are sent.
 */
import { sleep } from '../../shared/sleep';
import { createRedisClient, type RedisClient } from './client';
import { errorCode, isAnswer, isLasting, redisUnavailableError } from './errors';
import { evictionWarning } from './eviction';
import { type Call, clockWhenLate, evaluate } from './scripts';
import type { RedisSettings } from './settings';
import { NoAnswer, within } from './timeLimit';

/** The longest time for a call, including connecting. */
const CALL_MS = 2_000;
/** The longest time for one try: a connection that died unnoticed is replaced within the same call. */
const TRY_MS = 900;
const PAUSE_MS = 50;
/** After this long without a call, a lost connection stays closed until the next call. */
const IDLE_MS = 10_000;
const STUCK_MS = 10_000;
/** How long the clocks of Redis and this process are assumed to run at the same speed. */
const CLOCK_MS = 60_000;
/** How often the setup of Redis is checked. */
const CHECK_EVERY_MS = 24 * 60 * 60_000;

interface Waiter {
	resolve(client: RedisClient): void;
	reject(error: unknown): void;
}

export class RedisConnection {
	readonly #settings: RedisSettings;
	readonly #warn: (message: string) => void;
	readonly #waiting = new Set<Waiter>();
	#client: RedisClient | undefined;
	/** The client, while its connection accepts calls. */
	#usable: RedisClient | undefined;
	/** The number of connections so far, to distinguish them. */
	#connections = 0;
	#closes = 0;
	#lastUse = 0;
	/** When this client was created, or last returned a result. */
	#lastSuccess = 0;
	#lastError: unknown;
	#checkAt = 0;
	/** Unix milliseconds on the clock of Redis, at a time of `performance.now()` or slightly before it. */
	#clock: { readonly redis: number; readonly at: number } | undefined;

	/** Calls `warn` at the first call, and once a day with a call, as long as the setup of Redis breaks the ledger's guarantee. */
	constructor(settings: RedisSettings, warn: (message: string) => void) {
		this.#settings = settings;
		this.#warn = warn;
	}

	/**
	 * Runs a script on one key and returns its result. Scripts are safe to send twice: one whose response was lost is
	 * sent again. Throws `LedgerUnavailableError` after 2 s in total, and no script runs later than that.
	 */
	async run(call: Call): Promise<unknown> {
		const deadline = performance.now() + CALL_MS;
		const closes = this.#closes;
		this.#lastUse = performance.now();
		let reason: unknown;
		for (;;) {
			try {
				const client = await this.#ready(deadline);
				const result = await this.#try(client, call, deadline);
				this.#succeeded();
				const clock = clockWhenLate(result);
				if (clock === undefined) {
					void this.#checkSetup(client);
					return result;
				}
				// The clock of Redis was changed, or belongs to another node.
				this.#setClock(clock);
				throw new NoAnswer();
			} catch (error) {
				// An error from Redis says more than a timeout after it.
				if (errorCode(error) !== undefined) reason = error;
				const over = performance.now() + PAUSE_MS >= deadline || closes !== this.#closes;
				if (over || isLasting(reason ?? this.#lastError)) {
					this.#replaceIfStuck();
					throw redisUnavailableError(this.#settings, reason ?? this.#lastError);
				}
			}
			await sleep(PAUSE_MS);
		}
	}

	/** Unix milliseconds on the clock of Redis, as far as it is known: the hosts that share it need not agree. */
	now(): number {
		if (this.#clock === undefined) return Date.now();
		return Math.floor(this.#clock.redis + performance.now() - this.#clock.at);
	}

	/** Calls in progress fail; a later call connects again. */
	close(): void {
		this.#closes += 1;
		this.#drop();
	}

	#succeeded(): void {
		this.#lastSuccess = performance.now();
		this.#lastError = undefined;
	}

	/** Drops a client that has returned nothing for long, whatever its state. */
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
			// Its result arrives as an event.
			client.connect().catch(() => undefined);
		}
		let waiter: Waiter | undefined;
		const usable = new Promise<RedisClient>((resolve, reject) => {
			waiter = { resolve, reject };
			this.#waiting.add(waiter);
		});
		try {
			return await within(deadline - performance.now(), usable);
		} catch (error) {
			// A server that accepts connections but never responds gets a new connection.
			const isSilent = client.status === 'connect' || client.status === 'ready';
			if (error instanceof NoAnswer && isSilent) client.disconnect(true);
			throw error;
		} finally {
			if (waiter) this.#waiting.delete(waiter);
		}
	}

	async #try(client: RedisClient, call: Call, deadline: number): Promise<unknown> {
		const connection = this.#connections;
		try {
			const leftMs = deadline - performance.now();
			const redisDeadline = this.#onClockOfRedis(client, deadline);
			return await within(Math.min(TRY_MS, leftMs), evaluate(client, call, redisDeadline));
		} catch (error) {
			const isStale = error instanceof NoAnswer || isReadOnly(error, this.#settings);
			if (isStale && connection === this.#connections && client.status === 'ready')
				client.disconnect(true);
			throw error;
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

	/** A connection is usable only once Redis has responded on it: Redis has accepted the password by then. */
	async #greet(client: RedisClient): Promise<void> {
		const connection = ++this.#connections;
		try {
			await this.#selectDatabase(client);
		} catch (error) {
			this.#noteFailure(error);
			return;
		}
		try {
			await this.#readClock(client);
			// A password that was wrong before has been accepted now.
			this.#lastError = undefined;
		} catch (error) {
			if (!isAnswer(error)) {
				this.#noteFailure(error);
				return;
			}
		}
		if (client !== this.#client || connection !== this.#connections || client.status !== 'ready')
			return;
		this.#usable = client;
		for (const waiter of this.#waiting) waiter.resolve(client);
	}

	/** The client has sent this already, but continues in database 0 if Redis refuses it. */
	async #selectDatabase(client: RedisClient): Promise<void> {
		const { db, clusterNodes } = this.#settings;
		if (db !== 0 && clusterNodes.length === 0) await client.select(db);
	}

	/** Early by the time that the response to TIME took: a script may be refused too early, but never runs too late. */
	#onClockOfRedis(client: RedisClient, deadline: number): number {
		if (this.#clock === undefined) return Number.MAX_SAFE_INTEGER;
		const { redis, at } = this.#clock;
		if (performance.now() - at > CLOCK_MS) {
			this.#clock = { redis: redis + performance.now() - at, at: performance.now() };
			this.#readClock(client).catch(() => undefined);
		}
		return Math.floor(redis + deadline - at);
	}

	async #readClock(client: RedisClient): Promise<void> {
		const [seconds, microseconds] = await client.time();
		const clock = Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
		if (Number.isSafeInteger(clock)) this.#setClock(clock);
	}

	#setClock(redis: number): void {
		this.#clock = { redis, at: performance.now() };
	}

	async #checkSetup(client: RedisClient): Promise<void> {
		if (performance.now() < this.#checkAt) return;
		this.#checkAt = performance.now() + CHECK_EVERY_MS;
		const warning = await evictionWarning(client);
		if (warning !== undefined) this.#warn(warning);
	}

	#noteFailure(error: unknown): void {
		const code = errorCode(error);
		// Redis returns WRONGPASS for a wrong password, and NOAUTH for the commands sent along with it, which says less.
		if (code === undefined || (code === 'NOAUTH' && this.#settings.password !== '')) return;
		this.#lastError = error;
		if (!isLasting(error)) return;
		for (const waiter of this.#waiting) waiter.reject(error);
	}
}

/** After a failover the old primary refuses writes: the name is then resolved again, as n8n's own client does. */
function isReadOnly(error: unknown, settings: RedisSettings): boolean {
	return settings.reconnectOnFailover && errorCode(error) === 'READONLY';
}
