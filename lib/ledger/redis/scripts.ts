/**
 * The Redis scripts, and the clock of Redis for their deadlines: one key per script, so that each runs atomically, in a cluster too.
 * KEYS[1] is the entry, the record or the session. ARGV begins with the deadline, which `CHECK_DEADLINE` removes. Times are in milliseconds.
 */
import { createHash } from 'node:crypto';
import { MINUTE_MS } from '../../shared/time';
import type { Cluster, Redis } from '../../vendor/ioredis';
import { failureOf } from './settings';

export type RedisClient = Redis | Cluster;

interface Script {
	readonly text: string;
	readonly sha: string;
}

export interface Call {
	readonly script: Script;
	readonly key: string;
	readonly args: readonly (string | number)[];
}

/**
 * When a frozen Redis resumes, it runs the commands that wait in its sockets, long after the caller has given up. So
 * each script begins with its deadline.
 */
const CHECK_DEADLINE = `
local deadline = tonumber(table.remove(ARGV, 1))
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if now >= deadline then return {'late', now} end`;

function script(text: string): Script {
	const whole = `${CHECK_DEADLINE}\n${text}`;
	return { text: whole, sha: createHash('sha1').update(whole).digest('hex') };
}

/** Returns the text, or nil. */
const read = script(`return redis.call('GET', KEYS[1])`);

/**
 * ARGV: 1 or 0 for whether a text is expected, that text, 1 or 0 for whether there is a next one, that one, and how long to keep it
 * at least (0: as long as before). Returns 1 if the text is now the next one, otherwise the text that it is, or nil. Sent
 * again, it finds its own change.
 */
const swap = script(`
local text = redis.call('GET', KEYS[1])
local expected = ARGV[1] == '1' and ARGV[2]
local next = ARGV[3] == '1' and ARGV[4]
if text == next then return 1 end
if text ~= expected then return text end
if not next then
	redis.call('DEL', KEYS[1])
	return 1
end
local keep = math.max(redis.call('PTTL', KEYS[1]), ARGV[5])
if keep > 0 then
	redis.call('SET', KEYS[1], next, 'PX', keep)
else
	redis.call('SET', KEYS[1], next)
end
return 1`);

/** ARGV: the condition of the session, and how long to keep it. Returns the condition before, or nil. */
const setSession = script(`
local before = redis.call('GET', KEYS[1])
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return before`);

export const SCRIPTS = { read, swap, setSession };

/** How long the clocks of Redis and this process are assumed to run at the same speed. */
const VALID_MS = MINUTE_MS;

/** Runs scripts, each until a deadline on the clock of Redis: the hosts that share a Redis need not agree on the time. */
export class ScriptRunner {
	/** Unix milliseconds on the clock of Redis, at a time of `performance.now()` or slightly before it. */
	#known: { readonly redis: number; readonly at: number } | undefined;

	/** Unix milliseconds on the clock of Redis, as far as it is known. */
	now(): number {
		if (this.#known === undefined) return Date.now();
		return Math.floor(this.#known.redis + performance.now() - this.#known.at);
	}

	/**
	 * Runs a script by its hash; sends the text if Redis does not know it (after a restart, or on another node). From
	 * `deadline` on, a time of `performance.now()`, the script does nothing. `isLate` says so: the clock of Redis was changed,
	 * or belongs to another node.
	 */
	async run(
		client: RedisClient,
		{ script, key, args }: Call,
		deadline: number,
	): Promise<{ readonly result: unknown; readonly isLate: boolean }> {
		const until = this.#onRedis(deadline, client);
		let result: unknown;
		try {
			result = await client.evalsha(script.sha, 1, key, until, ...args);
		} catch (error) {
			if (failureOf(error).code !== 'NOSCRIPT') throw error;
			result = await client.eval(script.text, 1, key, until, ...args);
		}
		if (!Array.isArray(result) || result[0] !== 'late') return { result, isLate: false };
		this.#set(Number(result[1]));
		return { result, isLate: true };
	}

	async readClock(client: RedisClient): Promise<void> {
		const [seconds, microseconds] = await client.time();
		const clock = Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
		if (Number.isSafeInteger(clock)) this.#set(clock);
	}

	/**
	 * A time of `performance.now()` on the clock of Redis. Early by the time that the response to TIME took: a script may be refused too
	 * early, but never runs too late.
	 */
	#onRedis(time: number, client: RedisClient): number {
		if (this.#known === undefined) return Number.MAX_SAFE_INTEGER;
		const { redis, at } = this.#known;
		if (performance.now() - at > VALID_MS) {
			this.#set(redis + performance.now() - at);
			this.readClock(client).catch(() => undefined);
		}
		return Math.floor(redis + time - at);
	}

	/** Unix milliseconds. */
	#set(redis: number): void {
		this.#known = { redis, at: performance.now() };
	}
}
