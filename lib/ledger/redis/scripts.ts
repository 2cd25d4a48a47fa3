/**
 * What Redis does with an entry: one key per script, so that each runs atomically, in a cluster too.
 * KEYS[1] is the entry or the record, and ARGV begins with the deadline, which `CHECK_DEADLINE` takes off. Spans are in milliseconds.
 */
import { createHash } from 'node:crypto';
import type { RedisClient } from './client';
import { errorCode } from './errors';

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
 * Runs a script by its hash; the text follows when Redis does not know it (restarted, or another node). From `deadline`
 * on, in milliseconds of unix time on the clock of Redis, the script does nothing and returns `['late', <that clock>]`.
 */
export async function evaluate(
	client: RedisClient,
	{ script, key, args }: Call,
	deadline: number,
): Promise<unknown> {
	try {
		return await client.evalsha(script.sha, 1, key, deadline, ...args);
	} catch (error) {
		if (errorCode(error) !== 'NOSCRIPT') throw error;
		return client.eval(script.text, 1, key, deadline, ...args);
	}
}

/** The clock of Redis in what a script returned because it ran too late; undefined for any other result. */
export function clockWhenLate(result: unknown): number | undefined {
	return Array.isArray(result) && result[0] === 'late' ? Number(result[1]) : undefined;
}

/**
 * A Redis that was frozen runs what waits in its sockets when it is back, long after the caller has given up; so each
 * script begins with its deadline.
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

/**
 * An entry is the text of its key. It tells a moment by what is then left of the key's time to live, so that no clock
 * but that of Redis matters:
 *
 *     p:<token>                  pending, until the key expires
 *     s:<grace>:<left>:<token>   stored, by this claim; overdue once no more than <left> ms are left (below 0: never)
 *     r:<grace>:<left>:<token>   pending, claimed again when it was overdue, until no more than <left> ms are left
 *     b:<run>                    begun
 */
const READ_ENTRY = `
local value = redis.call('GET', KEYS[1])
local kind = value and string.sub(value, 1, 1)
local ttl = value and redis.call('PTTL', KEYS[1])
local grace, left, holder
if kind == 's' or kind == 'r' then
	grace, left, holder = string.match(value, '^.:(%d+):(%-?%d+):?(.*)$')
elseif value then
	holder = string.sub(value, 3)
end
local over = left and ttl <= tonumber(left)
local pending = kind == 'p' or (kind == 'r' and not over)
local function keep(text, grace, left, token, life)
	redis.call('SET', KEYS[1], string.format('%s:%d:%d:%s', text, grace, left, token), 'PX', life)
end`;

/**
 * ARGV: token, lease, longest grace. Returns `claimed`, `pending` or `committed`.
 * Sent again because its response was lost, it finds its own token.
 */
export const CLAIM = script(`${READ_ENTRY}
if not value then
	redis.call('SET', KEYS[1], 'p:' .. ARGV[1], 'PX', ARGV[2])
	return 'claimed'
end
if pending then
	if holder == ARGV[1] then return 'claimed' end
	return 'pending'
end
if not over then return 'committed' end
local life = math.max(ttl, tonumber(ARGV[2]))
keep('r', math.min(2 * grace, tonumber(ARGV[3])), life - ARGV[2], ARGV[1], life)
return 'claimed'`);

/** ARGV: token, lease. Returns 1 if the claim was still the token's, otherwise 0. */
export const RENEW = script(`${READ_ENTRY}
if not pending or holder ~= ARGV[1] then return 0 end
if kind == 'p' then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
local life = math.max(ttl, tonumber(ARGV[2]))
keep('r', grace, life - ARGV[2], ARGV[1], life)
return 1`);

/**
 * ARGV: token, retention, first grace. Returns 1 if the claim was still the token's, otherwise 0.
 * A longer retention stays, and so do begun and the grace of a stored entry.
 */
export const COMMIT = script(`${READ_ENTRY}
if kind == 'b' then return 0 end
local life = tonumber(ARGV[2])
if grace then life = math.max(ttl, life) end
grace = grace or ARGV[3]
local theirs = (pending or kind == 's') and holder == ARGV[1]
local due = kind == 's' and ttl - left or grace
keep('s', grace, life - due, theirs and holder or '', life)
return theirs and 1 or 0`);

/** ARGV: token. Returns 1 if the claim was still the token's, otherwise 0. An event that was stored before is overdue again. */
export const RELEASE = script(`${READ_ENTRY}
if not pending or holder ~= ARGV[1] then return 0 end
if kind == 'p' then return redis.call('DEL', KEYS[1]) end
keep('s', grace, ttl, '', ttl)
return 1`);

/** ARGV: run, retention. Returns 0 if another run has begun, otherwise 1, or 2 if the entry was free. */
export const BEGIN = script(`${READ_ENTRY}
if kind == 'b' and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], 'b:' .. ARGV[1], 'PX', ARGV[2])
return value and 1 or 2`);

/** ARGV: run, retention, first grace. Returns 0 if another run has begun, otherwise 1. */
export const GIVE_BACK = script(`${READ_ENTRY}
if kind == 'b' and holder ~= ARGV[1] then return 0 end
local life = tonumber(ARGV[2])
if grace then life = math.max(ttl, life) end
keep('s', grace or ARGV[3], life, '', life)
return 1`);

/** Returns the state of an entry (`EntryState`), and the run that has begun; changes nothing. */
export const LOOK = script(`${READ_ENTRY}
if not value then return {'free'} end
if pending then return {'pending'} end
if kind == 'b' then return {'begun', holder} end
if over then return {'overdue'} end
return {'stored'}`);

/** Returns the record, or nil. */
export const READ_RECORD = script(`return redis.call('GET', KEYS[1])`);

/**
 * ARGV: 1 or 0 for whether a record is expected, that record, 1 or 0 for whether one follows, that one.
 * Returns 1 if the record is the next one now, otherwise 0. Sent again, it finds its own change.
 */
export const SWAP_RECORD = script(`
local value = redis.call('GET', KEYS[1])
if ARGV[3] == '1' and value == ARGV[4] then return 1 end
if ARGV[3] == '0' and not value then return 1 end
if ARGV[1] == '1' and value ~= ARGV[2] then return 0 end
if ARGV[1] == '0' and value then return 0 end
if ARGV[3] == '1' then redis.call('SET', KEYS[1], ARGV[4]) else redis.call('DEL', KEYS[1]) end
return 1`);
