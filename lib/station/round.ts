/** One round of a poll over the shards: each is changed by a swap, and drops what has begun. */
import { setImmediate } from 'node:timers/promises';
import { unreadUpTo } from '../follow';
import { type Account, changeRecord, ledgerKey } from '../ledger';
import { chunksOf } from '../shared/pace';
import { counted } from '../shared/text';
import { isUnsettled, RETENTION_MS } from '../start';
import {
	DAY_MS,
	GRACE_MS,
	MOST_UNLISTED_PER_DAY,
	MOST_UNLISTED_PER_POLL,
	SHARDS,
} from './common/settings';
import type { ReportEntry } from './common/state';
import type { Directory } from './directory';
import type { EventFacts } from './facts';
import type { Head } from './head';
import type { StationPollOptions } from './options';
import { entriesIn, nextShard, type ShardAfter, shardOf } from './shards';

/** Shards that change at the same time share a sync of the disk, or a round trip. */
const SHARDS_AT_ONCE = 16;

export interface ShardRound {
	readonly key: string;
	readonly events: readonly EventFacts[];
	readonly head: Head;
	readonly directory: Directory;
	readonly isWhole: boolean;
	/** What was created up to then, before the publication, has not been read by an earlier poll. */
	readonly pastUpTo: number;
}

export interface Changed {
	readonly toTell: readonly ReportEntry[];
	readonly accounts: ReadonlyMap<string, Account>;
	readonly unlisted: Head['unlisted'];
}

export async function changeShards(
	options: StationPollOptions,
	round: ShardRound,
): Promise<Changed> {
	const { workflowId, nodeId, settings, warn } = options;
	const { head, directory, isWhole } = round;
	const { publishedAt, generation, toldUntil, position } = head;
	const watermark = position.knownUpTo - GRACE_MS;
	const day = Math.floor(watermark / DAY_MS);
	const counted24 = head.unlisted.day === day ? head.unlisted.count : 0;
	const budget = Math.max(0, Math.min(MOST_UNLISTED_PER_POLL, MOST_UNLISTED_PER_DAY - counted24));
	let left = budget;
	const moment = {
		...{ workflowId, nodeId, settings, generation, publishedAt, watermark, toldUntil },
		horizon: isWhole ? Infinity : position.knownUpTo,
		listing: directory.listing,
	};
	const ends = unreadUpTo(position);
	const byShard = new Map<number, EventFacts[]>();
	for (const one of round.events) {
		const shard = shardOf(one.assetId);
		const known = byShard.get(shard);
		if (known === undefined) byShard.set(shard, [one]);
		else known.push(one);
	}
	const accounts = new Map<string, Account>();
	const toTell: ReportEntry[] = [];
	const total = { tooMany: 0, dropped: 0 };
	const changeOne = async (shard: number): Promise<void> => {
		const events = byShard.get(shard) ?? [];
		let used = 0;
		const key = `${round.key}:${shard}`;
		const after = await changeShard(options, key, accounts, (text, settled) => {
			left += used;
			const tried = nextShard(text, {
				events,
				moment,
				settled,
				unlistedLeft: left,
				unreadUpTo: ends,
				pastUpTo: round.pastUpTo,
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
	warnOfShards(total, { settings, warn });
	return { toTell, accounts, unlisted: { day, count: counted24 + budget - left } };
}

/** Drops what has begun, then applies `next`, as often as other processes change the record. */
async function changeShard(
	{ ledger, workflowId }: StationPollOptions,
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
			if (!isUnsettled(account)) settled.add(id);
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

function warnOfShards(
	{ tooMany, dropped }: { tooMany: number; dropped: number },
	{ settings, warn }: Pick<StationPollOptions, 'settings' | 'warn'>,
): void {
	if (tooMany > 0) {
		warn(
			`${counted(tooMany, 'incident')} not reported: too many are of stations that are not in the asset list. Check that the API client may list all assets`,
			'unlisted',
			tooMany,
		);
	}
	if (dropped > 0) {
		const fewer = settings.kind === 'connectorStatus' ? "use fewer 'Statuses', or " : '';
		warn(
			`${counted(dropped, 'station')} left out, because the state of the trigger is full: ${fewer}check that the API client may list all assets`,
			'dropped',
			dropped,
		);
	}
}
