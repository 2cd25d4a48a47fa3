/** The shards of a node's state: which one a station is in, and what a poll makes of its text. */
import { hash } from 'node:crypto';
import { jsonIn } from '../shared/values';
import { array, object, safeParse, string } from '../vendor/zod';
import {
	LATEST_MS,
	MOST_SHARD_BYTES,
	MOST_TO_TELL,
	MOST_UNLISTED,
	RENEW_MS,
	SHARDS,
} from './common/settings';
import { type ReportEntry, shardState, type ShardState, type StationState } from './common/state';
import { endedBySettings } from './decide/ended';
import type { MayOpen, Moment } from './decide/moment';
import { decide } from './decide/station';
import type { EventFacts } from './facts';
import { ofStations } from './fold/signs';
import {
	addEvent,
	addQuietFacts,
	compactStation,
	dropQuietReports,
	isEmpty,
	isQuiet,
} from './fold/station';

/** Hashing the station of each event would cost more than all else that is done with most of them. */
const shards = new Map<string, number>();
const MOST_KNOWN = 50_000;

/** 6 bits of the hash of its ID. */
export function shardOf(assetId: string): number {
	const known = shards.get(assetId);
	if (known !== undefined) return known;
	const shard = (hash('sha256', assetId, 'buffer')[0] ?? 0) % SHARDS;
	if (shards.size >= MOST_KNOWN) shards.clear();
	shards.set(assetId, shard);
	return shard;
}

export interface ShardStep {
	/** What the events of this poll say about the stations of the shard. */
	readonly events: readonly EventFacts[];
	readonly moment: Moment;
	/** The IDs of items that need not be reported any more. */
	readonly settled: ReadonlySet<string>;
	/** How many incidents of unlisted stations may open. */
	readonly unlistedLeft: number;
	/** The ends of the stretches of the list that are still to be read: what was created just before may still turn up. In Unix milliseconds. */
	readonly unreadUpTo?: readonly number[];
	/** What was open at the publication may have begun up to then, which no earlier poll has read. In Unix milliseconds. */
	readonly pastUpTo?: number;
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
}

/** For a poll of an earlier publication. */
const UNCHANGED: ShardAfter = {
	...{ text: undefined, toTell: [], unlisted: 0, tooMany: 0, dropped: 0 },
};

/** Has no effects: it runs again if another process has changed the text. */
export function nextShard(text: string | undefined, step: ShardStep): ShardAfter {
	const { settled, unlistedLeft, unreadUpTo = [], pastUpTo = -Infinity } = step;
	const known = text === undefined ? undefined : safeParse(shardState, jsonIn(text)).data;
	if (known !== undefined && known.generation > step.moment.generation) return UNCHANGED;
	const isOwn = known?.generation === step.moment.generation;
	const moment = isOwn ? atLeast(step.moment, known.cut) : step.moment;
	const { listing, watermark, settings } = moment;
	const before = known && JSON.stringify(known);
	const state = ofPublication(known, moment);
	const isWanted = ({ id, item }: ReportEntry) =>
		!settled.has(id) && (settings.reportResolved || item['state'] !== 'resolved');
	state.toTell = state.toTell.filter(isWanted);
	const isUseful = usefulTo(state, step);
	const admitted = admit(state, step.events.filter(isUseful), moment);
	fold(state, admitted.events, moment, { unreadUpTo, pastUpTo });

	let unlisted = 0;
	let tooMany = 0;
	const mayOpen: MayOpen = (assetId) => {
		if (listing === undefined || listing.has(assetId)) return true;
		if (unlisted >= unlistedLeft) tooMany += 1;
		else unlisted += 1;
		return unlisted + tooMany <= unlistedLeft;
	};
	for (const [assetId, station] of Object.entries(state.stations)) {
		state.toTell.push(...decide(assetId, station, moment, mayOpen));
	}
	let { dropped } = admitted;
	let next = JSON.stringify(state);
	const isDue = toTellOrOpen(state) && watermark - (state.written ?? -Infinity) >= RENEW_MS;
	const isChanged = isDue || next !== (before ?? JSON.stringify(ofPublication(undefined, moment)));
	if (isChanged) {
		state.written = watermark;
		state.cut = Math.max(state.cut, watermark - LATEST_MS, 0);
		for (const [assetId, station] of Object.entries(state.stations)) {
			compactStation(station, watermark, settings, unreadUpTo.length > 0);
			if (isEmpty(station)) Reflect.deleteProperty(state.stations, assetId);
		}
		next = JSON.stringify(state);
		const found = limit(state, moment, Buffer.byteLength(next));
		dropped += found;
		if (found > 0) next = JSON.stringify(state);
	}
	const counts = { unlisted, tooMany, dropped };
	return { text: isChanged && next !== text ? next : undefined, toTell: state.toTell, ...counts };
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
		return { kind, generation, cut: 0, stations: {}, toTell: [] };
	const ended = Object.entries(known.stations).flatMap(([assetId, station]) =>
		endedBySettings(assetId, station, moment, known.kind),
	);
	return { kind, generation, cut: 0, stations: {}, toTell: [...known.toTell, ...ended] };
}

/** Whether the shard holds something that is to end, or to be reported. */
const toTellOrOpen = ({ stations, toTell }: ShardState) =>
	toTell.length > 0 || Object.keys(stations).length > 0;

