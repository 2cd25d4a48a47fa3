/**
 * The places that the stations of a shard have shown. They have a record of their own: a shard is written in each poll and would be
 * as large as the network with them, and they hardly ever change.
 */
import { recordFormat } from '../ledger';
import { array, number, object, type output, record, string, tuple } from '../vendor/zod';
import type { KnownPlaces } from './common/places';
import { MOST_SHARD_BYTES, MOST_UNLISTED, RENEW_MS, type StationSettings } from './common/settings';
import type { Moment } from './decide/moment';
import type { EventFacts } from './facts';
import { showsPlace } from './fold/station';

const shape = object({
	/** Of the publication. */
	generation: number(),
	/** The watermark of the write, in Unix milliseconds. */
	written: number(),
	/** As in a shard. */
	stations: array(tuple([string(), record(string(), number())])),
});
type Stored = Readonly<output<typeof shape>>;
export const placesFormat = recordFormat(
	{ what: 'the places of the stations of a Station Trigger', number: 1 },
	shape,
);

/** More than the text has next to its stations. */
const HEADING_BYTES = 100;

export type PlacesOf = ReadonlyMap<string, KnownPlaces>;

/** Whether the trigger has to know them. */
export const needsPlaces = ({ kind }: StationSettings): boolean =>
	kind === 'connectorFault' || kind === 'connectorStatus';

export interface PlacesAfter {
	readonly places: PlacesOf;
	/** Undefined if it does not change. */
	readonly next: Stored | undefined;
}

const NOTHING: PlacesOf = new Map();
const byStored = new WeakMap<Stored, PlacesOf>();

/** Made once of what was read: a network has ten thousand, and each poll asks for a few. */
function byStation(stored: Stored): PlacesOf {
	const places = byStored.get(stored) ?? new Map<string, KnownPlaces>(stored.stations);
	byStored.set(stored, places);
	return places;
}

/** Adds what the events of a poll show. The same events add nothing again, and no event takes anything away. */
export function nextPlaces(
	before: Stored | undefined,
	events: readonly EventFacts[],
	{ generation, watermark, listing }: Moment,
): PlacesAfter {
	if (before !== undefined && before.generation > generation)
		return { places: new Map(), next: undefined };
	const own = before?.generation === generation ? before : undefined;
	const known = own === undefined ? NOTHING : byStation(own);
	const news = new Map<string, KnownPlaces>();
	for (const event of events) {
		for (const fact of event.facts) {
			// Most say nothing of a place.
			if (fact.about !== 'status') continue;
			const { assetId, at } = event;
			const own = news.get(assetId) ?? known.get(assetId) ?? {};
			if (showsPlace(own, fact, event)) news.set(assetId, { ...own, [fact.connector]: at });
		}
	}
	const places = news.size === 0 ? known : new Map([...known, ...news]);
	const isDue = places.size > 0 && watermark - (own?.written ?? Infinity) >= RENEW_MS;
	if (news.size === 0 && !isDue) return { places, next: undefined };
	const stations = limited(places, (id) => listing?.has(id) ?? true);
	// What finds no room is no news.
	const isSame = JSON.stringify(stations) === JSON.stringify(own?.stations);
	const next = { generation, written: watermark, stations };
	return { places, next: isSame && !isDue ? undefined : next };
}

/** What fits: stations that the asset list has go before others, and those that were known before newer ones. */
function limited(places: PlacesOf, isListed: (assetId: string) => boolean) {
	const ids = [...places.keys()];
	const unlisted = ids.filter((id) => !isListed(id)).slice(0, MOST_UNLISTED);
	let room = MOST_SHARD_BYTES - HEADING_BYTES;
	const fits = (id: string) => {
		room -= Buffer.byteLength(JSON.stringify([id, places.get(id)]));
		return room >= 0;
	};
	const kept = new Set([...ids.filter(isListed), ...unlisted].filter(fits));
	return [...places].filter(([id]) => kept.has(id));
}
