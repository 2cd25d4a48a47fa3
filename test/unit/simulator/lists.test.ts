import { generateAssets } from '../../../simulator/data/assets';
import { expectedLists } from '../../support/lists';
import { ASSETS, ENDPOINTS, EVENTS, setUp, START } from './world';

const ORDERS = [undefined, 'newestFirst', 'oldestFirst'] as const;
const REFUSED = [
	'limit=0',
	'limit=101',
	'limit=ten',
	'limit=',
	'limit=1&limit=2',
	'startingAfter=x',
];

it.each(expectedLists)(
	'the list %s has records, each with its own ID, in pages',
	async (_name, { path }) => {
		const { simulator, pages, subscribe } = await setUp();
		const { id } = await subscribe();
		for (let count = 0; count < 3; count++) await simulator.emit();
		const [first = [], ...others] = await pages(`${path.replace('we_1', id)}?limit=2`);
		expect(first).toHaveLength(2);
		const records = [first, ...others].flat();
		expect(records.length).toBeGreaterThan(2);
		expect(new Set(records.map((record) => record.id)).size).toBe(records.length);
	},
);

describe('the list of assets', () => {
	it.each([
		['each of 230 assets once, over three pages', 230, 'limit=100', [100, 100, 30]],
		['no further page after a full one', 40, 'limit=20', [20, 20]],
		['20 assets per page by default', 45, '', [20, 20, 5]],
		['one empty page without assets', 0, '', [0]],
	])('gives %s', async (_what, assets, query, sizes) => {
		const all = await (await setUp({ assets })).pages(`${ASSETS}?${query}`);
		expect(all.map(({ length }) => length)).toEqual(sizes);
		expect(all.flat()).toEqual(generateAssets(assets));
	});

	it.each(REFUSED)('refuses %s', async (query) => {
		const { status, body } = await (await setUp()).call(`${ASSETS}?${query}`);
		expect(status).toBe(400);
		expect(body['message']).toContain(query.split('=')[0]);
	});

	const assets = generateAssets(230);
	const [one, two] = new Set(assets.flatMap(({ assetGroup }) => assetGroup?.id ?? []));
	it.each([
		['chargingStationMake=Kaminari Power', /"Kaminari Power"/],
		['chargingStationModel=NL-22 Duo', /"NL-22 Duo"/],
		['firmwareVersion=3.2.4', /"3\.2\.4"/],
		[`assetGroups=${one},${two}`, new RegExp(`"(${one}|${two})"`)],
		[`chargingStationModel=KP-50&assetGroups=${one}`, new RegExp(`"${one}".*"KP-50"`)],
	])('is filtered by %s', async (query, pattern) => {
		const wanted = assets.filter((asset) => pattern.test(JSON.stringify(asset)));
		expect([0, assets.length]).not.toContain(wanted.length);
		expect((await (await setUp()).pages(`${ASSETS}?limit=7&${query}`)).flat()).toEqual(wanted);
	});
});

describe('the lists of events and deliveries', () => {
	it.each(ORDERS)('page to the end in the order %s', async (listOrder) => {
		const { simulator, pages, subscribe } = await setUp({ listOrder });
		const { id } = await subscribe();
		const made: string[] = [];
		for (let count = 0; count < 5; count++) made.push((await simulator.emit()).event.id);
		if (listOrder !== 'oldestFirst') made.reverse();
		const events = await pages(`${EVENTS}?limit=3`);
		expect(events.map(({ length }) => length)).toEqual([3, 2]);
		expect(events.flat().map((event) => event.id)).toEqual(made);
		const deliveries = await pages(`${ENDPOINTS}/${id}/deliveries?limit=3`);
		expect(deliveries.flat()).toMatchObject(made.map((eventId) => ({ eventId })));
	});

	it('have their own fields, forget after 30 days, and filter deliveries by status', async () => {
		let time = START;
		const { simulator, call, list, subscribe } = await setUp({ now: () => time });
		const { id } = await subscribe({}, 500, 200);
		const { event } = await simulator.emit({ type: 'custom', data: { value: 1 } });
		const createdAt = '2026-01-01T00:00:00.000Z';
		const fields = { eventType: 'custom', createdAt, payload: { value: 1 } };
		expect((await list(EVENTS)).items).toEqual([{ id: event.id, ...fields }]);
		await simulator.emit();
		const path = `${ENDPOINTS}/${id}/deliveries?status=`;
		const [delivery] = simulator.deliveries(id);
		const attempts = [{ status: 'failed', statusCode: 500, timestamp: createdAt }];
		const listed = { ...fields, id: delivery?.id, eventId: event.id, status: 'failed', attempts };
		expect((await list(`${path}failed`)).items).toEqual([listed]);
		expect((await list(`${path}success`)).items).toMatchObject([{ eventType: 'ocpp.message' }]);
		expect((await call(`${path}lost`)).status).toBe(400);
		simulator.faults.add({ path: /./, ignoreFilters: true });
		expect((await list(`${path}failed`)).items).toHaveLength(2);
		time += 30 * 86_400_000;
		expect([simulator.events.length, simulator.deliveries(id).length]).toEqual([2, 2]);
		time += 1;
		expect([simulator.events.length, simulator.deliveries(id).length]).toEqual([0, 0]);
	});
});
