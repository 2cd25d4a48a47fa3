/** Which store the ledger uses: the operator's choice, otherwise Redis in queue mode or if a Redis URL is set, otherwise SQLite. */
import { join, resolve } from 'node:path';
import { literal, safeParse } from '../vendor/zod';
import { type Environment, readText } from './common/environment';
import { LedgerUnavailableError } from './common/errors';
import { type RedisSettings, readRedisSettings, URL_VARIABLE } from './redis/settings';

const STORE_VARIABLE = 'ASSET_SERVICE_LEDGER';
const PATH_VARIABLE = 'ASSET_SERVICE_LEDGER_SQLITE_PATH';
const FILE_NAME = 'asset-service-ledger.sqlite';
const ACCEPTED = ['auto', 'sqlite', 'redis'] as const;

type StoreChoice =
	| { readonly store: 'sqlite'; readonly path: string }
	| { readonly store: 'redis'; readonly settings: RedisSettings };

/** n8n commands that run in queue mode, whatever `EXECUTIONS_MODE` says in their environment (n8n 2.41.1). */
const QUEUE_COMMANDS: ReadonlySet<string> = new Set(['worker', 'webhook']);

/** Whether this n8n instance shares its work with other processes. `command` is n8n's own, such as `start` or `worker`. */
export function isQueueMode(env: Environment, command: string | undefined): boolean {
	return QUEUE_COMMANDS.has(command ?? '') || readText(env, 'EXECUTIONS_MODE') === 'queue';
}

/** Throws `LedgerUnavailableError` with the name of the variable when a value is wrong. */
export function chooseStore(env: Environment, command?: string): StoreChoice {
	const value = readText(env, STORE_VARIABLE)?.toLowerCase() || 'auto';
	const wanted = safeParse(literal(ACCEPTED), value);
	if (!wanted.success) {
		// Anything but a single word may contain a password, such as a URL that belongs to another variable.
		const shown = /^[\w-]{1,40}$/.test(value) ? `"${value}"` : 'not a known value';
		throw new LedgerUnavailableError(
			`${STORE_VARIABLE} is ${shown}. Set it to one of ${ACCEPTED.join(', ')}, or remove it to use auto.`,
		);
	}
	const automatic = isQueueMode(env, command) || readText(env, URL_VARIABLE) ? 'redis' : 'sqlite';
	const store = wanted.data === 'auto' ? automatic : wanted.data;
	return store === 'redis'
		? { store: 'redis', settings: readRedisSettings(env) }
		: { store: 'sqlite', path: sqlitePath(env) };
}

function sqlitePath(env: Environment): string {
	const path = readText(env, PATH_VARIABLE);
	if (path && /^rediss?:/i.test(path)) {
		throw new LedgerUnavailableError(
			`${PATH_VARIABLE} is the URL of a Redis server, not the path of a file. Set ASSET_SERVICE_LEDGER=redis and ASSET_SERVICE_LEDGER_REDIS_URL instead.`,
		);
	}
	if (path) return resolve(path);
	// n8n's own rule for its data folder (`getN8nFolder` in @n8n/config 2.41.1).
	const home = process.platform === 'win32' ? 'USERPROFILE' : 'HOME';
	return join(env['N8N_USER_FOLDER'] ?? env[home] ?? process.cwd(), '.n8n', FILE_NAME);
}
