/** What Redis does with an entry: one key a script, so that each runs atomically, in a cluster too. */
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

/** Runs a script by its hash; the text follows when Redis does not know it (started anew, or another node). */
export async function evaluate(client: RedisClient, { script, key, args }: Call): Promise<unknown> {
	try {
		return await client.evalsha(script.sha, 1, key, ...args);
	} catch (error) {
		if (errorCode(error) !== 'NOSCRIPT') throw error;
		return client.eval(script.text, 1, key, ...args);
	}
}

function script(text: string): Script {
	return { text, sha: createHash('sha1').update(text).digest('hex') };
}

/**
 * An entry is the text of its key. It tells a moment by what is then left of the key's time to live, so that no clock
 * but that of Redis matters:
 *
 *     p:<token>                  pending, until the key expires
 *     s:<grace>:<left>           stored; overdue once no more than <left> ms are left
 *     r:<grace>:<left>:<token>   pending, claimed again when it was overdue, until no more than <left> ms are left
 *     b:<run>                    begun
 */
const READ_ENTRY = `
local value = redis.call('GET', KEYS[1])
local kind = value and string.sub(value, 1, 1)
local ttl = value and redis.call('PTTL', KEYS[1])
local grace, left, holder
if kind == 's' then
	grace, left = string.match(value, '^s:(%d+):(%d+)$')
elseif kind == 'r' then
	grace, left, holder = string.match(value, '^r:(%d+):(%d+):(.*)$')
elseif value then
	holder = string.sub(value, 3)
end
local over = left and ttl <= tonumber(left)
local pending = kind == 'p' or (kind == 'r' and not over)
local function keep(text, grace, left, token, life)
	if left < 0 then left = 0 end
	local entry = string.format('%s:%d:%d', text, grace, left)
	if token then entry = entry .. ':' .. token end
	redis.call('SET', KEYS[1], entry, 'PX', life)
end`;

/** Arguments: token, lease, longest grace. Sent again, since its answer was lost, it finds its own token. */
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

/** Arguments: token, lease. */
export const RENEW = script(`${READ_ENTRY}
if not pending or holder ~= ARGV[1] then return 0 end
if kind == 'p' then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
local life = math.max(ttl, tonumber(ARGV[2]))
keep('r', grace, life - ARGV[2], ARGV[1], life)
return 1`);

/** Arguments: token, retention, first grace. A longer retention that is there already stays, and so does begun. */
export const COMMIT = script(`${READ_ENTRY}
if kind == 'b' then return 0 end
local life = tonumber(ARGV[2])
if grace then life = math.max(ttl, life) end
grace = grace or ARGV[3]
keep('s', grace, life - grace, nil, life)
if pending and holder == ARGV[1] then return 1 end
return 0`);

/** Arguments: token. An event that was stored before is overdue again. */
export const RELEASE = script(`${READ_ENTRY}
if not pending or holder ~= ARGV[1] then return 0 end
if kind == 'p' then return redis.call('DEL', KEYS[1]) end
keep('s', grace, ttl, nil, ttl)
return 1`);

/** Arguments: run, retention. */
export const BEGIN = script(`${READ_ENTRY}
if kind == 'b' and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], 'b:' .. ARGV[1], 'PX', ARGV[2])
return 1`);

/** What is known of an entry; changes nothing. */
export const LOOK = script(`${READ_ENTRY}
if not value then return 'free' end
if pending then return 'pending' end
if kind == 'b' then return 'begun' end
if over then return 'overdue' end
return 'stored'`);

export const READ_RECORD = script(`return redis.call('GET', KEYS[1])`);

/** Arguments: 1 or 0 for whether a record is expected, that record, 1 or 0 for whether one follows, that one. Sent again, it finds its own change. */
export const SWAP_RECORD = script(`
local value = redis.call('GET', KEYS[1])
if ARGV[3] == '1' and value == ARGV[4] then return 1 end
if ARGV[3] == '0' and not value then return 1 end
if ARGV[1] == '1' and value ~= ARGV[2] then return 0 end
if ARGV[1] == '0' and value then return 0 end
if ARGV[3] == '1' then redis.call('SET', KEYS[1], ARGV[4]) else redis.call('DEL', KEYS[1]) end
return 1`);
