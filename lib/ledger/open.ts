/** The ledger of the process: one for all callers. Its store is chosen on first use. */
import { printable } from '../shared/printable';
import { chooseStore, isQueueMode } from './choice';
import type { Environment } from './common/environment';
import type { Ledger } from './common/types';

const UNKNOWN_EVERY_MS = 60_000;

interface OpenLedgerOptions {
	/** The environment that decides on the store; default `process.env`. */
	readonly env?: Environment;
	/** The command that n8n was started with; default: that of this process. */
	readonly command?: string | undefined;
	/** Called when the store is chosen, with its kind and place, and if Redis may evict entries. Never with a credential. */
	readonly log: (message: string) => void;
	/** Called when events of a queue installation began here that the ledger did not know: at most once per minute. */
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
	warn,
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
	readonly warn: ((message: string) => void) | undefined;
	readonly onClose: () => void;
}

/** A store is loaded only when it is chosen: most processes need one of the two. */
async function openStore(
	env: Environment,
	command: string | undefined,
	{ log, warn, onClose }: Reporting,
): Promise<Ledger> {
	const choice = chooseStore(env, command);
	const onUnknown = warn && isQueueMode(env, command) ? unknownEvents(warn) : undefined;
	if (choice.store === 'redis') {
		const { RedisLedger, describeRedis } = await import('./redis');
		log(`Event ledger: ${describeRedis(choice.settings)}`);
		return new RedisLedger({ settings: choice.settings, warn: log, onUnknown, onClose });
	}
	const { SqliteLedger } = await import('./sqlite');
	log(`Event ledger: SQLite at ${printable(choice.path, 500)}`);
	return new SqliteLedger({ path: choice.path, onUnknown, onClose });
}

/** Every event is claimed before its execution is stored, so an unknown one was claimed in another ledger or has been forgotten. */
function unknownEvents(warn: (message: string) => void): (events: number) => void {
	let unreported = 0;
	let nextAt = 0;
	return (events) => {
		unreported += events;
		if (performance.now() < nextAt) return;
		warn(
			`Executions started for ${unreported} events that the event ledger did not know. Either the ledger lost its data, or another n8n process uses a different ledger: compare the "Event ledger" lines in the logs of all mains, workers and webhook processors.`,
		);
		unreported = 0;
		nextAt = performance.now() + UNKNOWN_EVERY_MS;
	};
}
