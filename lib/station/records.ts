/**
 * The records of a station trigger: a head with what it watches and how far the list was read, and the shards with the state of
 * its stations. A poll changes each shard by a swap, which also drops what has begun for good. Times are in Unix milliseconds.
 */
import { setImmediate } from 'node:timers/promises';
import { type Polling, savedFields, unreadUpTo } from '../follow';
import { type Account, BEGUN_FOR_GOOD_MS, changeRecord, ledgerKey } from '../ledger';
import { chunksOf } from '../shared/pace';
import { counted } from '../shared/text';
import { isUnsettled, RETENTION_MS } from '../start';
import { number, object, optional, type output } from '../vendor/zod';
import {
	DAY_MS,
	GRACE_MS,
	MOST_UNLISTED_PER_DAY,
	MOST_UNLISTED_PER_POLL,
	SHARDS,
	type StationSettings,
} from './common/settings';
import type { ReportEntry } from './common/state';
import type { Directory } from './directory';
import type { EventFacts } from './facts';
import { entriesIn, nextShard, type ShardAfter, shardOf } from './shards';

/** `as`: `digestOf` the settings. */
export const headShape = object({
	...savedFields,
	/** Of the publication: shards of a later one are not changed by a poll of an earlier one that is still on its way. */
	generation: number(),
	/** What is still to be read of the past before the publication: created from then up to then. A later look back may reach as far. */
	past: optional(object({ from: number(), upTo: number() })),
	/** What opened and ended up to then was reported, although the ledger does not know it. */
	toldUntil: optional(number()),
	/** Incidents of unlisted stations that opened on this day. */
	unlisted: object({ day: number(), count: number() }),
});
export type Head = Readonly<output<typeof headShape>>;

/** Shards that change at the same time share a sync of the disk, or a round trip. */
const SHARDS_AT_ONCE = 16;

interface StationReading {
	/** The beginning of the names of the records. */
	readonly key: string;
	readonly events: readonly EventFacts[];
	readonly head: Head;
	readonly directory: Directory;
	readonly isWhole: boolean;
	/** What was created up to then, before the publication, has not been read by an earlier poll. */
	readonly pastUpTo: number;
}

/** Folds what was read into each shard, and decides. Returns what is to be reported. Throws `LedgerUnavailableError`. */
export async function changeShards(
	options: Polling & { readonly settings: StationSettings },
	{ key, events, head, directory, isWhole, pastUpTo }: StationReading,
) {
	const { workflowId, nodeId, settings, warn } = options;
	const { publishedAt, generation, toldUntil, position } = head;
	const known = position.knownUpTo - GRACE_MS;
	const day = Math.floor(known / DAY_MS);
	const before = head.unlisted.day === day ? head.unlisted.count : 0;
	const most = Math.max(0, Math.min(MOST_UNLISTED_PER_POLL, MOST_UNLISTED_PER_DAY - before));
	let left = most;
	// After the loss of the ledger, what is open and since when is in the past, which has not been read yet. Sessions that
	// have ended count as reported, whatever their start is.
	const isHeld = known <= (toldUntil ?? -Infinity) && settings.kind !== 'sessionEnded';
	const moment = {
		...{ workflowId, nodeId, settings, generation, publishedAt, toldUntil },
		watermark: isHeld ? 0 : known,
		horizon: isHeld ? 0 : isWhole ? Infinity : position.knownUpTo,
		listing: directory.listing,
	};
	const ends = unreadUpTo(position);
	const byShard = Map.groupBy(events, ({ assetId }) => shardOf(assetId));
	const accounts = new Map<string, Account>();
	const toTell: ReportEntry[] = [];
	const total = { tooMany: 0, dropped: 0 };
	const changeOne = async (shard: number): Promise<void> => {
		let used = 0;
		const after = await changeShard(options, `${key}:${shard}`, accounts, (text, settled) => {
			left += used;
			const tried = nextShard(text, {
				...{ events: byShard.get(shard) ?? [], moment, settled, unlistedLeft: left },
				...{ unreadUpTo: ends, pastUpTo },
			});
			used = tried.unlisted;
			left -= used;
			return tried;
		});
		total.tooMany += after.tooMany;
		total.dropped += after.dropped;
		toTell.push(...after.toTell);
	};
	for (let from = 0; from < SHARDS; from += SHARDS_AT_ONCE) {
		const shards = Array.from({ length: SHARDS_AT_ONCE }, (_unused, n) => from + n);
		await Promise.all(shards.map(changeOne));
	}
	if (total.tooMany > 0) {
		warn(
			`${counted(total.tooMany, 'incident')} not reported: too many are of stations that are not in the asset list. Check that the API client may list all assets`,
			'unlisted',
			total.tooMany,
		);
	}
	if (total.dropped > 0) {
		const fewer = settings.kind === 'connectorStatus' ? "use fewer 'Statuses', or " : '';
		warn(
			`${counted(total.dropped, 'station')} left out, because the state of the trigger is full: ${fewer}check that the API client may list all assets`,
			'dropped',
			total.dropped,
		);
	}
	return { toTell, accounts, unlisted: { day, count: before + most - left } };
}

/** Drops what has begun, then applies `next`, as often as other processes change the record. */
async function changeShard(
	{ ledger, workflowId }: Polling,
	key: string,
	accounts: Map<string, Account>,
	next: (text: string | undefined, settled: ReadonlySet<string>) => ShardAfter,
): Promise<ShardAfter> {
	const settled = new Set<string>();
	const ids = entriesIn(await ledger.readRecord(key));
	for (const chunk of chunksOf(ids)) {
		const some = chunk.map(async (id) => {
			const account = await ledger.look(ledgerKey(workflowId, id));
			accounts.set(id, account);
			const { runningMs = Infinity } = account;
			if (!isUnsettled(account) && runningMs >= BEGUN_FOR_GOOD_MS) settled.add(id);
		});
		await Promise.all(some);
	}
	let after: ShardAfter | undefined;
	// The event loop is free between shards.
	await setImmediate();
	await changeRecord(
		ledger,
		key,
		(text) => {
			after = next(text, settled);
			return after.text;
		},
		RETENTION_MS,
	);
	if (after === undefined) throw new TypeError('A record is read before it changes');
	return after;
}
