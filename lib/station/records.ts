/** A poll changes each shard by a swap, which also drops what has begun for good. Times are in Unix milliseconds. */
import { setImmediate } from 'node:timers/promises';
import type { Polling } from '../follow';
import { type Account, BEGUN_FOR_GOOD_MS, changeRecords, ledgerKey } from '../ledger';
import { chunksOf } from '../shared/pace';
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
import type { ReportEntry, ShardState } from './common/state';
import type { Moment } from './decide/moment';
import type { EventFacts } from './facts';
import type { BareMessages } from './fold/signs';
import { needsPlaces, nextPlaces, placesFormat, type PlacesOf } from './knownPlaces';
import { nextShard, type ShardAfter, shardIn, shardOf, type ShardStep } from './shards';

/** What the last poll of this process left in a record, and what it decided with. */
interface Left {
	readonly text: string;
	/** What the text says; absent if it has to be read. */
	readonly state: ShardState | undefined;
	readonly watermark: number;
	readonly settings: string;
}

/** By record: a text that is still the same is not read again, and only what is new since is decided. */
const lefts = new Map<string, Left>();

/** Shards that are read and written together. */
const SHARDS_AT_ONCE = 16;

export interface StationPollOptions extends Polling {
	readonly settings: StationSettings;
	/** When n8n began the poll, in Unix milliseconds: a poll of a later publication began later. Default: when it reads. */
	readonly begunAt?: number;
}

interface ShardRecords {
	readonly record: string;
	readonly placesRecord: string;
}

/** By node. Kept, because new strings would be hashed again in each poll. */
const shardRecords = new Map<string, readonly ShardRecords[]>();

function shardRecordsOf(owner: Pick<StationPollOptions, 'workflowId' | 'nodeId'>) {
	const node = recordOf(owner, '');
	const known =
		shardRecords.get(node) ??
		Array.from({ length: SHARDS }, (_, shard) => ({
			record: recordOf(owner, shard),
			placesRecord: recordOf(owner, `${shard}:places`),
		}));
	shardRecords.set(node, known);
	return known;
}

/** Of a record: a text, and what it says. */
interface PlacesRead {
	readonly text: string;
	readonly stored: ReturnType<typeof placesFormat.read>;
}

/** By record: what this process read or wrote last. */
const placesRead = new Map<string, PlacesRead>();

function placesIn(text: string | undefined, last: PlacesRead | undefined): PlacesRead | undefined {
	if (text === undefined) return undefined;
	if (text === last?.text) return last;
	return { text, stored: placesFormat.read(text) };
}

/** By record: adds the places that events show, and returns all that are known. Throws `LedgerUnavailableError`. */
async function changePlaces(
	ledger: StationPollOptions['ledger'],
	eventsOf: ReadonlyMap<string, readonly EventFacts[]>,
	moment: Moment,
): Promise<ReadonlyMap<string, PlacesOf>> {
	const places = new Map<string, PlacesOf>();
	const left = new Map<string, PlacesRead>();
	const change = (text: string | undefined, record: string) => {
		const read = placesIn(text, placesRead.get(record));
		const after = nextPlaces(read?.stored, eventsOf.get(record) ?? [], moment);
		places.set(record, after.places);
		const next = after.next && { text: placesFormat.write(after.next), stored: after.next };
		const kept = next ?? read;
		if (kept !== undefined) left.set(record, kept);
		return next?.text;
	};
	await changeRecords(ledger, [...eventsOf.keys()], change, RETENTION_MS);
	for (const [record, read] of left) placesRead.set(record, read);
	return places;
}

interface StationReading {
	/** All but those that are bare. */
	readonly events: readonly EventFacts[];
	readonly bare: BareMessages;
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
	{ events, bare, head, directory, isWhole, pastUpTo }: StationReading,
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
	const unreadUpTo = position.stretches.map(({ upTo, by = Infinity }) => upTo ?? by);
	// What is unread may have lost any connection.
	const isAllRead = unreadUpTo.length === 0;
	const useful = isAllRead ? events : [...events, ...bare.all];
	const byShard = Map.groupBy(useful, ({ assetId }) => shardOf(assetId));
	const accounts = new Map<string, Account>();
	const lookUp = async ({ id }: ReportEntry): Promise<string[]> => {
		const account = await ledger.look(ledgerKey(workflowId, id));
		accounts.set(id, account);
		const { runningMs = Infinity } = account;
		return !isUnsettled(account) && runningMs >= BEGUN_FOR_GOOD_MS ? [id] : [];
	};
	const needsOwn = needsPlaces(settings);
	const left = { watermark: moment.watermark, settings: JSON.stringify(settings) };
	const afters = new Map<string, ShardAfter>();
	const shards = shardRecordsOf(options).map((records, shard) => ({
		...records,
		events: byShard.get(shard) ?? [],
	}));
	for (const some of chunksOf(shards, SHARDS_AT_ONCE)) {
		// Before the shards, which are decided by them: they show no less if the process is killed in between.
		const eventsOf = new Map(some.map(({ placesRecord, events }) => [placesRecord, events]));
		const places = needsOwn ? await changePlaces(ledger, eventsOf, moment) : undefined;
		const byRecord = new Map(some.map((shard) => [shard.record, shard]));
		const texts = new Map<string, string | undefined>();
		const change = (text: string | undefined, record: string) => {
			// Another process has changed the text since.
			unlistedLeft += afters.get(record)?.unlisted ?? 0;
			afters.delete(record);
			texts.set(record, text);
			const { events = [], placesRecord = '' } = byRecord.get(record) ?? {};
			// Most shards of a small network.
			if (text === undefined && events.length === 0) return undefined;
			return changed(text, record, { events, places: places?.get(placesRecord) });
		};
		const changed = async (
			text: string | undefined,
			record: string,
			shown: Pick<ShardStep, 'events' | 'places'>,
		) => {
			const last = lefts.get(record);
			lefts.delete(record);
			const own = last?.text === text ? last : undefined;
			const known = own?.state ?? shardIn(text);
			const settled = new Set<string>();
			for (const entries of chunksOf(known?.toTell ?? [])) {
				for (const [id] of await Promise.all(entries.map(lookUp))) if (id) settled.add(id);
			}
			// The event loop is free between shards.
			await setImmediate();
			const decidedAt = own?.settings === left.settings ? own.watermark : undefined;
			const read = { ...shown, ...(isAllRead && { bare }), unreadUpTo, pastUpTo };
			const after = nextShard(text, { ...read, moment, settled, unlistedLeft, decidedAt }, known);
			unlistedLeft -= after.unlisted;
			afters.set(record, after);
			// The same string as before: a new one in each poll would soon be old garbage.
			texts.set(record, after.text ?? own?.text ?? text);
			return after.text;
		};
		await changeRecords(ledger, [...byRecord.keys()], change, RETENTION_MS);
		for (const [record, text] of texts) {
			if (text !== undefined)
				lefts.set(record, { ...left, text, state: afters.get(record)?.state });
		}
	}
	const all = [...afters.values()];
	const sum = (name: 'tooMany' | 'dropped') => all.reduce((count, one) => count + one[name], 0);
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
	const toTell = all.flatMap(({ toTell }) => toTell);
	return { toTell, accounts, unlisted: { day, count: before + most - unlistedLeft } };
}
