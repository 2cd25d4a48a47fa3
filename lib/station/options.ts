/** What a poll of the station trigger works with. */
import type { Ledger } from '../ledger';
import type { ApiClient } from '../service';
import type { Start } from '../start';
import type { Owner } from './common/incident';
import type { StationSettings } from './common/settings';
import type { Memory } from './head';

export interface StationPollOptions extends Owner, Pick<Start, 'batchSize' | 'handOver'> {
	readonly ledger: Ledger;
	readonly client: Pick<ApiClient, 'list'>;
	readonly settings: StationSettings;
	/** Survives the loss of the ledger. */
	readonly memory: Memory;
	/** Called with messages for operators; `kind` limits how often similar ones are logged. */
	readonly warn: (kind: string, message: string) => void;
	/** How long the poll may take, in milliseconds. */
	readonly budgetMs?: number | undefined;
	readonly now?: () => number;
}
