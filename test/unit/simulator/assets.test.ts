import { Client } from 'undici';
import { generateAssets } from '../../../simulator/data/assets';
import { caller, pageOf, simulatorFor, type ListPage } from './world';

const ASSETS = '/asset-management/v1/assets';
type Call = Awaited<ReturnType<typeof caller>>;

const pages = async (call: Call, query: string): Promise<ListPage[]> => {
	const all: ListPage[] = [];
	for (let cursor = ''; ;) {
		const page = pageOf(await call(`${ASSETS}?${query}${cursor}`));
		all.push(page);
		const last = page.items.at(-1);
		if (!page.hasMore || !last) return all;
		cursor = `&startingAfter=${last.id}`;
	}
};
const ids = (all: ListPage[]) => all.flatMap(({ items }) => items.map(({ id }) => id));

describe('the list of assets', () => {
	it('gives each of 230 assets once over three pages of 100', async () => {
		const call = await caller(await simulatorFor());
		const all = await pages(call, 'limit=100');
		expect(all.map(({ items }) => items.length)).toEqual([100, 100, 30]);
		expect(new Set(ids(all)).size).toBe(230);
	});

	it('ends after a full last page', async () => {
		const call = await caller(await simulatorFor({ assets: 40 }));
		const all = await pages(call, 'limit=20');
		expect(all.map(({ items, hasMore }) => [items.length, hasMore])).toEqual([
			[20, true],
			[20, false],
		]);
	});

	it('gives 20 assets unless told', async () => {
		const call = await caller(await simulatorFor());
		expect(pageOf(await call(ASSETS)).items).toHaveLength(20);
	});

	it('is empty without assets', async () => {
		const call = await caller(await simulatorFor({ assets: 0 }));
		expect(pageOf(await call(ASSETS))).toEqual({ hasMore: false, items: [] });
	});

	it.each(['limit=0', 'limit=101', 'limit=ten', 'limit=', 'limit=1&limit=2', 'startingAfter=x'])(
		'refuses %s',
		async (query) => {
			const call = await caller(await simulatorFor());
			const { status, body } = await call(`${ASSETS}?${query}`);
			expect(status).toBe(400);
			expect(body['message']).toMatch(/limit|startingAfter/);
		},
	);

	it('filters by make, model, firmware and group, each and together', async () => {
		const assets = generateAssets(230);
		const wanted = assets.find(({ assetGroup }) => assetGroup);
		const { chargePointVendor, chargePointModel, firmwareVersion } =
			wanted?.chargingStation.manufacturingInfo ?? {};
		const group = wanted?.assetGroup?.id;
		const other = assets.find(({ assetGroup }) => assetGroup && assetGroup.id !== group);
		const filters: [Record<string, string>, (asset: (typeof assets)[number]) => boolean][] = [
			[
				{ chargingStationMake: String(chargePointVendor) },
				(asset) => asset.chargingStation.manufacturingInfo.chargePointVendor === chargePointVendor,
			],
			[
				{ chargingStationModel: String(chargePointModel) },
				(asset) => asset.chargingStation.manufacturingInfo.chargePointModel === chargePointModel,
			],
			[
				{ firmwareVersion: String(firmwareVersion) },
				(asset) => asset.chargingStation.manufacturingInfo.firmwareVersion === firmwareVersion,
			],
			[
				{ assetGroups: `${String(group)},${String(other?.assetGroup?.id)}` },
				(asset) =>
					asset.assetGroup !== undefined &&
					[group, other?.assetGroup?.id].includes(asset.assetGroup.id),
			],
		];
		filters.push([
			Object.assign({}, ...filters.map(([query]) => query)) as Record<string, string>,
			(asset) => filters.slice(0, 4).every(([, passes]) => passes(asset)),
		]);
		const call = await caller(await simulatorFor());
		for (const [query, passes] of filters) {
			const expected = assets.filter(passes).map(({ id }) => id);
			expect(expected.length).toBeGreaterThan(0);
			expect(expected.length).toBeLessThan(assets.length);
			const listed = await pages(call, `limit=7&${new URLSearchParams(query).toString()}`);
			expect(ids(listed)).toEqual(expected);
		}
	});

	it('is the same at every start, with the known fields', async () => {
		const [first, second] = await Promise.all([simulatorFor(), simulatorFor()]);
		const [one, two] = await Promise.all(
			[first, second].map(async (simulator) => pageOf(await (await caller(simulator))(ASSETS))),
		);
		expect(one).toEqual(two);
		expect(one?.items[0]).toMatchObject({
			id: expect.stringMatching(/^asset_/) as string,
			type: 'CHARGING_STATION',
			network: { id: expect.any(String) as string },
			sitePartners: expect.any(Array) as unknown[],
			chargingStation: {
				connectors: expect.arrayContaining([
					expect.objectContaining({ id: '1', maxVoltage: expect.any(Number) as number }),
				]) as unknown[],
				manufacturingInfo: { chargePointVendor: expect.any(String) as string },
			},
		});
	});
});

describe('the statistics', () => {
	it('count requests with their query and status, and connections', async () => {
		const simulator = await simulatorFor();
		const call = await caller(simulator);
		await call(`${ASSETS}?limit=2`);
		await call('/nowhere');
		expect(simulator.stats.requests).toEqual([
			{ method: 'POST', path: '/oauth/token', query: {}, status: 200 },
			{ method: 'GET', path: ASSETS, query: { limit: '2' }, status: 200 },
			{ method: 'GET', path: '/nowhere', query: {}, status: 404 },
		]);
	});

	it('count each connection once, however many requests it carries', async () => {
		const simulator = await simulatorFor();
		for (const requests of [1, 3]) {
			const client = new Client(simulator.baseUrl);
			for (let count = 0; count < requests; count++) {
				const { body } = await client.request({ method: 'GET', path: ASSETS });
				await body.dump();
			}
			await client.close();
		}
		expect(simulator.stats.connections).toBe(2);
		expect(simulator.stats.requests).toHaveLength(4);
	});
});
