/** What a poll of the station trigger works with. */
import type { Memory, Source } from '../follow';
import type { Ledger } from '../ledger';
import type { Start } from '../start';
import type { Owner } from './common/incident';
import type { StationSettings } from './common/settings';

export interface StationPollOptions extends Owner, Pick<Start, 'batchSize' | 'handOver'> {
	readonly ledger: Ledger;
	readonly client: Source['client'];
	readonly settings: StationSettings;
	/** Survives the loss of the ledger. */
	readonly memory: Memory;
	/** Called with messages for operators; their kind limits how often similar ones are logged. `count`: how much they are about, 1 by default. */
	readonly warn: (message: string, kind: string, count?: number) => void;
	/** How long the poll may read the list, in milliseconds. */
	readonly budgetMs?: number | undefined;
	readonly now?: () => number;
	/** Milliseconds of a clock that nobody sets. */
	readonly clock?: () => number;
}
