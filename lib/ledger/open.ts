/** The process's one ledger: its store is chosen on first use, whoever asks. */
import { printable } from '../shared/printable';
import { chooseStore } from './choice';
import type { Environment } from './environment';
import type { Ledger } from './types';

interface OpenLedgerOptions {
	/** The environment to choose the store by; default `process.env`. */
	readonly env?: Environment;
	/** Gets one line when the store is chosen: which one, and where; and one when Redis may evict entries. Never a credential. */
	readonly log: (message: string) => void;
}

let processLedger: Promise<Ledger> | undefined;

/**
 * The ledger of this process, the same for every caller until it is closed. Rejects with `LedgerUnavailableError` when
 * a variable of the environment is wrong; the next call looks at it again. A store that cannot be opened fails call by call.
 */
export function openLedger({ env = process.env, log }: OpenLedgerOptions): Promise<Ledger> {
	if (processLedger) return processLedger;
	const forget = () => {
		if (processLedger === chosen) processLedger = undefined;
	};
	const chosen = openStore(env, log, forget);
	chosen.catch(forget);
	processLedger = chosen;
	return chosen;
}

/** Each store is loaded when it is chosen: most processes need one of the two. */
async function openStore(
	env: Environment,
	log: (message: string) => void,
	onClose: () => void,
): Promise<Ledger> {
	const choice = chooseStore(env);
	if (choice.store === 'redis') {
		const { RedisLedger, describeRedis } = await import('./redis');
		log(`Ledger of events seen: ${describeRedis(choice.settings)}`);
		return new RedisLedger({ settings: choice.settings, warn: log, onClose });
	}
	const { SqliteLedger } = await import('./sqlite');
	log(`Ledger of events seen: SQLite at ${printable(choice.path, 500)}`);
	return new SqliteLedger({ path: choice.path, onClose });
}
