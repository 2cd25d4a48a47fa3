/** A poll changes each shard by a swap, which also drops what has begun for good. Times are in Unix milliseconds. */
import { setImmediate } from 'node:timers/promises';
import type { Polling } from '../follow';
import { type Account, BEGUN_FOR_GOOD_MS, changeRecord, ledgerKey } from '../ledger';
import { chunksOf, inParallel } from '../shared/pace';
import { counted } from '../shared/text';
import { isUnsettled, RETENTION_MS } from '../start';
import type { Directory } from './common/directory';
import { type Head, recordOf } from './common/head';
import {
	DAY_MS,
	GRACE_MS,
	MOST_UNLISTED_PER_DAY,
	MOST_UNLISTED_PER_POLL,
	SHARDS,
	type StationSettings,
} from './common/settings';
import type { ReportEntry } from './common/state';
import type { Moment } from './decide/moment';
import type { EventFacts } from './facts';
import { needsPlaces, nextPlaces, placesFormat, type PlacesOf } from './knownPlaces';
import { nextShard, shardIn, shardOf, UNCHANGED } from './shards';

/** What the last poll of this process left in a record, and what it decided with. */
interface Left {
	readonly text: string;
	readonly watermark: number;
	readonly settings: string;
}

/** By record: a text that is still the same is not checked again, and only what is new since is decided. */
const lefts = new Map<string, Left>();

/** Shards that change at the same time share a sync of the disk, or a round trip. */
const SHARDS_AT_ONCE = 16;

export interface StationPollOptions extends Polling {
	readonly settings: StationSettings;
	/** When n8n began the poll, in Unix milliseconds: a poll of a later publication began later. Default: when it reads. */
	readonly begunAt?: number;
}

/** Of a record: a text, and what it says. */
interface PlacesRead {
	readonly text: string;
	readonly stored: ReturnType<typeof placesFormat.read>;
}

/** By record: what this process read or wrote last. */
const placesRead = new Map<string, PlacesRead>();

/** Adds the places that events show, and returns all that are known. Throws `LedgerUnavailableError`. */
async function changePlaces(
	ledger: StationPollOptions['ledger'],
	record: string,
	events: readonly EventFacts[],
	moment: Moment,
): Promise<PlacesOf> {
	let places: PlacesOf = new Map();
	let left: PlacesRead | undefined;
	const change = (text: string | undefined) => {
		const last = placesRead.get(record);
		const stored = last !== undefined && last.text === text ? last.stored : placesFormat.read(text);
		const after = nextPlaces(stored, events, moment);
		({ places } = after);
		const next = after.next && { text: placesFormat.write(after.next), stored: after.next };
		left = next ?? (text === undefined ? undefined : { text, stored });
		return next?.text;
	};
	await changeRecord(ledger, record, change, RETENTION_MS);
	if (left !== undefined) placesRead.set(record, left);
	return places;
}

interface StationReading {
	readonly events: readonly EventFacts[];
	readonly head: Head;
	readonly directory: Directory;
	readonly isWhole: boolean;
	/** What was created up to then, before the publication, has not been read by an earlier poll. */
	readonly pastUpTo: number;
}

/**
 * Folds what was read into each shard, drops what has begun for good, and decides. Returns what is to be reported, and what
 * the ledger knows of it. Throws `LedgerUnavailableError`.
 */
export async function changeShards(
	options: StationPollOptions,
	{ events, head, directory, isWhole, pastUpTo }: StationReading,
) {
	const { ledger, workflowId, nodeId, settings, warn } = options;
	const { publishedAt, generation, toldUntil, position } = head;
	const known = position.knownUpTo - GRACE_MS;
	const day = Math.floor(known / DAY_MS);
	const before = head.unlisted.day === day ? head.unlisted.count : 0;
	const most = Math.max(0, Math.min(MOST_UNLISTED_PER_POLL, MOST_UNLISTED_PER_DAY - before));
	let unlistedLeft = most;
	// After the loss of the ledger, what is open and since when is in the past, which has not been read yet. Sessions that
	// have ended count as reported, whatever their start is.
	const isHeld = known <= (toldUntil ?? -Infinity) && settings.kind !== 'sessionEnded';
	const moment = {
		workflowId,
		nodeId,
		settings,
		generation,
		publishedAt,
		toldUntil,
		watermark: isHeld ? 0 : known,
		horizon: isHeld ? 0 : isWhole ? Infinity : position.knownUpTo,
		listing: directory.listing,
		limitOf: directory.limitOf,
	};
	const byShard = Map.groupBy(events, ({ assetId }) => shardOf(assetId));
	const unreadUpTo = position.stretches.map(({ upTo, by = Infinity }) => upTo ?? by);
	const accounts = new Map<string, Account>();
	const lookUp = async ({ id }: ReportEntry): Promise<string[]> => {
		const account = await ledger.look(ledgerKey(workflowId, id));
		accounts.set(id, account);
		const { runningMs = Infinity } = account;
		return !isUnsettled(account) && runningMs >= BEGUN_FOR_GOOD_MS ? [id] : [];
	};
	const needsOwn = needsPlaces(settings);
	const left = { watermark: moment.watermark, settings: JSON.stringify(settings) };
	const changed = await inParallel(SHARDS, SHARDS_AT_ONCE, async (shard) => {
		const read = { events: byShard.get(shard) ?? [], unreadUpTo, pastUpTo };
		const record = recordOf(options, shard);
		// Before the shard, which is decided by them: they show no less if the process is killed in between.
		const places = needsOwn
			? await changePlaces(ledger, recordOf(options, `${shard}:places`), read.events, moment)
			: undefined;
		let after = UNCHANGED;
		let leftText: string | undefined;
		const change = async (text: string | undefined) => {
			// Another process has changed the text since.
			unlistedLeft += after.unlisted;
			[after, leftText] = [UNCHANGED, text];
			// Most shards of a small network.
			if (text === undefined && read.events.length === 0) return undefined;
			const last = lefts.get(record);
			const own = last?.text === text ? last : undefined;
			const known = shardIn(text, own !== undefined);
			const settled = new Set<string>();
			for (const some of chunksOf(known?.toTell ?? [])) {
				for (const [id] of await Promise.all(some.map(lookUp))) if (id) settled.add(id);
			}
			// The event loop is free between shards.
			await setImmediate();
			const decidedAt = own?.settings === left.settings ? own.watermark : undefined;
			after = nextShard(text, { ...read, moment, settled, unlistedLeft, decidedAt, places }, known);
			unlistedLeft -= after.unlisted;
			leftText = after.text ?? text;
			return after.text;
		};
		await changeRecord(ledger, record, change, RETENTION_MS);
		if (leftText === undefined) lefts.delete(record);
		else lefts.set(record, { ...left, text: leftText });
		return after;
	});
	const sum = (name: 'tooMany' | 'dropped') => changed.reduce((all, one) => all + one[name], 0);
	const [tooMany, dropped] = [sum('tooMany'), sum('dropped')];
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
	const toTell = changed.flatMap((after) => after.toTell);
	return { toTell, accounts, unlisted: { day, count: before + most - unlistedLeft } };
}
