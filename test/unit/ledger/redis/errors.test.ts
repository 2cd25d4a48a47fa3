import { LedgerUnavailableError } from '../../../../lib/ledger';
import {
	readRedisSettings,
	failureOf,
	redisUnavailableError,
} from '../../../../lib/ledger/redis/settings';

const reply = (message: string) => Object.assign(new Error(message), { name: 'ReplyError' });
const system = (code: string) => Object.assign(new Error('hunter2'), { code });
const told = (error: unknown) =>
	redisUnavailableError(readRedisSettings({ QUEUE_BULL_REDIS_HOST: 'redis.local' }), error);

describe('an error of Redis or the system', () => {
	it.each([
		[reply('NOAUTH Authentication required.'), /asks for a password: set .* \(NOAUTH\)\.$/],
		[reply('WRONGPASS invalid username-password pair'), /correct them \(WRONGPASS\)\.$/],
		[reply('NOPERM User hunter2 has no permissions'), /not allowed .*EVALSHA.*\(NOPERM\)/],
		[reply('LOADING Redis is loading the dataset'), /still loading its data/],
		[reply("READONLY You can't write against a read only replica."), /read-only replica/],
		[reply('MASTERDOWN Link with MASTER is down and hunter2'), /replica without its primary/],
		[reply("OOM command not allowed when used memory > 'maxmemory'."), /raise maxmemory/],
		[reply('MISCONF Redis is configured to save RDB snapshots'), /cannot save to its disk/],
		[reply('CLUSTERDOWN The cluster is down'), /the cluster is down: check its nodes/],
		[
			system('ECONNREFUSED'),
			/no server is listening there: start it, or correct the host and the port/,
		],
		[system('ENOTFOUND'), /host name does not exist: correct it/],
		[system('EAI_AGAIN'), /cannot be resolved at the moment: check the DNS/],
		[system('ECONNRESET'), /closed the connection: check whether it expects TLS/],
		[system('DEPTH_ZERO_SELF_SIGNED_CERT'), /is self-signed: set NODE_EXTRA_CA_CERTS/],
		[system('SELF_SIGNED_CERT_IN_CHAIN'), /by a private authority: set NODE_EXTRA_CA_CERTS/],
		[system('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), /cannot be verified: set NODE_EXTRA_CA_CERTS/],
		[system('ERR_TLS_CERT_ALTNAME_INVALID'), /QUEUE_BULL_REDIS_TLS_SERVERNAME \(ERR_TLS_/],
		[reply('TRYAGAIN hunter2'), /did not respond in time: .*reached \(TRYAGAIN\)\.$/],
		[new Error('hunter2'), /did not respond in time: check that it runs and can be reached\.$/],
		[undefined, /did not respond in time: check that it runs and can be reached\.$/],
	])('shows the operator where, and what to do, and repeats nothing: %s', (error, words) => {
		const unavailable = told(error);
		expect(unavailable).toBeInstanceOf(LedgerUnavailableError);
		expect(unavailable.message).toMatch(words);
		expect(unavailable.message).toMatch(
			/^(?!.*hunter2)The event ledger is not available\. Redis at redis\.local:6379, database 0 \(/,
		);
	});

	it.each([
		['NOAUTH', true],
		['WRONGPASS', true],
		['NOPERM', true],
		['OOM', true],
		['MISCONF', true],
		['LOADING', false],
		['READONLY', false],
		['ERR', false],
	])('%s would come again with another try: %s', (code, lasting) => {
		expect(failureOf(reply(`${code} some words`)).isLasting).toBe(lasting);
		expect(failureOf(reply(code)).isLasting).toBe(lasting);
	});

	// acl.c, script.c, script_lua.c and scripting.c of Redis 6.0, 6.2, 7.0, 7.2, 8.0 and Valkey 7.2, 8.0. The first line of each
	// pair is about a command, the second about a key. test/e2e/ledger/permissions.test.ts asks the Redis that is installed.
	it.each([
		[
			'Redis 6',
			"NOPERM this user has no permissions to run the 'evalsha' command or its subcommand",
		],
		['Redis 6', 'NOPERM this user has no permissions to access one of the keys used as arguments'],
		[
			'Redis 6, in a script',
			"ERR Error running script (call to f_d0d8): @user_script:3: @user_script: 3: The user executing the script can't run this command or subcommand ",
		],
		[
			'Redis 6, in a script',
			"ERR Error running script (call to f_d0d8): @user_script:3: @user_script: 3: The user executing the script can't access at least one of the keys mentioned in the command arguments ",
		],
		['Redis 7.0', "NOPERM this user has no permissions to run the 'evalsha' command"],
		[
			'Redis 7.0, in a script',
			"ERR The user executing the script can't run this command or subcommand script: d0d8, on @user_script:3.",
		],
		[
			'Redis 7.0, in a script',
			"ERR The user executing the script can't access at least one of the keys mentioned in the command arguments script: d0d8, on @user_script:3.",
		],
		['Redis 8 and Valkey', "NOPERM User n8n has no permissions to run the 'evalsha' command"],
		['Redis 8 and Valkey', "NOPERM User n8n has no permissions to access the 'a' key"],
		['Redis 8 and Valkey', 'NOPERM No permissions to access a key'],
		[
			'Redis 8 and Valkey, in a script',
			"ERR ACL failure in script: User n8n has no permissions to run the 'get' command script: d0d8, on @user_script:3.",
		],
		[
			'Redis 8 and Valkey, in a script',
			'ERR ACL failure in script: No permissions to access a key script: d0d8, on @user_script:3.',
		],
	])('is a missing permission in the words of %s: %s', (_which, message) => {
		expect(failureOf(reply(message)).code).toBe('NOPERM');
		expect(failureOf(reply(message)).isLasting).toBe(true);
	});

	it('is no missing permission if a script fails otherwise', () => {
		const failed = 'ERR Error running script (call to f_d0d8): @user_script:3: a key is too long';
		expect(failureOf(reply(failed)).code).toBe('ERR');
	});

	it('is only the first word of a response', () => {
		expect(failureOf(reply('ERR: no such command')).code).toBe('ERR');
		for (const message of ['E', 'not OOM', 'Oops', 'OOMs', '']) {
			expect(failureOf(reply(message)).code).toBeUndefined();
		}
	});

	it('is in a cluster what the last node said', () => {
		const lastNodeError = reply('WRONGPASS invalid username-password pair');
		const error = Object.assign(new Error('Failed to refresh slots cache.'), { lastNodeError });
		expect(failureOf(error).code).toBe('WRONGPASS');
		expect(failureOf(error).isLasting).toBe(true);
	});

	it('is a response to a user that Redis accepts, unless it is about the password or the connection', () => {
		expect(failureOf(reply('NOPERM User n8n has no permissions')).isResponse).toBe(true);
		expect(failureOf(reply('NOAUTH Authentication required.')).isResponse).toBe(false);
		expect(failureOf(reply('WRONGPASS invalid username-password pair')).isResponse).toBe(false);
		expect(failureOf(system('ECONNRESET')).isResponse).toBe(false);
	});
});