/** What healthy stations send is of no use: it can end something only if there is something, or may still come. */
function usefulTo({ stations }: ShardState, { events, unreadUpTo = [] }: ShardStep) {
	const known = new Set(Object.keys(stations));
	for (const { assetId, facts } of events) if (!facts.every(isQuiet)) known.add(assetId);
	return ({ assetId }: EventFacts): boolean => unreadUpTo.length > 0 || known.has(assetId);
}

/**
 * Leaves out what was created before the cut: mostly it is read again, since a page reaches back as far as it has records, and
 * what of it is listed over an hour late cannot be told from that. Not what no poll has read of the past before a publication.
 */
function fold(
	state: ShardState,
	events: readonly EventFacts[],
	{ settings }: Moment,
	{ unreadUpTo, pastUpTo }: Required<Pick<ShardStep, 'unreadUpTo' | 'pastUpTo'>>,
): void {
	const isOver = ({ at }: EventFacts) => at < state.cut && at > pastUpTo;
	const stationOf = ({ assetId, at }: EventFacts): StationState =>
		(Object.hasOwn(state.stations, assetId) ? state.stations[assetId] : undefined) ?? { t: at };
	// A session begins before its meter values.
	for (const one of events.toSorted((a, b) => a.at - b.at)) {
		if (one.facts.every(isQuiet) || isOver(one)) continue;
		const station = stationOf(one);
		if (addEvent(station, one, settings)) state.stations[one.assetId] = station;
	}
	for (const one of ofStations(events)) {
		if (isOver(one)) continue;
		const station = stationOf(one);
		addQuietFacts(station, one, settings, unreadUpTo);
		if (!isEmpty(station)) state.stations[one.assetId] = station;
	}
	for (const station of Object.values(state.stations)) dropQuietReports(station, unreadUpTo);
}

/**
 * Leaves out what is said of unknown stations that the asset list lacks, if they are more than a shard keeps: the newest
 * of them stay. So a flood of made-up stations costs no more than a look at each.
 */
function admit(
	{ cut, stations }: ShardState,
	events: readonly EventFacts[],
	{ listing }: Moment,
): { readonly events: readonly EventFacts[]; readonly dropped: number } {
	if (listing === undefined || events.length <= MOST_UNLISTED) return { events, dropped: 0 };
	const newest = new Map<string, number>();
	for (const { assetId, at } of events) {
		const isUnknown = at >= cut && !listing.has(assetId) && !Object.hasOwn(stations, assetId);
		if (isUnknown) newest.set(assetId, Math.max(at, newest.get(assetId) ?? at));
	}
	if (newest.size <= MOST_UNLISTED) return { events, dropped: 0 };
	const left = [...newest].sort(([a, at], [b, bt]) => bt - at || (a < b ? -1 : 1));
	const dropped = new Set(left.slice(MOST_UNLISTED).map(([assetId]) => assetId));
	return { events: events.filter(({ assetId }) => !dropped.has(assetId)), dropped: dropped.size };
}

/**
 * Drops what is too much for a shard: first stations that the asset list lacks, then those without an incident, the
 * oldest first. So events of made-up stations never push out a listed one.
 */
function limit(state: ShardState, { listing }: Moment, bytes: number): number {
	let excess = bytes - MOST_SHARD_BYTES;
	const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
	const beyond = state.toTell.splice(MOST_TO_TELL);
	for (const entry of beyond) excess -= sizeOf(entry) + 1;
	let dropped = beyond.length;
	const isListed = (assetId: string) => listing?.has(assetId) ?? true;
	let unlisted = Object.keys(state.stations).filter((assetId) => !isListed(assetId)).length;
	if (excess <= 0 && unlisted <= MOST_UNLISTED) return dropped;
	const rankOf = (assetId: string, { incidents = {} }: StationState) =>
		(isListed(assetId) ? 2 : 0) + (Object.keys(incidents).length > 0 ? 1 : 0);
	const ranked = Object.entries(state.stations)
		.map(([assetId, station]) => ({ assetId, station, rank: rankOf(assetId, station) }))
		.sort((a, b) => a.rank - b.rank || a.station.t - b.station.t);
	for (const { assetId, station, rank } of ranked) {
		const isOver = excess > 0 || (rank < 2 && unlisted > MOST_UNLISTED);
		if (!isOver) continue;
		excess -= sizeOf(station) + sizeOf(assetId) + 2;
		if (rank < 2) unlisted -= 1;
		Reflect.deleteProperty(state.stations, assetId);
		dropped += 1;
	}
	while (excess > 0 && state.toTell.length > 0) {
		excess -= sizeOf(state.toTell.pop()) + 1;
		dropped += 1;
	}
	return dropped;
}

/** Without the stations, which are most of the text: checking them takes time. */
const onlyToTell = object({ toTell: array(object({ id: string() })) });

/** The IDs of the items that are to be reported. */
export function entriesIn(text: string | undefined): string[] {
	// Cheaper than parsing the text. Within a text of JSON, quotes are escaped.
	if (text === undefined || text.includes('"toTell":[]')) return [];
	const known = safeParse(onlyToTell, jsonIn(text)).data;
	return known?.toTell.map(({ id }) => id) ?? [];
}
