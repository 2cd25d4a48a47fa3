/** The ledger of the process: one for all callers. Its store is chosen on first use. */
import { join, resolve } from 'node:path';
import { printable } from '../shared/text';
import { DAY_MS } from '../shared/time';
import { literal, safeParse } from '../vendor/zod';
import { variablesIn } from './common/environment';
import { LedgerUnavailableError } from './common/store';
import { EventLedger } from './eventLedger';
import { readRedisSettings, URL_VARIABLE } from './redis/settings';
import type { Ledger } from './types';

const WARN_EVERY_MS = 60_000;

interface OpenLedgerOptions {
	/** The environment that decides on the store; default `process.env`. */
	readonly env?: NodeJS.ProcessEnv;
	/** The command that n8n was started with; default: that of this process. */
	readonly command?: string | undefined;
	/** Called when the store is chosen, with its kind and place. Never with a credential. */
	readonly log: (message: string) => void;
	/** Called when the ledger may let events start twice, with the reason and what to do: at most once per minute for each. */
	readonly warn?: (message: string) => void;
}

let processLedger: Promise<Ledger> | undefined;

/**
 * The ledger of this process, the same for every caller until it is closed. Rejects with `LedgerUnavailableError` if an
 * environment variable is wrong; the next call checks it again. A store that cannot be opened fails on each call.
 */
export function openLedger(options: OpenLedgerOptions): Promise<Ledger> {
	if (processLedger) return processLedger;
	const forget = () => {
		if (processLedger === opened) processLedger = undefined;
	};
	const opened = openStore(options, forget);
	opened.catch(forget);
	processLedger = opened;
	return opened;
}

/** A store is loaded only when it is chosen: most processes need one of the two. */
async function openStore(
	{ env = process.env, command = process.argv[2], log, warn = () => undefined }: OpenLedgerOptions,
	onClose: () => void,
): Promise<Ledger> {
	const isShared = isQueueMode(env, command);
	const kind = chooseStore(env, isShared);
	const onLost = atMostEvery(warn, LOST);
	const options = { ...(isShared && { onUnknown: atMostEvery(warn, UNKNOWN) }), onLost, onClose };
	if (kind === 'redis') {
		const settings = readRedisSettings(env);
		const { RedisStore } = await import('./redis/store');
		log(`Event ledger: ${settings.description}`);
		return closedAtExit({ store: new RedisStore({ settings, warn }), ...options });
	}
	const path = sqlitePath(env);
	const { SqliteStore } = await import('./sqlite/store');
	const { hostClock } = await import('./sqlite/hostClock');
	log(`Event ledger: SQLite at ${printable(path, 500)}`);
	const clock = hostClock((ms) => {
		warn(
			`Event ledger: the clock of this host was set ahead by ${Math.round(ms / DAY_MS)} days. Events would be forgotten too early, so the ledger continues with the time before that. Restart n8n if the clock is right now.`,
		);
	});
	const store = new SqliteStore({ path, clock, onReplaced: onLost });
	return closedAtExit({ store, ...options });
}

/** Every event is claimed before its execution is stored, so an unknown one was claimed in another ledger or has been forgotten. */
const UNKNOWN = (events: number) =>
	`Executions started for ${events} events that the event ledger did not know. Either the ledger lost its data, or another n8n process uses a different ledger: compare the "Event ledger" lines in the logs of all mains, workers and webhook processors.`;

const LOST = () =>
	'The event ledger was replaced or lost its data while n8n ran. Events that it no longer knows start again if the service delivers them again. Find out what deletes or replaces the data of the event ledger.';

/** Counts the calls in between. */
function atMostEvery(
	warn: (message: string) => void,
	message: (events: number) => string,
): (events?: number) => void {
	let unreported = 0;
	let nextAt = 0;
	return (events = 1) => {
		unreported += events;
		if (performance.now() < nextAt) return;
		warn(message(unreported));
		unreported = 0;
		nextAt = performance.now() + WARN_EVERY_MS;
	};
}

/**
 * A process that ends in order frees what it still hands over at its exit, if the store can write at once. Not before: as long as
 * it lives, n8n may store the execution. n8n has waited for the executions that run.
 */
function closedAtExit(options: ConstructorParameters<typeof EventLedger>[0]): EventLedger {
	const ledger = new EventLedger({
		...options,
		onClose: () => {
			process.off('exit', close);
			options.onClose?.();
		},
	});
	const close = () => {
		ledger.closeSession().catch(() => undefined);
	};
	process.once('exit', close);
	return ledger;
}

const STORE_VARIABLE = 'ASSET_SERVICE_LEDGER';
const PATH_VARIABLE = 'ASSET_SERVICE_LEDGER_SQLITE_PATH';
const FILE_NAME = 'asset-service-ledger.sqlite';
const ACCEPTED = ['auto', 'sqlite', 'redis'] as const;

/** n8n commands that run in queue mode, whatever `EXECUTIONS_MODE` says in their environment (n8n 2.41.1). */
const QUEUE_COMMANDS: ReadonlySet<string> = new Set(['worker', 'webhook']);

/** Whether this n8n instance shares its work with other processes. `command` is n8n's own, such as `start` or `worker`. */
function isQueueMode(env: NodeJS.ProcessEnv, command: string | undefined): boolean {
	return QUEUE_COMMANDS.has(command ?? '') || variablesIn(env).text('EXECUTIONS_MODE') === 'queue';
}

/** Throws `LedgerUnavailableError` with the name of the variable when its value is wrong. */
function chooseStore(env: NodeJS.ProcessEnv, isShared: boolean): 'sqlite' | 'redis' {
	const value = variablesIn(env).text(STORE_VARIABLE)?.toLowerCase() || 'auto';
	const wanted = safeParse(literal(ACCEPTED), value);
	if (!wanted.success) {
		// Anything but a single word may contain a password, such as a URL that belongs to another variable.
		const shown = /^[\w-]{1,40}$/.test(value) ? `"${value}"` : 'not a known value';
		throw new LedgerUnavailableError(
			`${STORE_VARIABLE} is ${shown}. Set it to one of ${ACCEPTED.join(', ')}, or remove it to use auto.`,
		);
	}
	if (wanted.data !== 'auto') return wanted.data;
	return isShared || variablesIn(env).text(URL_VARIABLE) ? 'redis' : 'sqlite';
}

function sqlitePath(env: NodeJS.ProcessEnv): string {
	const path = variablesIn(env).text(PATH_VARIABLE);
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
