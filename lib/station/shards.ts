/** The shards of a node's state: which one a station is in, and what a poll makes of its text. */
import { contentOf, numbered } from '../ledger';
import { jsonIn } from '../shared/values';
import { safeParse } from '../vendor/zod';
import {
	LATEST_MS,
	MOST_READ_PARTS,
	MOST_SHARD_BYTES,
	MOST_TO_TELL,
	MOST_UNLISTED,
	RENEW_MS,
	SHARDS,
} from './common/settings';
import {
	baseOf,
	fromStored,
	type ReportEntry,
	SHARD_FORMAT,
	type ShardState,
	type StationState,
	storedShard,
	type StoredShard,
	toStored,
	toStoredShard,
} from './common/state';
import { endedBySettings } from './decide/ended';
import type { MayOpen, Moment } from './decide/moment';
import { decide, isUndecided } from './decide/station';
import type { EventFacts } from './facts';
import { CONNECTION } from './fold/components';
import { isQuiet } from './fold/quiet';
import { type BareMessages, ofStations } from './fold/signs';
import {
	addEvent,
	addQuietFacts,
	compactStation,
	dropQuietReports,
	inFoldOrder,
	isEmpty,
	newestOf,
} from './fold/station';
import type { PlacesOf } from './knownPlaces';

/** 6 bits of a hash of its ID (FNV-1a), which costs little for each event. */
export function shardOf(assetId: string): number {
	let hash = 0x811c9dc5;
	for (let n = 0; n < assetId.length; n++) {
		const unit = assetId.codePointAt(n) ?? 0;
		hash = Math.imul(hash ^ unit, 0x01000193);
		if (unit > 0xffff) n += 1;
	}
	return (Math.imul(hash ^ (hash >>> 15), 0x85ebca6b) >>> 16) % SHARDS;
}

export interface ShardStep {
	/** What the events of this poll say about the stations of the shard. */
	readonly events: readonly EventFacts[];
	/** Of all stations, those that are not among the events. */
	readonly bare?: BareMessages;
	readonly moment: Moment;
	/** The IDs of items that need not be reported any more. */
	readonly settled: ReadonlySet<string>;
	/** How many incidents of unlisted stations may open. */
	readonly unlistedLeft: number;
	/** The ends of the stretches of the list that are still to be read: what was created just before may still turn up. In Unix milliseconds. */
	readonly unreadUpTo: readonly number[];
	/** What was open at the publication may have begun up to then, which no earlier poll has read. In Unix milliseconds. */
	readonly pastUpTo: number;
	/** The watermark of the poll that left the text as it is, and decided with the same settings; absent if that is not known. */
	readonly decidedAt?: number | undefined;
	/** What its stations have shown of themselves; absent for a kind that does not ask. */
	readonly places?: PlacesOf | undefined;
}

export interface ShardAfter {
	/** Undefined if it does not change. */
	readonly text: string | undefined;
	readonly toTell: readonly ReportEntry[];
	/** Incidents of unlisted stations that opened, and those that were one too many. */
	readonly unlisted: number;
	readonly tooMany: number;
	/** Stations and items that found no room. */
	readonly dropped: number;
	/** What the text says from now on, for the next poll; absent if it does not. */
	readonly state?: ShardState | undefined;
}

/** For a poll of an earlier publication. */
export const UNCHANGED: ShardAfter = {
	text: undefined,
	toTell: [],
	unlisted: 0,
	tooMany: 0,
	dropped: 0,
};

/**
 * Undefined for no state, or one that cannot be read. As it was written: a parsed copy would take time, and have its fields in
 * another order. Throws `LedgerUnavailableError` for another format.
 */
export function shardIn(text: string | undefined): ShardState | undefined {
	if (text === undefined) return undefined;
	const stored = jsonIn(contentOf(SHARD_FORMAT, text));
	return safeParse(storedShard, stored).success ? fromStored(stored as StoredShard) : undefined;
}

/** The text of a shard. */
export const shardText = (state: ShardState): string =>
	numbered(SHARD_FORMAT, JSON.stringify(toStoredShard(state)));

