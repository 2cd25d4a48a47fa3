/** The ledger of the process: one for all callers. Its store is chosen on first use. */
import { printable } from '../shared/printable';
import { chooseStore, isQueueMode } from './choice';
import type { Environment } from './common/environment';
import { EventLedger, type EventLedgerOptions } from './eventLedger';
import type { Ledger } from './types';

const WARN_EVERY_MS = 60_000;
const CLOSE_EVERY_MS = 100;
const DAY_MS = 24 * 60 * 60_000;

interface OpenLedgerOptions {
	/** The environment that decides on the store; default `process.env`. */
	readonly env?: Environment;
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
export function openLedger({
	env = process.env,
	command = process.argv[2],
	log,
	warn = () => undefined,
}: OpenLedgerOptions): Promise<Ledger> {
	if (processLedger) return processLedger;
	const forget = () => {
		if (processLedger === chosen) processLedger = undefined;
	};
	const chosen = openStore(env, command, { log, warn, onClose: forget });
	chosen.catch(forget);
	processLedger = chosen;
	return chosen;
}

interface Reporting {
	readonly log: (message: string) => void;
	readonly warn: (message: string) => void;
	readonly onClose: () => void;
}

/** A store is loaded only when it is chosen: most processes need one of the two. */
async function openStore(
	env: Environment,
	command: string | undefined,
	{ log, warn, onClose }: Reporting,
): Promise<Ledger> {
	const choice = chooseStore(env, command);
	const lost = atMostEvery(warn, LOST);
	const unknown = atMostEvery(warn, UNKNOWN);
	const options = { ...(isQueueMode(env, command) && { onUnknown: unknown }), onLost: lost };
	if (choice.store === 'redis') {
		const { RedisStore, describeRedis } = await import('./redis');
		log(`Event ledger: ${describeRedis(choice.settings)}`);
		const store = new RedisStore({ settings: choice.settings, warn });
		return closedAtExit({ store, ...options, onClose });
	}
	const { SqliteStore, hostClock } = await import('./sqlite');
	log(`Event ledger: SQLite at ${printable(choice.path, 500)}`);
	const clock = hostClock((ms) => {
		warn(
			`Event ledger: the clock of this host was set ahead by ${Math.round(ms / DAY_MS)} days. Events would be forgotten too early, so the ledger continues with the time before that. Restart n8n if the clock is right now.`,
		);
	});
	const store = new SqliteStore({ path: choice.path, clock, onReplaced: lost });
	return closedAtExit({ store, ...options, onClose });
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
 * In a process that ends in order, what it still hands over is free for the others. n8n first waits for the executions that
 * run. At the exit only a store that writes at once can do it, so another one does it before, when nothing runs any more.
 */
function closedAtExit(options: EventLedgerOptions): EventLedger {
	const ledger = new EventLedger({
		...options,
		onClose: () => {
			process.off('exit', close);
			process.off('SIGTERM', closeWhenIdle);
			options.onClose?.();
		},
	});
	const close = () => {
		ledger.closeSession().catch(() => undefined);
	};
	const closeWhenIdle = () => {
		const timer = setInterval(() => {
			if (ledger.isRunning) return;
			clearInterval(timer);
			close();
		}, CLOSE_EVERY_MS).unref();
	};
	process.once('exit', close);
	// A process with no handler of its own ends at once, and must not be kept from that.
	if (process.listenerCount('SIGTERM') > 0) process.once('SIGTERM', closeWhenIdle);
	return ledger;
}
