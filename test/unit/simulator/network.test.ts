/** The computed network: its list is the same however it is read, and costs no more than what is read of it. */
import { activated, generateAssets } from '../../../simulator/data/assets';
import { ComputedNetwork } from '../../../simulator/data/network/network';
import { EventList } from '../../../simulator/store/eventList';
import { EVENTS, setUp, START } from './world';

const SLOW = { profile: 'network', assets: 20, eventsPerSecond: 0.00025 } as const;
const DAY_MS = 86_400_000;

describe('a list that is computed', () => {
	it.each(['newestFirst', 'oldestFirst'] as const)(
		'is the same in pages of any size, and in both orders (%s)',
		async (listOrder) => {
			const { simulator, pages } = await setUp({ ...SLOW, listOrder, now: () => START });
			const emitted = [3, 2, 1].map((days) => new Date(START - days * DAY_MS).toISOString());
			for (const createdAt of emitted) {
				await simulator.emit({ type: 'custom', createdAt, data: {} });
			}
			const small = (await pages(`${EVENTS}?limit=7`)).flat();
			const large = (await pages(`${EVENTS}?limit=100`)).flat();
			expect(small).toEqual(large);
			const times = large.map((event) => Date.parse((event as unknown as Listed).createdAt));
			const ordered = times.toSorted((a, b) => (listOrder === 'oldestFirst' ? a - b : b - a));
			expect(times).toEqual(ordered);
			expect(Math.max(...times)).toBeLessThanOrEqual(START);
			expect(Math.min(...times)).toBeGreaterThan(START - 30 * DAY_MS);
			const other = listOrder === 'oldestFirst' ? 'newestFirst' : 'oldestFirst';
			const turned = await setUp({ ...SLOW, listOrder: other, now: () => START });
			const computed = large.filter(({ id }) => id.startsWith('whevt_network_'));
			expect((await turned.pages(`${EVENTS}?limit=100`)).flat().reverse()).toEqual(computed);
			expect(large.length).toBe(computed.length + emitted.length);
		},
	);

	it('grows by itself, and never changes', async () => {
		let now = START;
		const { call } = await setUp({ ...SLOW, eventsPerSecond: 1, now: () => now });
		const ids = async () => {
			const { body } = await call(`${EVENTS}?limit=100`);
			return (body['data'] as { items: { id: string }[] }).items;
		};
		const before = await ids();
		now += 10_000;
		const after = await ids();
		expect(after.length).toBe(100);
		const known = new Set(before.map(({ id }) => id));
		const added = after.filter(({ id }) => !known.has(id));
		expect(added.length).toBeGreaterThan(5);
		expect(added.length).toBeLessThanOrEqual(10);
		expect(after.slice(added.length)).toEqual(before.slice(0, after.length - added.length));
	});

	it('refuses a cursor that it does not hold', async () => {
		const { call } = await setUp({ ...SLOW, now: () => START });
		for (const id of ['whevt_network_1', 'whevt_network_999999999999', 'whevt_other']) {
			expect((await call(`${EVENTS}?startingAfter=${id}`)).status).toBe(400);
		}
	});

	it('sends an event that it lists again, as it is listed', async () => {
		const { simulator, list } = await setUp({ ...SLOW, now: () => START });
		const [listed] = (await list(`${EVENTS}?limit=1`)).items as unknown as Listed[];
		const { event } = await simulator.emit({ id: listed?.id });
		expect(event).toMatchObject({ id: listed?.id, createdAt: listed?.createdAt });
		expect(event.data).toEqual(listed?.payload);
	});

	it('needs an asset', async () => {
		await expect(setUp({ profile: 'network', assets: 0 })).rejects.toThrow(RangeError);
	});
});

describe('10,000 stations that send 9 events per second', () => {
	const assets = generateAssets(10_000).map(activated);
	const network = new ComputedNetwork(assets, 9);
	const last = network.slotAt(START);

	it('send that many, in order, each at most twice a round', () => {
		const events = Array.from(
			{ length: 9 * 600 },
			(_, n) => network.eventAt(last - n) ?? [],
		).flat();
		const span = START - Date.parse(events.at(-1)?.createdAt ?? '');
		const perSecond = (events.length / span) * 1000;
		expect(perSecond).toBeGreaterThan(8.8);
		expect(perSecond).toBeLessThanOrEqual(9.1);
		const times = events.map(({ createdAt }) => Date.parse(createdAt));
		expect(times).toEqual(times.toSorted((a, b) => b - a));
	});

	it.each([true, false])(
		'cost as much as is read, at any place (newest first: %s)',
		(newestFirst) => {
			const computed = jest.spyOn(network, 'eventAt');
			const list = new EventList(() => START, network);
			// A month has 23 million events.
			for (const slot of [last - 5, last - 10_000_000, last - 23_000_000]) {
				computed.mockClear();
				const [first] = list.from(`whevt_network_${slot}`, newestFirst) ?? [];
				expect(first).toBeDefined();
				expect(computed.mock.calls.length).toBeLessThan(20);
			}
			computed.mockRestore();
		},
	);

	it('have outages of seconds, minutes and hours, as the field has', () => {
		// At the same pace.
		const hours = new ComputedNetwork(assets.slice(0, 2_000), 1.8)
			.incidents(START - DAY_MS, START)
			.flatMap(({ kind, since, until }) =>
				kind === 'stationOffline' && until !== null
					? [(Date.parse(until) - Date.parse(since)) / 3_600_000]
					: [],
			);
		expect(hours.filter((each) => each < 0.05).length).toBeGreaterThan(20);
		expect(hours.filter((each) => each > 0.5).length).toBeGreaterThan(20);
		expect(hours.filter((each) => each > 3).length).toBeGreaterThan(5);
	});
});

interface Listed {
	readonly id: string;
	readonly createdAt: string;
	readonly payload: unknown;
}
