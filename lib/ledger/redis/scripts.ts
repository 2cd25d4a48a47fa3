/**
 * The Redis scripts of an entry: one key per script, so that each runs atomically, in a cluster too.
 * KEYS[1] is the entry or the record. ARGV begins with the deadline, which `CHECK_DEADLINE` removes. Times are in milliseconds.
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
 * Runs a script by its hash; sends the text if Redis does not know it (after a restart, or on another node). From
 * `deadline` on, in Unix milliseconds on Redis's clock, the script does nothing and returns `['late', <that clock>]`.
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

/** The clock of Redis in the result of a script that ran too late; undefined for any other result. */
export function clockWhenLate(result: unknown): number | undefined {
	return Array.isArray(result) && result[0] === 'late' ? Number(result[1]) : undefined;
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

/**
 * An entry is the text of its key. A time is stored as the remaining time to live of the key at that time, so that only
 * the clock of Redis matters:
 *
 *     p:<token>                pending, until the key expires; nothing else is known of the event
 *     b<attempts>:<run>        begun
 *     d<attempts>:<run>        done
 *     <kind>:<grace>:<attempts>:<reopened>:<left>:<token>:<run>, where kind is
 *         s   stored; overdue once no more than <left> ms are left (below 0: never)
 *         r   pending, claimed again, until no more than <left> ms are left; then failed or overdue
 *         x   running, until no more than <left> ms are left; then failed
 *         f   failed, since <left> ms were left
 *
 * A single attempt is omitted, and so is the reopening time of an event that was not reopened. An entry in another form
 * was written before version 1 and counts as free: `begin` decides whether its event still runs.
 */
const READ_ENTRY = `
local value = redis.call('GET', KEYS[1])
local ttl = value and redis.call('PTTL', KEYS[1])
local kind = value and string.sub(value, 1, 1)
local grace, attempts, reopened, left, token, run = 0, 0, '', nil, '', ''
if kind == 'p' then
	token = string.sub(value, 3)
elseif kind == 'b' or kind == 'd' then
	attempts, run = string.match(value, '^.(%d*):(.*)$')
	attempts = tonumber(attempts) or 1
elseif value then
	grace, attempts, reopened, left, token, run =
		string.match(value, '^.:(%d+):(%d*):(%d*):(%-?%d+):([^:]*):(.*)$')
	grace, left = tonumber(grace) or 0, tonumber(left)
	attempts = attempts == '' and 1 or tonumber(attempts) or 0
	if not left then kind = false end
end
local over = left and ttl <= left
local state = 'free'
if kind == 's' then state = over and 'overdue' or 'stored'
elseif kind == 'x' then state = over and 'failed' or 'running'
elseif kind == 'f' then state = 'failed'
elseif kind == 'b' then state = 'begun'
elseif kind == 'd' then state = 'done'
elseif kind and not over then state = 'pending'
elseif kind then state = attempts > 0 and 'failed' or 'overdue' end
local function many(number)
	return number == 1 and '' or number
end
local function keep(kind, left, life)
	local text = string.format('%s:%d:%s:%s:%d:%s:%s', kind, grace, many(attempts), reopened, left, token, run)
	redis.call('SET', KEYS[1], text, 'PX', life)
end
local function settle(kind, life)
	redis.call('SET', KEYS[1], kind .. many(attempts) .. ':' .. run, 'PX', life)
end`;

/**
 * ARGV: token, lease, longest grace. Returns `pending`, `committed`, or an array: `claimed`, the attempts so far, and
 * the time when the event was reopened, or ''. Sent again after a lost response, it finds its own token.
 */
export const CLAIM = script(`${READ_ENTRY}
if state == 'pending' and token == ARGV[1] then return {'claimed', attempts, reopened} end
if state == 'pending' or state == 'running' then return 'pending' end
if state == 'stored' or state == 'begun' or state == 'done' then return 'committed' end
if state == 'free' then
	redis.call('SET', KEYS[1], 'p:' .. ARGV[1], 'PX', ARGV[2])
	return {'claimed', 0, ''}
end
local life = math.max(ttl, tonumber(ARGV[2]))
token, grace = ARGV[1], math.min(2 * grace, tonumber(ARGV[3]))
keep('r', life - ARGV[2], life)
return {'claimed', attempts, reopened}`);

/** ARGV: token, lease. Returns 1 if the claim was still the token's, otherwise 0. */
export const RENEW = script(`${READ_ENTRY}
if token ~= ARGV[1] or not (state == 'pending' or kind == 'x') then return 0 end
if kind == 'p' then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
local life = math.max(ttl, tonumber(ARGV[2]))
keep(kind, life - ARGV[2], life)
return 1`);

/**
 * ARGV: token, retention, first grace. Returns 1 if the claim was still the token's, otherwise 0.
 * Keeps a longer retention, the grace of a stored entry, and an entry that has begun and not failed.
 */
export const COMMIT = script(`${READ_ENTRY}
if kind == 'x' or kind == 'b' or kind == 'd' then return 0 end
local theirs = (state == 'pending' or kind == 's') and token == ARGV[1]
local life = tonumber(ARGV[2])
if grace > 0 then life = math.max(ttl, life) else grace = tonumber(ARGV[3]) end
local due = kind == 's' and ttl - left or grace
if not theirs then token = '' end
keep('s', life - due, life)
return theirs and 1 or 0`);

/**
 * ARGV: token. Returns 1 if the claim was still the token's, otherwise 0. An event that was stored before becomes
 * overdue again; one that has begun becomes failed.
 */
export const RELEASE = script(`${READ_ENTRY}
if token ~= ARGV[1] or not (state == 'pending' or kind == 'x') then return 0 end
if kind == 'p' then return redis.call('DEL', KEYS[1]) end
token = ''
keep(attempts > 0 and 'f' or 's', ttl, ttl)
return 1`);

/** ARGV: token, retention. Returns 1 if the event is now done or begun, otherwise 0. */
export const FINISH = script(`${READ_ENTRY}
if state == 'done' or state == 'begun' then return 1 end
if kind ~= 'x' or token ~= ARGV[1] then return 0 end
settle('d', ARGV[2])
return 1`);

/** ARGV: run, retention. Returns 0 if another run has begun, otherwise 1, or 2 if the entry was free. */
export const BEGIN = script(`${READ_ENTRY}
if state == 'running' or state == 'done' or (state == 'begun' and run ~= ARGV[1]) then return 0 end
if state ~= 'begun' then attempts = attempts + 1 end
run = ARGV[1]
settle('b', ARGV[2])
return state == 'free' and 2 or 1`);

/**
 * ARGV: run, retention, token of the claim. Returns 1 if the run continues under the claim, otherwise 0, or 3 if the entry
 * was free. Another run under the same claim ends the claim.
 */
export const BEGIN_CLAIMED = script(`${READ_ENTRY}
if state == 'free' then return 3 end
if token ~= ARGV[3] then return 0 end
if kind == 'x' then
	if run == ARGV[1] then return 1 end
	token = ''
	keep('x', left, ttl)
	return 0
end
if state ~= 'pending' then return 0 end
local lease = left and ttl - left or ttl
local life = math.max(ttl, tonumber(ARGV[2]))
attempts, run = attempts + 1, ARGV[1]
keep('x', life - lease, life)
return 1`);

/** ARGV: run, retention, first grace. Returns 0 if the entry stays as it is, otherwise 1. */
export const GIVE_BACK = script(`${READ_ENTRY}
local began = kind == 'x' or kind == 'b'
if kind == 'f' or kind == 'd' or (began and run ~= ARGV[1]) then return 0 end
local life = tonumber(ARGV[2])
if grace > 0 then life = math.max(ttl, life) else grace = tonumber(ARGV[3]) end
if began then attempts = attempts - 1 end
token, run = '', ''
keep('s', life, life)
return 1`);

/** ARGV: time, retention, first grace. Returns the result of `LOOK` from before the change. */
export const REOPEN = script(`${READ_ENTRY}
local before = {state, run, attempts, reopened, state == 'failed' and left - ttl or 0}
if state ~= 'pending' and state ~= 'running' then
	local life = math.max(ttl or 0, tonumber(ARGV[2]))
	grace, attempts, reopened, token, run = ARGV[3], 0, ARGV[1], '', ''
	keep('s', life, life)
end
return before`);

/**
 * Returns the state of an entry (`EntryState`), the run that began it or '', its attempts, when it was reopened or '',
 * and how long ago it failed; changes nothing.
 */
export const LOOK = script(`${READ_ENTRY}
return {state, run, attempts, reopened, state == 'failed' and left - ttl or 0}`);

/** Returns the record, or nil. */
export const READ_RECORD = script(`return redis.call('GET', KEYS[1])`);

/**
 * ARGV: 1 or 0 for whether a record is expected, that record, 1 or 0 for whether there is a next one, that one.
 * Returns 1 if the record is now the next one, otherwise 0. Sent again, it finds its own change.
 */
export const SWAP_RECORD = script(`
local value = redis.call('GET', KEYS[1])
if ARGV[3] == '1' and value == ARGV[4] then return 1 end
if ARGV[3] == '0' and not value then return 1 end
if ARGV[1] == '1' and value ~= ARGV[2] then return 0 end
if ARGV[1] == '0' and value then return 0 end
if ARGV[3] == '1' then redis.call('SET', KEYS[1], ARGV[4]) else redis.call('DEL', KEYS[1]) end
return 1`);
