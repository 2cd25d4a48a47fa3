/** When the asset list is read for the names of stations, and what is known of them if it cannot be read. */
import { randomUUID } from 'node:crypto';
import { directoryFor, directoryNow } from '../../../lib/station/common/directory';
import { fakeList } from '../follow/fakeList';
import { MINUTE } from './stationWorld';

const FAILURE = new Error('500');
const UNREAD = { listing: undefined, stations: undefined, assetIds: [] };
const READERS = {
	fieldsOf: expect.any(Function) as unknown,
	limitOf: expect.any(Function) as unknown,
	limitsOf: expect.any(Function) as unknown,
	stationOf: expect.any(Function) as unknown,
};

interface Asset {
	readonly id: string;
	readonly [field: string]: unknown;
}

/** A node of its own, and a count of the requests. */
function assetWorld(assets: readonly Asset[]) {
	const node = randomUUID();
	const world = {
		...{ assets, requests: 0, isFailing: false, mostRequests: Infinity },
		client: fakeList(
			(): readonly Asset[] => world.assets,
			(): void => {
				world.requests += 1;
				if (world.isFailing) throw FAILURE;
			},
		),
		at: async (minute: number, assetIds: readonly string[] = [], limits = false) =>
			await directoryFor(node, assetIds, {
				client: world.client,
				mayRequest: () => world.requests < world.mostRequests,
				...{ now: minute * MINUTE, serviceNow: minute * MINUTE + 7, limits },
			}),
	};
	return world;
}

/** A list that takes no time. */
const listOf = (count: number): ReturnType<typeof fakeList> => ({
	async *list(_resource, { mayRequest }) {
		for (let n = 0; n < count && mayRequest?.() !== false; n += 100) {
			const ids = Array.from({ length: Math.min(100, count - n) }, (_, m) => `s${n + m}`);
			const listed = ids.map((id) => ({ id, record: { id }, sent: { id }, place: undefined }));
			yield { listed, cursor: ids.at(-1), isLast: n + 100 >= count };
		}
	},
});

const named = (count: number): Asset[] =>
	Array.from({ length: count }, (_unused, n) => ({ id: `s${n}`, name: `Station ${n}` }));

it('reads the list again after an hour, and after ten minutes if it lacks a station; also if the clock was set back', async () => {
	const world = assetWorld(named(2));
	const MS = 1 / MINUTE;
	const asked: [minute: number, assetIds: string[], isRead: boolean][] = [
		[0, ['s0'], true],
		[10 - MS, ['new'], false],
		[10, [], false],
		[10, ['s0', 's1'], false],
		[10, ['s0', 'new'], true],
		[15, ['new'], false],
		[20, ['new', 's0'], true],
		[80 - MS, ['s1'], false],
		[80, [], true],
		[75, ['new'], false],
		[30, ['s0'], false],
		[30, ['new'], true],
		[-30, [], true],
	];
	for (const [minute, assetIds, isRead] of asked) {
		const before = world.requests;
		const { listing } = await world.at(minute, assetIds);
		expect([minute, world.requests - before]).toEqual([minute, Number(isRead)]);
		if (isRead) expect(listing?.at).toBe(minute * MINUTE + 7);
	}
});

it('keeps what it knew if the list cannot be read, and says why once', async () => {
	const world = assetWorld(named(2));
	world.isFailing = true;
	expect(await world.at(0)).toEqual({
		...{ ...UNREAD, ...READERS, failure: FAILURE },
	});
	const unread = await world.at(9, ['s0']);
	expect(unread).toEqual({ ...UNREAD, ...READERS });
	expect(unread.fieldsOf('s0')).toEqual({ id: 's0', name: 's0' });
	expect(world.requests).toBe(1);
	world.isFailing = false;
	const read = await world.at(10, ['s0']);
	expect(read).toMatchObject({ stations: 2, assetIds: ['s0', 's1'] });
	world.isFailing = true;
	const { failure, ...kept } = await world.at(70);
	expect([failure, world.requests]).toEqual([FAILURE, 3]);
	expect(kept).toEqual(read);
	expect(await world.at(71)).toEqual(read);
	expect(world.requests).toBe(3);
});

it('has limits only for those who ask for them, and is read again if it lacks them', async () => {
	const slow = { powerType: 'AC_3_PHASE' };
	const world = assetWorld([{ id: 's0', chargingStation: slow }]);
	const limitAt = async (minute: number, limits: boolean) =>
		(await world.at(minute, [], limits)).limitsOf('s0')?.other;
	expect(await limitAt(0, false)).toBeUndefined();
	world.isFailing = true;
	expect([await limitAt(1, true), await limitAt(2, true)]).toEqual([undefined, undefined]);
	expect(world.requests).toBe(2);
	world.isFailing = false;
	expect(await limitAt(61, true)).toBe(50_000);
	expect(await limitAt(62, false)).toBe(50_000);
	expect(world.requests).toBe(3);
});

