/** What a store provides so that the contract can be tested on it. */
import type { Ledger } from '../../../../lib/ledger';

export interface LedgerWorld {
	/** The ledger as another process opens it: over a connection of its own. */
	open(onUnknown?: (events: number) => void): Ledger;
	/** Lets time go by for the entries, in milliseconds. */
	advance(ms: number): Promise<void>;
	/** Sets the clock back, in milliseconds, where the store asks the clock of its host. */
	readonly setBack?: (ms: number) => void;
	dispose(): Promise<void>;
}
