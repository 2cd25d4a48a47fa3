/**
 * The process's connection to Redis: every call is limited in time, however Redis behaves.
 *
 *     none ──call──▶ connecting ──TIME responds──▶ usable
 *      ▲                 ▲                           │
 *      │                 └── closed, or no response ─┘
 *      └── closed by the ledger; no result for 10 s; idle for 10 s and lost
 *
 * - none: the next call creates a client. - connecting: calls wait, each until its limit. - usable: calls are sent.
 */
import { sleep } from '../../shared/sleep';
import { createRedisClient, type RedisClient } from './client';
import { RedisClock } from './clock';
import { errorCode, isResponse, isLasting, isReadOnly, redisUnavailableError } from './errors';
import { EvictionCheck } from './eviction';
import { type Call, clockWhenLate, evaluate } from './scripts';
import type { RedisSettings } from './settings';
import { NoResponse, within } from './timeLimit';
import { Waiters } from './waiters';

/** The longest time for a call, including connecting. */
const CALL_MS = 2_000;
/** The longest time for one try: a connection that died unnoticed is replaced within the same call. */
const TRY_MS = 900;
const PAUSE_MS = 50;
/** After this long without a call, a lost connection stays closed until the next call. */
const IDLE_MS = 10_000;
const STUCK_MS = 10_000;

export class RedisConnection {
	readonly #settings: RedisSettings;
	readonly #eviction: EvictionCheck;
	readonly #waiters = new Waiters();
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
	readonly #clock = new RedisClock();

	/** Calls `warn` at the first call, and once a day with a call, as long as the setup of Redis breaks the ledger's guarantee. */
	constructor(settings: RedisSettings, warn: (message: string) => void) {
		this.#settings = settings;
		this.#eviction = new EvictionCheck(warn);
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
				this.#lastSuccess = performance.now();
				this.#lastError = undefined;
				const clock = clockWhenLate(result);
				if (clock === undefined) {
					void this.#eviction.check(client);
					return result;
				}
				// The clock of Redis was changed, or belongs to another node.
				this.#clock.set(clock);
				throw new NoResponse();
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

	/** Unix milliseconds on the clock of Redis, as far as it is known. */
	now(): number {
		return this.#clock.now();
	}

	/** Calls in progress fail; a later call connects again. */
	close(): void {
		this.#closes += 1;
		this.#drop();
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
		try {
			return await this.#waiters.next(deadline - performance.now());
		} catch (error) {
			// A server that accepts connections but never responds gets a new connection.
			const isSilent = client.status === 'connect' || client.status === 'ready';
			if (error instanceof NoResponse && isSilent) client.disconnect(true);
			throw error;
		}
	}

	async #try(client: RedisClient, call: Call, deadline: number): Promise<unknown> {
		const connection = this.#connections;
		try {
			const leftMs = deadline - performance.now();
			const redisDeadline = this.#clock.of(deadline, client);
			return await within(Math.min(TRY_MS, leftMs), evaluate(client, call, redisDeadline));
		} catch (error) {
			const isStale = error instanceof NoResponse || isReadOnly(error, this.#settings);
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
			await this.#clock.read(client);
			// A password that was wrong before has been accepted now.
			this.#lastError = undefined;
		} catch (error) {
			if (!isResponse(error)) {
				this.#noteFailure(error);
				return;
			}
		}
		if (client !== this.#client || connection !== this.#connections || client.status !== 'ready')
			return;
		this.#usable = client;
		this.#waiters.resolve(client);
	}

	/** The client has sent this already, but continues in database 0 if Redis refuses it. */
	async #selectDatabase(client: RedisClient): Promise<void> {
		const { db, clusterNodes } = this.#settings;
		if (db !== 0 && clusterNodes.length === 0) await client.select(db);
	}

	#noteFailure(error: unknown): void {
		const code = errorCode(error);
		// Redis returns WRONGPASS for a wrong password, and NOAUTH for the commands sent along with it, which says less.
		if (code === undefined || (code === 'NOAUTH' && this.#settings.password !== '')) return;
		this.#lastError = error;
		if (isLasting(error)) this.#waiters.reject(error);
	}
}
