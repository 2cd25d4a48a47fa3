/** The process's one ledger: chosen and opened on first use, whoever asks. */
import { chooseStore, storeName } from './choice';
import type { Claim, ClaimAnswer, EntryState, Ledger } from './types';

interface OpenLedgerOptions {
	/** The environment to choose the store by; default `process.env`. */
	readonly env?: NodeJS.ProcessEnv;
	/** Gets one line at first use: which store, and where; and one when Redis may evict entries. Never a credential. */
	readonly log: (message: string) => void;
}

let processLedger: Ledger | undefined;

/**
 * The ledger of this process, the same for every caller until it is closed. Never throws: what is wrong with the
 * environment or the store is a `LedgerUnavailableError` of the call that needs it, and is looked at again by the next.
 */
export function openLedger(options: OpenLedgerOptions): Ledger {
	processLedger ??= new LazyLedger(options, () => {
		processLedger = undefined;
	});
	return processLedger;
}

class LazyLedger implements Ledger {
	readonly #env: NodeJS.ProcessEnv;
	readonly #log: (message: string) => void;
	readonly #closed: () => void;
	#store: Promise<Ledger> | undefined;

	constructor(options: OpenLedgerOptions, closed: () => void) {
		this.#env = options.env ?? process.env;
		this.#log = options.log;
		this.#closed = closed;
	}

	get name(): 'sqlite' | 'redis' {
		return storeName(this.#env);
	}

	async look(key: string): Promise<EntryState> {
		return (await this.#opened()).look(key);
	}

	async claim(key: string, leaseMs: number): Promise<ClaimAnswer> {
		return (await this.#opened()).claim(key, leaseMs);
	}

	async renew(claim: Claim, leaseMs: number): Promise<boolean> {
		return (await this.#opened()).renew(claim, leaseMs);
	}

	async commit(claim: Claim, retentionMs: number): Promise<boolean> {
		return (await this.#opened()).commit(claim, retentionMs);
	}

	async release(claim: Claim): Promise<boolean> {
		return (await this.#opened()).release(claim);
	}

	async begin(keys: readonly string[], run: string, retentionMs: number): Promise<boolean[]> {
		return (await this.#opened()).begin(keys, run, retentionMs);
	}

	async readRecord(key: string): Promise<string | undefined> {
		return (await this.#opened()).readRecord(key);
	}

	async swapRecord(
		key: string,
		expected: string | undefined,
		next: string | undefined,
	): Promise<boolean> {
		return (await this.#opened()).swapRecord(key, expected, next);
	}

	async close(): Promise<void> {
		this.#closed();
		const store = this.#store;
		this.#store = undefined;
		// A store that could not be chosen has nothing to close.
		await store?.then(
			(opened) => opened.close(),
			() => undefined,
		);
	}

	/** One store however many callers come at once; a wrong setting is not remembered. */
	async #opened(): Promise<Ledger> {
		const store = (this.#store ??= this.#choose());
		try {
			return await store;
		} catch (error) {
			if (this.#store === store) this.#store = undefined;
			throw error;
		}
	}

	async #choose(): Promise<Ledger> {
		const choice = chooseStore(this.#env);
		// Loaded when chosen: most processes need one of the two.
		if (choice.store === 'redis') {
			const { RedisLedger, describeRedis } = await import('./redis');
			this.#log(`Ledger of events seen: ${describeRedis(choice.settings)}`);
			return new RedisLedger({ settings: choice.settings, warn: this.#log });
		}
		const { SqliteLedger } = await import('./sqlite');
		this.#log(`Ledger of events seen: SQLite at ${choice.path}`);
		return new SqliteLedger({ path: choice.path });
	}
}