it('is read by the next poll if this one has no time left for it', async () => {
	const world = assetWorld(named(2));
	world.mostRequests = 0;
	expect((await world.at(0)).assetIds).toEqual([]);
	world.mostRequests = 1;
	expect((await world.at(1)).assetIds).toEqual(['s0', 's1']);
});

it('takes no list that is empty, not read to its end, or of more than 50,000 assets', async () => {
	const world = assetWorld(named(101));
	const read = await world.at(0);
	expect([read.stations, world.requests]).toEqual([101, 2]);
	expect([read.listing?.has('s100'), read.listing?.has('s101')]).toEqual([true, false]);
	world.assets = [];
	expect(await world.at(60)).toEqual(read);
	expect(world.requests).toBe(3);
	world.assets = named(201);
	world.mostRequests = 5;
	expect(await world.at(120)).toEqual(read);
	expect(world.requests).toBe(5);
	world.mostRequests = Infinity;
	world.client = listOf(50_001);
	expect(await world.at(180)).toEqual(read);
});

it('names a station first, by its ID if it has no other name, and counts no asset of another type', async () => {
	const assets = [
		{ id: 'a', type: 'chargingStation', name: 'North', serialNumber: '7' },
		{ id: 'b', type: 'CHARGE_POINT' },
		{ id: 'c', type: 'Station' },
		{ id: 'd', type: 'gateway' },
		{ id: 'e' },
	];
	const { client } = assetWorld(assets);
	const { fieldsOf, stations, assetIds } = await directoryNow(client);
	expect([stations, assetIds]).toEqual([4, ['a', 'b', 'c', 'd', 'e']]);
	expect(Object.entries(fieldsOf('a')).slice(0, 2)).toEqual([
		['name', 'North'],
		['id', 'a'],
	]);
	expect(fieldsOf('a')).toMatchObject({ type: 'chargingStation', serialNumber: '7' });
	expect(fieldsOf('b')).toMatchObject({ name: 'b', id: 'b', type: 'CHARGE_POINT' });
	expect(fieldsOf('f')).toEqual({ name: 'f', id: 'f' });
});

it('for one question reads the whole list, if it may, and keeps nothing', async () => {
	const world = assetWorld(named(101));
	const before = Date.now();
	const { listing, assetIds } = await directoryNow(world.client);
	expect(assetIds).toHaveLength(101);
	expect(listing?.at).toBeGreaterThanOrEqual(before);
	expect(await directoryNow(world.client, () => false)).toMatchObject(UNREAD);
	expect(world.requests).toBe(2);
});

it('knows the most that each connector delivers, with a quarter more and at least 50 kW', async () => {
	const station = (id: string, powerType: string, connectors: readonly object[]) => ({
		...{ id, name: id },
		chargingStation: { powerType, connectors },
	});
	const { limitOf } = await directoryNow(
		assetWorld([
			station('ac', 'AC_3_PHASE', [{ id: '1', maxAmperage: 32, maxVoltage: 400 }, { id: '2' }]),
			station('big', 'AC_3_PHASE', [{ maxAmperage: 63, maxVoltage: 400 }]),
			station('split', 'AC_2_PHASE_SPLIT', [{ maxAmperage: '200', maxVoltage: 240 }]),
			station('dc', 'DC', [
				{ id: '2', maxAmperage: 500, maxVoltage: 1_000 },
				{ id: '1', maxAmperage: 50, maxVoltage: 500 },
			]),
			station('unknown', 'OTHER', []),
			{ id: 'none', name: 'none' },
		]).client,
	);
	const kilowatts = (asset: string, connector?: string) => limitOf(asset, connector) / 1_000;
	expect(['1', '2', '3', undefined].map((of) => kilowatts('ac', of))).toEqual([50, 50, 50, 50]);
	expect(kilowatts('big', '1')).toBe(94.5);
	expect(kilowatts('split', '1')).toBe(120);
	expect(['1', '2', '2/1', '3'].map((of) => kilowatts('dc', of))).toEqual([50, 625, 625, 1_000]);
	expect(['unknown', 'none', 'unlisted'].map((of) => kilowatts(of, '1'))).toEqual([
		1_000, 1_000, 1_000,
	]);
});