/** Has no effects but on `known`, the state in the text, which it uses up: it runs again if another process has changed that. */
export function nextShard(
	text: string | undefined,
	step: ShardStep,
	known = shardIn(text),
): ShardAfter {
	const { settled, unlistedLeft, unreadUpTo } = step;
	if (known !== undefined && known.generation > step.moment.generation) return UNCHANGED;
	const isOwn = known?.generation === step.moment.generation;
	const moment = isOwn ? atLeast(step.moment, known.cut) : step.moment;
	const { listing, watermark, settings } = moment;
	const state = ofPublication(known, moment);
	const isWanted = ({ id, item }: ReportEntry) =>
		!settled.has(id) && (settings.reportResolved || item['state'] !== 'resolved');
	const toTell = state.toTell.filter(isWanted);
	for (const [assetId, station] of state.stations) {
		const places = step.places?.get(assetId);
		if (places !== undefined) station.known = places;
		else if (station.known !== undefined) delete station.known;
	}
	let isChanged = (known !== undefined && !isOwn) || toTell.length < state.toTell.length;
	state.toTell = toTell;
	const events = [...step.events, ...usefulBare(state, step)];
	const isUseful = usefulTo(state, { ...step, events });
	const folded = fold(state, events.filter(isUseful), step);
	if (folded.size > 0) isChanged = true;

	let unlisted = 0;
	let tooMany = 0;
	const mayOpen: MayOpen = (assetId) => {
		if (listing === undefined || listing.has(assetId)) return true;
		if (unlisted >= unlistedLeft) tooMany += 1;
		else unlisted += 1;
		return unlisted + tooMany <= unlistedLeft;
	};
	for (const [assetId, station] of state.stations) {
		const decidedAt = folded.has(assetId) ? undefined : step.decidedAt;
		if (!isUndecided(assetId, station, moment, decidedAt)) continue;
		const before = isChanged ? '' : JSON.stringify(station);
		toTell.push(...decide(assetId, station, { ...moment, decidedUpTo: state.written }, mayOpen));
		isChanged ||= JSON.stringify(station) !== before;
	}
	let dropped = 0;
	let next = text;
	const isUsed = toTell.length > 0 || state.stations.size > 0;
	const isDue = isUsed && watermark - (state.written ?? -Infinity) >= RENEW_MS;
	if (isChanged || isDue) {
		state.written = watermark;
		state.cut = Math.max(state.cut, watermark - LATEST_MS, 0);
		for (const [assetId, station] of state.stations) {
			compactStation(station, watermark, settings, unreadUpTo.length > 0);
			if (isEmpty(station)) state.stations.delete(assetId);
		}
		next = shardText(state);
		dropped = limit(state, moment, Buffer.byteLength(next));
		if (dropped > 0) next = shardText(state);
	}
	const counts = { unlisted, tooMany, dropped };
	// What is told will be in the hands of others.
	const told = toTell.map((entry) => structuredClone(entry));
	return { text: next === text ? undefined : next, toTell: told, ...counts, state };
}

/** Another process may have compacted the shard at a later watermark. */
function atLeast(moment: Moment, cut: number): Moment {
	const watermark = cut === 0 ? moment.watermark : Math.max(moment.watermark, cut + LATEST_MS);
	return { ...moment, watermark, horizon: Math.max(moment.horizon, watermark) };
}

/**
 * A state of an earlier publication ends: what is open resolves, and what is to be reported stays so. What is left of a lost
 * ledger counts as reported: it is an old copy, or the work of a poll that was on its way.
 */
function ofPublication(known: ShardState | undefined, moment: Moment): ShardState {
	const { generation, settings, toldUntil } = moment;
	if (known?.generation === generation) return known;
	const { kind } = settings;
	if (known === undefined || toldUntil !== undefined)
		return { kind, generation, cut: 0, stations: new Map(), toTell: [] };
	const ended = [...known.stations].flatMap(([assetId, station]) =>
		endedBySettings(assetId, station, moment, known.kind),
	);
	return { kind, generation, cut: 0, stations: new Map(), toTell: [...known.toTell, ...ended] };
}

/** Those of stations with a timeline of their connection, or whose first report of it is among the events. */
function usefulBare({ stations }: ShardState, { events, bare }: ShardStep): EventFacts[] {
	if (bare === undefined) return [];
	const assetIds = new Set<string>();
	for (const { assetId, facts } of events) {
		if (facts.some(({ about }) => about === 'connection')) assetIds.add(assetId);
	}
	for (const [assetId, { lines }] of stations) {
		if (lines !== undefined && Object.hasOwn(lines, CONNECTION)) assetIds.add(assetId);
	}
	return [...assetIds].flatMap((assetId) => bare.of(assetId));
}

