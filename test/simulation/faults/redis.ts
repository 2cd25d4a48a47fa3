/** Faults in how the ledger uses Redis. */
import { type Fault, fault } from './fault';

const SCRIPTS = 'lib/ledger/redis/scripts.ts';

export const REDIS: readonly Fault[] = [
	fault(
		'Redis runs what its caller has given up',
		SCRIPTS,
		"if now >= deadline then return {'late', now} end`;",
		"if now < 0 then return {'late', now} end`;",
	),
	fault(
		'the session of a dead process stays in Redis',
		SCRIPTS,
		"redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])",
		"redis.call('SET', KEYS[1], ARGV[1])",
	),
].map((each) => ({ ...each, isInRedis: true }));
