/** The places that stations of OCPP 2.0.1 have shown: kept apart from what they report, and written only when there are more. */
import { eventFromList } from '../../../lib/event';
import type { Moment } from '../../../lib/station/decide/moment';
import { type EventFacts, readFacts } from '../../../lib/station/facts';
import { nextPlaces, placesFormat } from '../../../lib/station/knownPlaces';
import { shardOf } from '../../../lib/station/shards';
import { MemoryStore } from '../ledger/memoryStore';
import { DEFAULTS, message, MINUTE, type StationEvent, stationWorld, time } from './stationWorld';

const AT = time('09:00');
const WEEK = 7 * 24 * 60 * MINUTE;
const DEFAULT_FAULTS = { ...DEFAULTS, kind: 'connectorFault', forMs: 0 } as const;

const status = (at: number, asset: string, connectorId: number, connectorStatus = 'Available') =>
	message(at, asset, ['StatusNotification', { evseId: 1, connectorId, connectorStatus }]);
const factsOf = (events: readonly StationEvent[]) =>
	events.flatMap(({ id, record }): EventFacts[] => {
		const read = readFacts(eventFromList(record, id), Infinity, DEFAULT_FAULTS);
		return typeof read === 'object' && 'facts' in read ? [read] : [];
	});
const momentAt = (watermark: number, listed?: readonly string[], generation = 1): Moment => ({
	...{ workflowId: 'w', nodeId: 'n', generation, settings: DEFAULT_FAULTS, watermark },
	...{ horizon: Infinity, publishedAt: -Infinity },
	listing: listed && { at: AT, has: (id) => listed.includes(id) },
});
type Stored = Parameters<typeof nextPlaces>[0];
const next = (before: Stored, events: readonly StationEvent[], moment = momentAt(AT)) =>
	nextPlaces(before, factsOf(events), moment);

it('are written when there are more, and when a late message shows that one was there earlier', () => {
	const first = next(undefined, [status(AT, 's1', 1), status(AT, 'constructor', 1)]);
	expect([...first.places]).toEqual([
		['s1', { '1/1': AT }],
		['constructor', { '1/1': AT }],
	]);
	const kept = placesFormat.read(placesFormat.write(first.next as never));
	expect(next(kept, [status(AT + MINUTE, 's1', 1, 'Faulted')]).next).toBeUndefined();
	expect(next(kept, [status(AT, 'constructor', 1)]).next).toBeUndefined();
	expect(next(kept, []).places).toEqual(first.places);
	const more = next(kept, [status(AT - MINUTE, 's1', 1), status(AT, 's1', 2)]);
	expect(more.next?.stations[0]).toEqual(['s1', { '1/1': AT - MINUTE, '1/2': AT }]);
	// Connectors of OCPP 1.6 are known by their numbers.
	const old = message(AT, 's2', ['StatusNotification', { connectorId: 1, status: 'Available' }]);
	expect(next(kept, [old])).toEqual({ places: first.places, next: undefined });
});

it('are written again once a week, since the ledger forgets what nobody writes', () => {
	const { next: kept } = next(undefined, [status(AT, 's1', 1)]);
	expect(next(kept, [], momentAt(AT + WEEK - 1)).next).toBeUndefined();
	expect(next(kept, [], momentAt(AT + WEEK)).next).toEqual({ ...kept, written: AT + WEEK });
	expect(next(undefined, [], momentAt(AT + WEEK)).next).toBeUndefined();
});

it('begin again with a publication, and a poll of an earlier one changes nothing', () => {
	const { next: kept } = next(undefined, [status(AT, 's1', 1)], momentAt(AT, undefined, 2));
	const later = next(kept, [status(AT, 's2', 1)], momentAt(AT, undefined, 3));
	expect([...later.places.keys()]).toEqual(['s2']);
	expect(next(kept, [status(AT, 's2', 1)], momentAt(AT, undefined, 1)).next).toBeUndefined();
});

it('stay within a record: of made-up stations the first hundred, and no listed one makes way for them', () => {
	const made = Array.from({ length: 130 }, (_unused, n) => status(AT, `made-up-${n}`, 1));
	const flood = next(undefined, [...made, status(AT, 's1', 1)], momentAt(AT, ['s1']));
	const left = (flood.next?.stations ?? []).map(([id]) => id);
	expect([left.length, left.at(-1), left.at(-2)]).toEqual([101, 's1', 'made-up-99']);
	expect(next(flood.next, made, momentAt(AT, ['s1'])).next).toBeUndefined();
	const [one] = factsOf([status(AT, 's1', 1)]);
	const long = Array.from({ length: 30 }, (_unused, n) => `${n}`.padEnd(6_000, '-'));
	const all = long.flatMap((assetId) => (one === undefined ? [] : [{ ...one, assetId }]));
	const full = nextPlaces(undefined, all, momentAt(AT));
	const bytes = Buffer.byteLength(placesFormat.write(full.next as never));
	expect(bytes).toBeLessThanOrEqual(128 * 1024);
	expect(bytes).toBeGreaterThan(128 * 1024 - 6_200);
});

it('a healthy station of 2.0.1 is in no shard 80 minutes later, and the place of a fault without a number is still known', async () => {
	const writes: string[] = [];
	const store = new MemoryStore();
	const swap = store.swapRecord.bind(store);
	store.swapRecord = async (key, ...rest) => {
		writes.push(key.split(':').slice(3).join(':'));
		return await swap(key, ...rest);
	};
	const settings = { ...DEFAULT_FAULTS, catchUpMs: 12 * 60 * MINUTE };
	const isNear = (id: string) => shardOf(id) === shardOf('s1');
	const near = Array.from({ length: 1_000 }, (_unused, n) => `near-${n}`).find(isNear) ?? '';
	const world = stationWorld({ settings, store, assets: ['s1', near] });
	await world.pollFrom('09:00', '09:00');
	world.events.push(status(time('09:01'), 's1', 3));
	await world.pollFrom('09:01', '09:03');
	expect(writes.filter((key) => key.endsWith(':places'))).toHaveLength(1);
	writes.length = 0;
	world.events.push(status(time('10:20'), 's1', 3), status(time('11:50'), near, 1));
	await world.pollFrom('10:20', '11:55');
	// The other one is new.
	expect(writes.filter((key) => key.endsWith(':places'))).toHaveLength(1);
	const shard = store.records.get(`station:${world.workflowId}:node:${shardOf('s1')}`);
	expect(shard).toContain(near);
	expect(shard).not.toContain('s1');
	const component = { name: 'Connector', evse: { id: 1 } };
	const variable = { name: 'AvailabilityState' };
	const eventData = [{ component, variable, actualValue: 'Faulted' }];
	world.events.push(message('12:31', 's1', ['NotifyEvent', { eventData }]));
	await world.pollFrom('12:30', '12:40');
	expect(world.items().map(({ connector, state }) => [connector, state])).toEqual([
		['1/3', 'opened'],
	]);
});
