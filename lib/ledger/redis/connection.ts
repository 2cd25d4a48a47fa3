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
import { Cluster, Redis, type RedisOptions } from '../../vendor/ioredis';
import { type Call, type RedisClient, ScriptRunner } from './scripts';
import { failureOf, type RedisSettings, redisUnavailableError } from './settings';

/** Redis has not responded in time. */
class NoResponse extends Error {}

/**
 * Returns the result of `response`; throws `NoResponse` if it takes longer than `ms` milliseconds. A process that had no core for
 * that long first reads what has arrived meanwhile.
 */
async function within<T>(ms: number, response: Promise<T>): Promise<T> {
	let timer: NodeJS.Timeout | undefined;
	const silence = new Promise<never>((_resolve, reject) => {
		timer = setTimeout(
			() => {
				setImmediate(() => {
					reject(new NoResponse());
				});
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

/** The longest time for a call, including connecting. */
const CALL_MS = 2_000;
/** The longest time for one try: a connection that died unnoticed is replaced within the same call. */
const TRY_MS = 900;
const PAUSE_MS = 50;
/** After this long without a call, a lost connection stays closed until the next call. */
const IDLE_MS = 10_000;
const STUCK_MS = 10_000;
const CHECK_EVICTION_MS = DAY_MS;

export class RedisConnection {
	readonly #settings: RedisSettings;
	readonly #warn: (message: string) => void;
	/** The calls that wait for a usable client. */
	readonly #waiting = new Set<PromiseWithResolvers<RedisClient>>();
	#client: RedisClient | undefined;
	/** The client, while its connection accepts calls. */
	#usable: RedisClient | undefined;
	/** The number of connections so far, to distinguish them. */
	#connections = 0;
	#closes = 0;
	#lastUse = 0;
	#evictionCheckAt = 0;
	/** When this client was created, or last returned a result. */
	#lastSuccess = 0;
	#lastError: unknown;
	readonly #scripts = new ScriptRunner();

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
				const { result, isLate } = await this.#try(client, call, deadline);
				this.#lastSuccess = performance.now();
				this.#lastError = undefined;
				if (isLate) throw new NoResponse();
				void this.#checkEviction(client);
				return result;
			} catch (error) {
				// An error from Redis says more than a timeout after it.
				if (failureOf(error).code !== undefined) reason = error;
				const over = performance.now() + PAUSE_MS >= deadline || closes !== this.#closes;
				if (over || failureOf(reason ?? this.#lastError).isLasting) {
					// A client that has returned nothing for long is replaced, whatever its state.
					if (performance.now() - this.#lastSuccess >= STUCK_MS) this.#drop();
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

	/** At the first call, and once a day with a call. */
	async #checkEviction(client: RedisClient): Promise<void> {
		if (performance.now() < this.#evictionCheckAt) return;
		this.#evictionCheckAt = performance.now() + CHECK_EVICTION_MS;
		const warning = await evictionWarning(client);
		if (warning !== undefined) this.#warn(warning);
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
		const waiting = Promise.withResolvers<RedisClient>();
		this.#waiting.add(waiting);
		try {
			return await within(deadline - performance.now(), waiting.promise);
		} finally {
			this.#waiting.delete(waiting);
		}
	}

	async #try(client: RedisClient, call: Call, deadline: number) {
		// The connection is judged by how long it was silent, not by the time that the call has left: others use it, too.
		const response = this.#judged(client, TRY_MS, this.#scripts.run(client, call, deadline));
		return await within(deadline - performance.now(), response);
	}

	/** Replaces the connection if it does not respond in time. */
	async #judged<T>(client: RedisClient, ms: number, response: Promise<T>): Promise<T> {
		const connection = this.#connections;
		try {
			return await within(ms, response);
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
			await this.#judged(client, CALL_MS, this.#selectDatabase(client));
		} catch (error) {
			this.#noteFailure(error);
			return;
		}
		try {
			await this.#judged(client, CALL_MS, this.#scripts.readClock(client));
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
		for (const { resolve } of this.#waiting) resolve(client);
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
		if (isLasting) for (const { reject } of this.#waiting) reject(error);
	}
}

/** Deliveries are accepted again within seconds after Redis returns. */
const LONGEST_RECONNECT_MS = 1_000;
const CONNECTION_NAME = 'asset-service-ledger';

/** `isIdle`: the connection has not been used for long; it then stays closed until the next use. */
export function createRedisClient(settings: RedisSettings, isIdle: () => boolean): RedisClient {
	const reconnectAfter = (attempts: number) =>
		isIdle() ? null : Math.min(attempts * 100, LONGEST_RECONNECT_MS);
	const options: RedisOptions = {
		username: settings.username,
		password: settings.password,
		db: settings.db,
		family: settings.family,
		keepAlive: settings.keepAliveMs,
		...(settings.tls ? { tls: settings.tls } : {}),
		// Client info is sent before the connection is ready, and ioredis 5.11 can then consider a lost connection ready forever.
		disableClientInfo: true,
		connectTimeout: 1_500,
		disconnectTimeout: 100,
		lazyConnect: true,
		enableReadyCheck: false,
		// No unbounded queue, and no resending without the caller's knowledge.
		enableOfflineQueue: false,
		autoResendUnfulfilledCommands: false,
		maxRetriesPerRequest: 0,
		retryStrategy: reconnectAfter,
	};
	if (settings.clusterNodes.length === 0) {
		const client = new Redis({ ...options, ...settings.address });
		watch(client);
		return client;
	}
	const cluster = new Cluster([...settings.clusterNodes], {
		redisOptions: options,
		lazyConnect: true,
		enableOfflineQueue: false,
		// It needs the permission for CLUSTER INFO, and reports nothing.
		enableReadyCheck: false,
		clusterRetryStrategy: reconnectAfter,
		slotsRefreshTimeout: settings.slotsRefreshTimeoutMs,
		slotsRefreshInterval: settings.slotsRefreshIntervalMs,
		...(settings.lookupNodeNames
			? {}
			: {
					dnsLookup: (address, found) => {
						found(null, address);
					},
				}),
	});
	cluster.on('+node', watch);
	return cluster;
}

function watch(client: Redis): void {
	client.on('connect', () => {
		// An idle connection does not keep the process alive; a pending call does, by its own timer.
		client.stream.unref();
	});
	client.on('ready', () => {
		// For the operator's CLIENT LIST. Optional: the Redis user may lack the permission.
		client.client('SETNAME', CONNECTION_NAME).catch(() => undefined);
	});
}

/** The warning for the operator; undefined if nothing is evicted or Redis does not say. */
async function evictionWarning(client: RedisClient): Promise<string | undefined> {
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
