/** What Redis does with an entry: one key a script, so that each runs atomically, in a cluster too. */
import { createHash } from 'node:crypto';

/** The value of a committed entry. A pending one holds the token of its claim, which is never this. */
const COMMITTED = '1';

export interface Script {
	readonly text: string;
	readonly sha: string;
}

function script(text: string): Script {
	return { text, sha: createHash('sha1').update(text).digest('hex') };
}

/** Token and lease in milliseconds. Sent twice, it finds its own token: a lost answer may be asked for again. */
export const CLAIM = script(`
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 'claimed' end
local value = redis.call('GET', KEYS[1])
if value == ARGV[1] then return 'claimed' end
if value == '${COMMITTED}' then return 'committed' end
return 'pending'`);

/** Token and lease in milliseconds. */
export const RENEW = script(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`);

/** Token and retention in milliseconds; a longer retention that is there already stays. */
export const COMMIT = script(`
local value = redis.call('GET', KEYS[1])
if value ~= '${COMMITTED}' or redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then
	redis.call('SET', KEYS[1], '${COMMITTED}', 'PX', ARGV[2])
end
if value == ARGV[1] then return 1 end
return 0`);

/** Token. */
export const RELEASE = script(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`);

/** What is known of an entry; changes nothing. */
export const LOOK = script(`
local value = redis.call('GET', KEYS[1])
if not value then return 'free' end
if value == '${COMMITTED}' then return 'committed' end
return 'pending'`);

export const READ_RECORD = script(`return redis.call('GET', KEYS[1])`);

/** Whether one is expected, that one, whether another one follows, and that one. Sent twice, it finds its own change. */
export const SWAP_RECORD = script(`
local value = redis.call('GET', KEYS[1])
if ARGV[3] == '1' and value == ARGV[4] then return 1 end
if ARGV[3] == '0' and not value then return 1 end
if ARGV[1] == '1' and value ~= ARGV[2] then return 0 end
if ARGV[1] == '0' and value then return 0 end
if ARGV[3] == '1' then redis.call('SET', KEYS[1], ARGV[4]) else redis.call('DEL', KEYS[1]) end
return 1`);
