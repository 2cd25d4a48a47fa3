import type { INodeParameters } from 'n8n-workflow';
import { AssetService } from '../../../nodes/AssetService/AssetService.node';
import { editorContext } from '../../support/engine';
import { SECRET, stopWorlds, type World } from '../../unit/service/world';
import { DELIVERIES, pages, serving } from './runs';

afterEach(stopWorlds);

const deliveries = Array.from({ length: 230 }, (_, index) => ({
	id: `whdel_${index}`,
	eventId: `ev_${index}`,
	eventType: index % 2 === 0 ? 'ocpp.message' : 'asset.connectivity',
	status: index % 10 === 0 ? 'failed' : 'success',
	createdAt: Date.UTC(2026, 0, 1, 12) / 1000 - index * 60,
}));

/** The editor's request when a user opens the list or types into its search. */
async function search(world: World, parameters: INodeParameters, filter?: string) {
	const nodeType = new AssetService();
	const context = editorContext({
		...{ nodeType, path: '/parameters/deliveryId', parameters, workflowId: 'workflow-1' },
		credentialTypes: ['assetServiceApi'],
		readCredential: async () => ({ ...world.settings, serviceInterface: {} }),
	});
	return (await nodeType.methods.listSearch.searchDeliveries.call(context, filter)).results;
}

describe('the list of deliveries to choose from', () => {
	it.each([
		['an ID', { __rl: true, mode: 'id', value: 'we_1' }],
		['an address', { __rl: true, mode: 'url', value: 'https://api.example.com/x/we_1' }],
		['a plain text', 'we_1'],
	])('has the newest delivery of the endpoint first, given by %s', async (_how, endpointId) => {
		const world = await serving((request) => pages(deliveries, request));
		const found = await search(world, { endpointId });
		expect(found).toHaveLength(100);
		expect(found.slice(0, 2)).toEqual([
			{
				name: expect.stringMatching(/^ocpp\.message · failed · 2026-01-01 \d\d:00:00$/) as string,
				value: 'whdel_0',
			},
			{
				name: expect.stringMatching(/^asset\.connectivity · success · /) as string,
				value: 'whdel_1',
			},
		]);
		expect(world.service.to(DELIVERIES)).toHaveLength(1);
	});

	it('ignores fields of unexpected types', async () => {
		const odd = { toString: 1, valueOf: 2 };
		const records = [
			{ id: 'whdel_1', eventId: odd, eventType: odd, status: odd, createdAt: odd, attempts: odd },
		];
		const world = await serving(() => ({ body: { items: records, hasMore: odd } }));
		expect(await search(world, { endpointId: 'we_1' }, 'WHDEL')).toEqual([
			{ name: 'whdel_1', value: 'whdel_1' },
		]);
	});

	it.each([
		['its status', 'FAILED', 23],
		['its event type', 'connectivity', 100],
		['its event', 'ev_229', 1],
		['nothing', 'none of them', 0],
	])('can be searched by %s', async (_what, filter, count) => {
		const world = await serving((request) => pages(deliveries, request));
		const found = await search(world, { endpointId: 'we_1' }, filter);
		expect(found).toHaveLength(count);
	});

	it('shows the action and the station of each, and can be searched by them', async () => {
		const of = (id: string, action: string, station: string) => ({
			...{ id, eventType: 'ocpp.message', status: 'failed' },
			payload: { action, asset: { id: station } },
		});
		const records = [of('1', 'Heartbeat', 'as_1'), of('2', 'StatusNotification', 'as_2')];
		const world = await serving(() => ({ body: records }));
		expect((await search(world, { endpointId: 'we_1' })).map(({ name }) => name)).toEqual([
			'Heartbeat · failed · as_1',
			'StatusNotification · failed · as_2',
		]);
		for (const [filter, value] of [
			['heart', '1'],
			['AS_2', '2'],
		]) {
			expect(await search(world, { endpointId: 'we_1' }, filter)).toMatchObject([{ value }]);
		}
	});

	it('shows the end of the ID of deliveries that otherwise look alike', async () => {
		const records = ['whdel_a1b2c3', 'whdel_d4e5f6', 'whdel_3'].map((id, index) => ({
			...{ id, eventType: 'ocpp.message', status: index < 2 ? 'failed' : 'success' },
			payload: { asset: { id: 'asset_1' } },
		}));
		const world = await serving(() => ({ body: records }));
		expect((await search(world, { endpointId: 'we_1' })).map(({ name }) => name)).toEqual([
			'ocpp.message · failed · …a1b2c3 · asset_1',
			'ocpp.message · failed · …d4e5f6 · asset_1',
			'ocpp.message · success · asset_1',
		]);
	});

	it('asks for the endpoint first', async () => {
		const world = await serving((request) => pages(deliveries, request));
		await expect(
			search(world, { endpointId: { __rl: true, mode: 'id', value: '' } }),
		).rejects.toThrow("Fill in 'Endpoint' first");
		expect(world.service.requests).toEqual([]);
	});

	it('shows the error of the service, without the secret', async () => {
		const world = await serving(() => ({ status: 403, body: { message: `no ${SECRET}` } }));
		const failure: unknown = await search(world, { endpointId: 'we_1' }).catch(
			(error: unknown) => error,
		);
		expect(String(failure)).toMatch(/not allowed to list deliveries/);
		expect(JSON.stringify(failure)).not.toContain(SECRET);
	});
});
