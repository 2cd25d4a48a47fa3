/**
 * The Redis with the event ledger: the package's scripts run in a real one, but time passes in it as in the simulation.
 *
 * Facts: Redis runs one command after the other, those of a connection in their order. One that hangs accepts connections, and
 * when it goes on it runs what waits in their sockets, also for clients that have given up or died. One that is down refuses
 * connections and closes those that it had. A response can be lost with its connection. One whose data is lost or replaced
 * knows no scripts. Its host's clock need not agree with the others.
 */
import { createHash } from 'node:crypto';
import { Redis } from '../../lib/vendor/ioredis';
import { withRedis, startRedis } from '../support/redis';
import type { Clock, Owner } from './clock';
import type { Listeners, Storage } from './disk';
import type { Random } from './random';
import { type Command, type Outcome, RedisClient, type Server } from './redisClient';

const SECOND_MS = 1_000;
/** Redis and the other hosts differ by this at most. */
const CLOCK_DIFFERENCE_MS = 2 * SECOND_MS;

/** Of a key of the ledger, without its prefix. */
const KEY_LENGTH = 43;

/** In the key of a record, before its name. */
const RECORD = 'record:';

/** The deadline, and what `SWAP` takes. */
const ARGS_OF_SWAP = 6;

const NO_SCRIPT = Object.assign(new Error('NOSCRIPT No matching script.'), { name: 'ReplyError' });

/** Before each script: the clock and the expiry of the simulation in place of Redis's own. */
const TIME_OF_SIMULATION = `
local now = tonumber(table.remove(ARGV))
local real = redis
local EXPIRIES = 'expiries'
for _, key in ipairs(real.call('ZRANGEBYSCORE', EXPIRIES, '-inf', now)) do
	real.call('DEL', key)
	real.call('ZREM', EXPIRIES, key)
end
local redis = { call = function(command, key, value, px, ms)
	if command == 'TIME' then return { math.floor(now / 1000), now % 1000 * 1000 } end
	if command == 'PTTL' then
		if real.call('EXISTS', key) == 0 then return -2 end
		local at = real.call('ZSCORE', EXPIRIES, key)
		return at and at - now or -1
	end
	if command == 'SET' then
		if px then real.call('ZADD', EXPIRIES, now + ms, key) else real.call('ZREM', EXPIRIES, key) end
		return real.call('SET', key, value)
	end
	if command == 'DEL' then real.call('ZREM', EXPIRIES, key) end
	return real.call(command, key)
end }
`;

interface Options {
	readonly redis: Redis;
	readonly clock: Clock;
	readonly random: Random;
}

export class RedisHost implements Storage {
	/** The share of responses that are lost, from 0 to 1. */
	syncFailures = 0;
	/** The longest time that a command or a response takes on the network, in milliseconds. */
	longestSyncMs = 8;
	readonly #redis: Redis;
	readonly #clock: Clock;
	readonly #random: Random;
	readonly #aheadMs: number;
	#failure: Storage['failure'];
	readonly #clients = new Map<RedisClient, Owner>();
	/** What has arrived while it hangs. */
	#waiting: (() => void)[] = [];
	/** By hash. */
	readonly #scripts = new Map<string, string>();

	constructor({ redis, clock, random }: Options) {
		this.#redis = redis;
		this.#clock = clock;
		this.#random = random;
		this.#aheadMs = random.whole('clock of Redis', -CLOCK_DIFFERENCE_MS, CLOCK_DIFFERENCE_MS);
	}

	get failure(): Storage['failure'] {
		return this.#failure;
	}

