/** When and with what a poll decides about stations. */
import type { Listing } from '../common/directory';
import type { Owner } from '../common/incident';
import type { LimitOf } from '../common/limits';
import type { StationSettings } from '../common/settings';

export interface Moment extends Owner {
	readonly settings: StationSettings;
	/** Of the publication. */
	readonly generation: number;
	/** Everything up to here is known. */
	readonly watermark: number;
	/** Up to there, everything has been decided before. */
	readonly decidedUpTo?: number | undefined;
	/** What was read, if it was read without a hole: decides about states that count at once. */
	readonly horizon: number;
	/** What began up to then is not reported. */
	readonly publishedAt: number;
	/** What opened and ended up to then counts as reported, since the ledger that knew it is lost. */
	readonly toldUntil?: number | undefined;
	/** Undefined if it could not be read. */
	readonly listing: Listing | undefined;
	/** Of each connector, by the asset list. */
	readonly limitOf?: LimitOf;
}

/** Whether an incident of the station may be reported: those of unlisted stations are limited. */
export type MayOpen = (assetId: string) => boolean;