/** What healthy stations send is of no use: it can end something only if there is something, or may still come. */
function usefulTo({ stations }: ShardState, { events, unreadUpTo, moment }: ShardStep) {
	const isLoud = ({ facts }: EventFacts) => !facts.every((fact) => isQuiet(fact, moment.settings));
	if (unreadUpTo.length > 0) return () => true;
	const loud = new Set(events.filter(isLoud).map(({ assetId }) => assetId));
	return ({ assetId }: EventFacts) => loud.has(assetId) || stations.has(assetId);
}

/**
 * Leaves out what was created before the cut: mostly it is read again, since a page reaches back as far as it has records, and
 * what of it is listed over an hour late cannot be told from that. Not what no poll has read of the past before a publication.
 * Returns the stations whose state changed.
 */
function fold(
	state: ShardState,
	events: readonly EventFacts[],
	{ moment: { settings }, unreadUpTo, pastUpTo, places }: ShardStep,
): ReadonlySet<string> {
	const changed = new Set<string>();
	const isOver = ({ at }: EventFacts) => at < state.cut && at > pastUpTo;
	const stationOf = ({ assetId }: EventFacts): StationState => {
		const station = state.stations.get(assetId);
		if (station !== undefined) return station;
		const known = places?.get(assetId);
		return known === undefined ? {} : { known };
	};
	const inPoll = { ...settings, mostParts: MOST_READ_PARTS };
	const isQuietEvent = ({ facts }: EventFacts) => facts.every((fact) => isQuiet(fact, settings));
	// Few are.
	const loud = events.filter((one) => !isQuietEvent(one) && !isOver(one));
	for (const one of loud.sort(inFoldOrder)) {
		const station = stationOf(one);
		if (!addEvent(station, one, inPoll)) continue;
		state.stations.set(one.assetId, station);
		changed.add(one.assetId);
	}
	// What is quiet counts if it ends something.
	for (const one of ofStations(events, settings).sort(inFoldOrder)) {
		if (isOver(one)) continue;
		const station = stationOf(one);
		if (!addQuietFacts(station, one, settings, unreadUpTo)) continue;
		state.stations.set(one.assetId, station);
		changed.add(one.assetId);
	}
	for (const [assetId, station] of state.stations) {
		if (dropQuietReports(station, unreadUpTo)) changed.add(assetId);
	}
	return changed;
}

/**
 * Drops what is too much for a shard: first stations that the asset list lacks, then those without an incident, the
 * oldest first. So events of made-up stations never push out a listed one.
 */
function limit(state: ShardState, { listing }: Moment, bytes: number): number {
	let [excess, dropped] = [bytes - MOST_SHARD_BYTES, 0];
	/** Each part has a comma or a colon. */
	const drop = (...parts: readonly unknown[]) => {
		for (const part of parts) excess -= Buffer.byteLength(JSON.stringify(part)) + 1;
		dropped += 1;
	};
	for (const entry of state.toTell.splice(MOST_TO_TELL)) drop(entry);
	const ids = [...state.stations.keys()];
	if (excess <= 0 && ids.length <= MOST_UNLISTED) return dropped;
	const isListed = (assetId: string) => listing?.has(assetId) ?? true;
	let unlisted = ids.filter((assetId) => !isListed(assetId)).length;
	if (excess <= 0 && unlisted <= MOST_UNLISTED) return dropped;
	const rankOf = (assetId: string, { incidents = {} }: StationState) =>
		(isListed(assetId) ? 2 : 0) + (Object.keys(incidents).length > 0 ? 1 : 0);
	const ranked = [...state.stations]
		.map(([assetId, station]) => {
			return { assetId, station, rank: rankOf(assetId, station), t: newestOf(station) };
		})
		.sort((a, b) => a.rank - b.rank || a.t - b.t || (a.assetId < b.assetId ? 1 : -1));
	const base = baseOf(state);
	for (const { assetId, station } of ranked) {
		const isTooMany = !isListed(assetId) && unlisted > MOST_UNLISTED;
		if (excess <= 0 && !isTooMany) continue;
		drop(assetId, toStored(station, base));
		if (!isListed(assetId)) unlisted -= 1;
		state.stations.delete(assetId);
	}
	while (excess > 0 && state.toTell.length > 0) drop(state.toTell.pop());
	return dropped;
}