	/** `locked`: it hangs. `broken`: it is down. */
	set failure(failure: Storage['failure']) {
		this.#failure = failure;
		if (failure === 'broken') for (const client of this.#clients.keys()) client.lose();
		if (failure !== undefined) return;
		for (const arrive of this.#waiting.splice(0)) arrive();
	}

	/** `ioredis` for this process. */
	moduleFor(owner: Owner, listeners: Listeners): unknown {
		const server: Server = {
			accepts: () => this.#failure !== 'broken',
			travelMs: () => this.#random.spread('network of Redis', 1, this.longestSyncMs),
			receive: (command, respond) => {
				const run = () => {
					this.#run(command, respond, listeners);
				};
				if (this.#failure === 'locked') this.#waiting.push(run);
				else run();
			},
		};
		const opened = (client: RedisClient) => this.#clients.set(client, owner);
		const clock = this.#clock;
		class Client extends RedisClient {
			constructor(options: { readonly retryStrategy: (attempts: number) => number | null }) {
				super({ server, clock, owner, ...options });
				opened(this);
			}
		}
		return { Redis: Client };
	}

	replaceWith(copy: (() => void) | undefined): void {
		this.#scripts.clear();
		this.#clock.hold(async () => {
			await this.#redis.flushall();
		});
		copy?.();
	}

	backUp(): () => void {
		let copy: readonly (readonly [key: string, value: string, expiry: string | null])[] = [];
		this.#clock.hold(async () => {
			const keys = (await this.#redis.keys('*')).filter((key) => key !== 'expiries');
			const entryOf = async (key: string) =>
				[
					key,
					(await this.#redis.get(key)) ?? '',
					await this.#redis.zscore('expiries', key),
				] as const;
			copy = await Promise.all(keys.sort().map(entryOf));
		});
		return () => {
			this.#clock.hold(async () => {
				for (const [key, value, expiry] of copy) {
					await this.#redis.set(key, value);
					if (expiry !== null) await this.#redis.zadd('expiries', expiry, key);
				}
			});
		};
	}

	/** It is on another host, which keeps its power. */
	powerCut(): () => void {
		return () => undefined;
	}

	/** The process is over. What it has sent still arrives. */
	forget(owner: Owner): void {
		for (const [client, each] of this.#clients) if (each === owner) this.#clients.delete(client);
	}

	#run(command: Command, respond: (outcome: Outcome) => void, listeners: Listeners): void {
		this.#clock.hold(async () => {
			const outcome = await this.#outcomeOf(command, listeners);
			const isLost = this.#random.chance('response lost', this.syncFailures);
			respond(isLost ? 'lost' : outcome);
		});
	}

	async #outcomeOf(command: Command, { onEntry, onRecord }: Listeners): Promise<Outcome> {
		const now = this.#clock.now + this.#aheadMs;
		if (command.name === 'time')
			return { result: [Math.floor(now / 1_000), (now % 1_000) * 1_000] };
		if (command.name === 'other') return { result: 'OK' };
		const { name, script, key, args } = command;
		const text = name === 'eval' ? script : this.#scripts.get(script);
		if (text === undefined) return { error: NO_SCRIPT };
		this.#scripts.set(createHash('sha1').update(text).digest('hex'), text);
		// Of a swap: what is expected, and what is next. It may have been done before, and its response lost.
		const [, , expected = '', , next = ''] = args.map(String);
		const isSwap = args.length === ARGS_OF_SWAP;
		// One connection, so Redis runs them in this order.
		const [before, result] = await Promise.all([
			isSwap ? this.#redis.get(key) : undefined,
			this.#redis.eval(TIME_OF_SIMULATION + text, 1, key, ...args, now),
		]);
		const isSwapped = before !== undefined && result === 1 && (before ?? '') !== next;
		const record = key.indexOf(RECORD);
		if (isSwapped && record >= 0) onRecord(key.slice(record + RECORD.length), next);
		else if (isSwapped) onEntry(key.slice(-KEY_LENGTH), expected, next);
		return { result };
	}
}

/** Runs `work` with a Redis of its own. */
export async function withOwnRedis<T>(work: (redis: Redis) => Promise<T>): Promise<T> {
	const server = await startRedis();
	try {
		return await withRedis(server.url, work);
	} finally {
		await server.remove();
	}
}
