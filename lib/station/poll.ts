/**
 * One poll of the station trigger, step by step: read the list, fold what it says into the state of the stations, decide
 * at the watermark, start the workflow for what is decided.
 *
 *     unpublished ──publication──▶ reading back ──the whole range is read──▶ watching ◀── poll ──┐
 *                                                                                │               │
 *                                                                                └───────────────┘
 *
 * - publication: fixes the time from which incidents are told, and reads back for the state before it. Other settings
 *   are a new publication: what is open resolves.
 * - watching: a poll (1) reads from the newest event back to the frontier minus an overlap, (2) changes each shard by a
 *   swap: folds, decides, and adds what is to be told, (3) writes the head with the new watermark, (4) claims what is to
 *   be told and hands it over. The next poll drops what has begun, and hands over what n8n could not store or has lost.
 * - Every step can be repeated: facts are sets, incidents are kept in the shards, and each item passes through the
 *   ledger by its ID. Killed after (2) or (3), the next poll continues; of several processes, the loser of a swap folds
 *   into the winner's text.
 * - A list that cannot be read leaves the watermark: nothing opens or resolves, and the next whole reading decides.
 */
import { setImmediate } from 'node:timers/promises';
import { type Account, changeRecord, type Ledger, ledgerKey } from '../ledger';
import type { ApiClient } from '../service';
import { counted } from '../shared/counted';
import { messageOf } from '../shared/thrown';
import { isUnsettled, RETENTION_MS, start, type Start } from '../start';
import { type Directory, directoryFor } from './directory';
import type { Told } from './facts';
import { isWatched } from './fold/station';
import { firstHead, type Head, type Memory, readHead } from './head';
import type { Owner } from './incident';
import { readList, Readings } from './reading';
import {
	DAY_MS,
	digestOf,
	MOST_UNLISTED_PER_DAY,
	MOST_UNLISTED_PER_POLL,
	SHARDS,
	type StationSettings,
} from './settings';
import { entriesIn, nextShard, type ShardAfter, shardOf } from './shards';
import type { Entry } from './state';
import { dueEntries, itemsOf, SHARED_ATTEMPTS } from './toTell';

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

interface Polled {
	/** Why the list could not be read further. */
	readonly failure?: Error | undefined;
	/** Resolves when what is decided has been handed over. */
	readonly started?: Promise<void>;
}

/** The share of n8n's time budget that reading may take: the rest is for the ledger. */
const READING_SHARE = 0.5;
/** Shards that change at the same time share a sync of the disk, or a round trip. */
const SHARDS_AT_ONCE = 16;
const LOOKED_AT_ONCE = 100;

/** Nodes whose items are being handed over: their next poll hands over nothing. */
const starting = new Set<string>();

/** Throws `LedgerUnavailableError`, and the client's error at publication. Handing over continues after the call returns. */
export async function pollStations(options: StationPollOptions): Promise<Polled> {
	const { ledger, workflowId, nodeId, settings, memory, client, warn } = options;
	const { now = Date.now, budgetMs = Infinity } = options;
	const polledAt = now();
	const node = JSON.stringify([workflowId, nodeId]);
	const key = `station:${workflowId}:${nodeId}`;
	const deadline = performance.now() + budgetMs * READING_SHARE;
	const mayRequest = () => performance.now() < deadline;

	const remembered = await readHead(ledger, `${key}:head`);
	const begun = headOf(options, remembered.head, polledAt);
	const source = { client, mayRequest, now: polledAt };
	const readings = new Readings(source, ({ facts }) =>
		facts.some((fact) => isWatched(fact, settings)),
	);
	const read = await readList(source, readings, begun.head);
	const isRead = read.isWhole || readings.newestAt !== undefined;
	if (begun.isPublication && read.failure !== undefined && !isRead) throw read.failure;
	const head = begun.isPublication ? published(read.head, read.isWhole, readings) : read.head;
	// Before the shards: what they tell of depends on it.
	let text = remembered.text;
	if (begun.isPublication) {
		const first = JSON.stringify({ ...begun.head, publishedAt: head.publishedAt });
		if (!(await ledger.swapRecord(`${key}:head`, text, first, RETENTION_MS))) return {};
		text = first;
	}
	warnOfReadings(readings, warn);

	const { told, serviceNow } = readings;
	const assetIds = new Set(told.map(({ assetId }) => assetId));
	const directory = await directoryFor({
		...{ node, client, mayRequest, now: polledAt, serviceNow, assetIds },
	});
	if (directory.failure !== undefined) {
		warn('assets', `stations are named by their IDs: ${messageOf(directory.failure)}`);
	}

	const changed = await changeShards(options, {
		key,
		told,
		head,
		directory,
		isWhole: read.isWhole,
	});
	const next = JSON.stringify({ ...head, unlisted: changed.unlisted });
	// Another process that wrote in between has read as far.
	if (await ledger.swapRecord(`${key}:head`, text, next, RETENTION_MS)) {
		const { digest, publishedAt, watermark } = head;
		memory.write({ digest, publishedAt, watermark });
	}

	const started = handOver(options, node, changed, directory);
	return { failure: read.failure, started };
}

