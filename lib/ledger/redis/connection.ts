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
import { sleep } from '../../shared/pace';
import { printable } from '../../shared/text';
import { DAY_MS } from '../../shared/time';
import { createRedisClient, type RedisClient } from './client';
import { type Call, ScriptRunner } from './scripts';
import { failureOf, type RedisSettings, redisUnavailableError } from './settings';

/** Redis has not responded in time. */
class NoResponse extends Error {}

/** Returns the result of `response`; throws `NoResponse` if it takes longer than `ms` milliseconds. */
async function within<T>(ms: number, response: Promise<T>): Promise<T> {
	let timer: NodeJS.Timeout | undefined;
	const silence = new Promise<never>((_resolve, reject) => {
		timer = setTimeout(
			() => {
				reject(new NoResponse());
			},
			Math.max(ms, 1),
		);
	});
	try {
		return await Promise.race([response, silence]);
	} finally {
		clearTimeout(timer);
	}
}

interface Waiter {
	resolve(client: RedisClient): void;
	reject(error: unknown): void;
}

/** The calls that wait for a usable connection. */
class Waiters {
	readonly #waiting = new Set<Waiter>();

	/** The next usable client. Throws `NoResponse` if there is none within `ms` milliseconds. */
	async next(ms: number): Promise<RedisClient> {
		const { promise, ...waiter } = Promise.withResolvers<RedisClient>();
		this.#waiting.add(waiter);
		try {
			return await within(ms, promise);
		} finally {
			this.#waiting.delete(waiter);
		}
	}

	resolve(client: RedisClient): void {
		for (const waiter of this.#waiting) waiter.resolve(client);
	}

	reject(error: unknown): void {
		for (const waiter of this.#waiting) waiter.reject(error);
	}
}

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
	readonly #scripts = new ScriptRunner();

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
				const { result, isLate } = await this.#try(client, call, deadline);
				this.#lastSuccess = performance.now();
				this.#lastError = undefined;
				if (isLate) throw new NoResponse();
				void this.#eviction.check(client);
				return result;
			} catch (error) {
				// An error from Redis says more than a timeout after it.
				if (failureOf(error).code !== undefined) reason = error;
				const over = performance.now() + PAUSE_MS >= deadline || closes !== this.#closes;
				if (over || failureOf(reason ?? this.#lastError).isLasting) {
					this.#replaceIfStuck();
					throw redisUnavailableError(this.#settings, reason ?? this.#lastError);
				}
			}
			await sleep(PAUSE_MS);
		}
	}

	/** Unix milliseconds on the clock of Redis, as far as it is known. */
	now(): number {
		return this.#scripts.now();
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

	async #try(client: RedisClient, call: Call, deadline: number) {
		const connection = this.#connections;
		try {
			const leftMs = deadline - performance.now();
			return await within(Math.min(TRY_MS, leftMs), this.#scripts.run(client, call, deadline));
		} catch (error) {
			// After a failover the old primary refuses writes: the name is then resolved again, as n8n's own client does.
			const isOldPrimary =
				this.#settings.reconnectOnFailover && failureOf(error).code === 'READONLY';
			const isStale = error instanceof NoResponse || isOldPrimary;
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
			await this.#scripts.readClock(client);
			// A password that was wrong before has been accepted now.
			this.#lastError = undefined;
		} catch (error) {
			if (!failureOf(error).isResponse) {
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
		const { code, isLasting } = failureOf(error);
		// Redis returns WRONGPASS for a wrong password, and NOAUTH for the commands sent along with it, which says less.
		if (code === undefined || (code === 'NOAUTH' && this.#settings.password !== '')) return;
		this.#lastError = error;
		if (isLasting) this.#waiters.reject(error);
	}
}

const EVERY_MS = DAY_MS;

/** Checks it at the first call, and once a day with a call. */
class EvictionCheck {
	readonly #warn: (message: string) => void;
	#nextAt = 0;

	constructor(warn: (message: string) => void) {
		this.#warn = warn;
	}

	async check(client: RedisClient): Promise<void> {
		if (performance.now() < this.#nextAt) return;
		this.#nextAt = performance.now() + EVERY_MS;
		const warning = await evictionWarning(client);
		if (warning !== undefined) this.#warn(warning);
	}
}

/** The warning for the operator; undefined if nothing is evicted or Redis does not say. */
export async function evictionWarning(client: RedisClient): Promise<string | undefined> {
	let memory: string;
	try {
		memory = await client.info('memory');
	} catch {
		// A user without permission for INFO can still use the ledger.
		return undefined;
	}
	const limit = Number(/^maxmemory:(\d+)/m.exec(memory)?.[1] ?? 0);
	const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1] ?? 'noeviction';
	if (limit === 0 || policy === 'noeviction') return undefined;
	return `Redis may evict ledger entries when its memory is full (maxmemory-policy ${printable(policy, 40)}), so their events may start again. Set maxmemory-policy to noeviction, which n8n's queue needs, too.`;
}
