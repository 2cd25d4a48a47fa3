/** What a store provides so that the contract can be tested on it. */
import type { Store } from '../../../../lib/ledger/common/store';

export interface LedgerWorld {
	/** The store as another process opens it: over a connection of its own. */
	openStore(): Store;
	/** Lets time go by for the entries and the sessions, in milliseconds. */
	advance(ms: number): Promise<void>;
	/** Sets the clock back for the entries, in milliseconds, where the store asks the clock of its host. */
	readonly setBack?: (ms: number) => void;
	dispose(): Promise<void>;
}