/** The head as it was, or that of a publication. */
function headOf(options: StationPollOptions, before: Head | undefined, polledAt: number) {
	const { settings, memory, warn } = options;
	const digest = digestOf(settings);
	const known = memory.read();
	const isKnown = known?.digest === digest;
	const isLost = isKnown && known.watermark > (before?.watermark ?? -1);
	const { catchUpMs } = settings;
	if (before?.digest === digest && !isLost) {
		const oldest = polledAt - catchUpMs;
		if (before.walk !== undefined || before.frontier >= oldest) {
			return { head: before, isPublication: false };
		}
		const since = new Date(before.frontier).toISOString();
		const until = new Date(oldest).toISOString();
		warn('skipped', `events created from ${since} to ${until} are skipped: see 'Catch Up (Hours)'`);
		return { head: { ...before, frontier: oldest }, isPublication: false };
	}
	const lost = isLost ? known : undefined;
	if (lost !== undefined) {
		const at = new Date(lost.watermark).toISOString();
		warn(
			'lost',
			`the event ledger is not the one that it was (its data was lost, or replaced by a backup): incidents up to ${at} count as reported`,
		);
	}
	const publication = { digest, publishedAt: polledAt, now: polledAt, catchUpMs, lost, before };
	return { head: firstHead(publication), isPublication: true };
}

/** What is listed at publication began before it. */
function published(head: Head, isWhole: boolean, { newestAt, serviceNow }: Readings): Head {
	if (head.toldUntil !== undefined) return head;
	const isNewestKnown = isWhole || head.walk?.isOldestFirst === false;
	const publishedAt = isNewestKnown ? (newestAt ?? serviceNow) : serviceNow;
	return { ...head, publishedAt };
}

interface Round {
	readonly key: string;
	readonly told: readonly Told[];
	readonly head: Head;
	readonly directory: Directory;
	readonly isWhole: boolean;
}

interface Changed {
	readonly toTell: readonly Entry[];
	readonly accounts: ReadonlyMap<string, Account>;
	readonly unlisted: Head['unlisted'];
}

async function changeShards(options: StationPollOptions, round: Round): Promise<Changed> {
	const { workflowId, nodeId, settings, warn } = options;
	const { head, directory, isWhole } = round;
	const { publishedAt, watermark, toldUntil } = head;
	const day = Math.floor(watermark / DAY_MS);
	const counted24 = head.unlisted.day === day ? head.unlisted.count : 0;
	const budget = Math.max(0, Math.min(MOST_UNLISTED_PER_POLL, MOST_UNLISTED_PER_DAY - counted24));
	let left = budget;
	const moment = {
		...{ workflowId, nodeId, settings, publishedAt, watermark, toldUntil },
		horizon: isWhole ? Infinity : watermark,
		listing: directory.listing,
	};
	const byShard = new Map<number, Told[]>();
	for (const one of round.told) {
		const shard = shardOf(one.assetId);
		const known = byShard.get(shard);
		if (known === undefined) byShard.set(shard, [one]);
		else known.push(one);
	}
	const accounts = new Map<string, Account>();
	const toTell: Entry[] = [];
	const total = { tooMany: 0, late: 0, dropped: 0 };
	const changeOne = async (shard: number): Promise<void> => {
		const told = byShard.get(shard) ?? [];
		let used = 0;
		const key = `${round.key}:${shard}`;
		const after = await changeShard(options, key, accounts, (text, settled) => {
			left += used;
			const tried = nextShard(text, { told, moment, settled, unlistedLeft: left });
			used = tried.unlisted;
			left -= used;
			return tried;
		});
		total.tooMany += after.tooMany;
		total.late += after.late;
		total.dropped += after.dropped;
		toTell.push(...after.toTell);
	};
	for (let from = 0; from < SHARDS; from += SHARDS_AT_ONCE) {
		const shards = Array.from({ length: SHARDS_AT_ONCE }, (_unused, n) => from + n);
		await Promise.all(shards.map(changeOne));
	}
	warnOfShards(total, warn);
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
	for (let from = 0; from < ids.length; from += LOOKED_AT_ONCE) {
		const some = ids.slice(from, from + LOOKED_AT_ONCE).map(async (id) => {
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

async function handOver(
	options: StationPollOptions,
	node: string,
	{ toTell, accounts }: Changed,
	{ fieldsOf }: Directory,
): Promise<void> {
	const { ledger, workflowId, batchSize, warn } = options;
	const due = dueEntries(toTell, accounts, batchSize);
	if (due.length === 0 || starting.has(node)) return;
	starting.add(node);
	try {
		const items = itemsOf(due, fieldsOf);
		const pairs = items.map((item) => ({
			key: ledgerKey(workflowId, String(item.record['id'])),
			item,
		}));
		await start(
			{ ledger, batchSize, handOver: options.handOver, sharedAttempts: SHARED_ATTEMPTS },
			pairs,
		);
	} catch (error) {
		warn('start', `the next poll continues with the rest: ${messageOf(error)}`);
	} finally {
		starting.delete(node);
	}
}

type Warn = StationPollOptions['warn'];

function warnOfReadings({ unreadable, undated }: Readings, warn: Warn): void {
	if (unreadable > 0) {
		warn('unreadable', `${counted(unreadable, 'message')} left out that cannot be read`);
	}
	if (undated > 0) {
		warn(
			'undated',
			`${counted(undated, 'event')} left out without a time, or with one of the future`,
		);
	}
}

function warnOfShards(
	{ tooMany, late, dropped }: { tooMany: number; late: number; dropped: number },
	warn: Warn,
): void {
	if (tooMany > 0) {
		warn(
			'unlisted',
			`${counted(tooMany, 'incident')} not reported of stations that the asset list lacks: there are too many`,
		);
	}
	if (late > 0) warn('late', `${counted(late, 'event')} left out that appeared over an hour late`);
	if (dropped > 0) {
		warn('dropped', `${counted(dropped, 'station')} left out: the state of the trigger is full`);
	}
}
