import type { INodeParameters } from 'n8n-workflow';
import { expectedLists } from '../../support/lists';
import { startNode } from '../../support/runNode';
import { gate } from '../../support/wait';
import { stopWorlds } from '../../unit/service/world';
import {
	assets,
	ASSETS,
	assetWorld,
	containing,
	DELIVERIES,
	failure,
	list,
	optionsFor,
	pages,
	records,
	run,
	serving,
} from './runs';

afterEach(stopWorlds);

describe('a list of assets', () => {
	it('returns 230 from 3 pages once each, unchanged, over one connection', async () => {
		const world = await assetWorld();
		const { items, error, hints } = await run(world, { ...list, returnAll: true });
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json)).toEqual(assets);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(assets.map(() => ({ item: 0 })));
		expect(world.service.to(ASSETS).map(({ query }) => query)).toEqual([
			{ limit: '100' },
			{ limit: '100', startingAfter: 'as_99' },
			{ limit: '100', startingAfter: 'as_199' },
		]);
		expect(world.service.connections()).toBe(1);
		expect(hints).toEqual([]);
	});

	it('returns 50 by default, and exactly as many as the limit', async () => {
		const world = await assetWorld();
		expect(await records(run(world, list))).toEqual(assets.slice(0, 50));
		expect(await records(run(world, { ...list, limit: 130 }))).toEqual(assets.slice(0, 130));
		expect(world.service.to(ASSETS).map(({ query }) => query['limit'])).toEqual([
			'50',
			'100',
			'30',
		]);
	});

	it('ends after one repeated page with a message if the service ignores the cursor', async () => {
		const world = await serving((request) => pages(assets, { ...request, query: {} }));
		const { items, hints } = await run(world, { ...list, returnAll: true });
		expect(items.map(({ json }) => json)).toEqual(assets.slice(0, 20));
		expect(world.service.to(ASSETS)).toHaveLength(2);
		expect(hints).toMatchObject([{ type: 'warning', message: containing('incomplete') }]);
	});

	it('ends with an error after a million records if the service invents more and more', async () => {
		let next = 0;
		const world = await serving(() => {
			const items = Array.from({ length: 50_000 }, () => ({ id: `invented_${(next += 1)}` }));
			return { body: { items, hasMore: true } };
		});
		expect(await failure(run(world, { ...list, returnAll: true }))).toMatchObject({
			message: 'The list has more than 1,000,000 records',
			description: containing("'Limit'"),
		});
		expect(next).toBeLessThan(1_200_000);
	}, 60_000);

	it('sends filters and query parameters', async () => {
		const world = await assetWorld();
		await records(
			run(world, {
				...list,
				filters: { chargingStationMake: 'ABB & Co', assetGroups: 'g1,g2', firmwareVersion: '' },
				options: { queryParameters: { parameter: [{ name: 'sort', value: '-createdAt' }] } },
			}),
		);
		expect(world.service.to(ASSETS)[0]?.query).toEqual({
			chargingStationMake: 'ABB & Co',
			assetGroups: 'g1,g2',
			sort: '-createdAt',
			limit: '50',
		});
	});

	it('finds assets by words of their names, in any case and order, up to the limit', async () => {
		const named = ['Harbour Street 1', 'Harbour Street 2', 'Quay 1', 'Harbour Street 12'];
		const all = named.map((name, n) => ({ id: `as_${n}`, chargingStation: { name } }));
		const world = await serving((request) => pages(all, request));
		const found = async (name: string, limit = 50) => {
			const items = await records(
				run(world, { ...list, limit, simplify: true, filters: { name } }),
			);
			return items.map((item) => item['name']);
		};
		expect(await found('1 harbour')).toEqual(['Harbour Street 1', 'Harbour Street 12']);
		expect(await found('STREET', 2)).toEqual(['Harbour Street 1', 'Harbour Street 2']);
		expect(await found('as_2')).toEqual(['Quay 1']);
		expect(await found('nowhere')).toEqual([]);
		expect(world.service.to(ASSETS)[0]?.query).not.toHaveProperty('name');
	});

	it('reads an unknown envelope at the path that the user gives', async () => {
		const world = await serving(() => ({
			body: { result: { rows: [{ id: 1 }], hasMore: false } },
		}));
		const options = { itemsPath: 'result.rows' };
		expect(await records(run(world, { ...list, options }))).toEqual([{ id: 1 }]);
		expect(await failure(run(world, list))).toMatchObject({
			message: containing("'result'"),
			description: containing('Items Path'),
		});
	});

	it('fetches one token for fifty concurrent executions', async () => {
		const world = await assetWorld();
		const runs = Array.from({ length: 50 }, () => records(run(world, { ...list, limit: 1 })));
		expect(await Promise.all(runs)).toEqual(runs.map(() => [assets[0]]));
		expect(world.tokensAskedFor()).toBe(1);
		expect(world.service.to(ASSETS)).toHaveLength(50);
	});

	it('stops sending requests when the execution is cancelled', async () => {
		const { opened: underWay, open: asked } = gate();
		const { opened: cut, open: closed } = gate();
		const world = await serving((_request, { response }) => {
			response.on('close', closed);
			asked();
			return undefined;
		});
		const oneByOne = { ...list, options: { parallelItems: 1 } };
		const started = startNode(optionsFor(world, oneByOne, { input: [{}, {}, {}] }));
		await underWay;
		started.cancel();
		const { run: stored, error } = await started.finished;
		await cut;
		expect(error?.message).toBe('The execution was canceled.');
		expect(stored.status).toBe('canceled');
		expect(world.service.to(ASSETS)).toHaveLength(1);
	});
});

it.each(expectedLists)(
	'a list of the resource %s returns its records unchanged',
	async (resource, { path, parameters }) => {
		const world = await serving(() => ({ body: [{ id: 'r_1', payload: {} }] }));
		const all = { operation: 'getAll', returnAll: true, simplify: false };
		expect(await records(run(world, { resource, ...all, ...parameters }))).toEqual([
			{ id: 'r_1', payload: {} },
		]);
		expect(world.service.requests.at(-1)).toMatchObject({ path, query: { limit: '100' } });
	},
);

describe('deliveries', () => {
	const deliveries = Array.from({ length: 250 }, (_, index) => ({
		id: `del_${index}`,
		status: index % 10 === 0 ? 'failed' : 'success',
	}));
	const getAll = { resource: 'delivery', operation: 'getAll', endpointId: 'we_1', simplify: false };

	it.each<[string, INodeParameters['endpointId']]>([
		['as plain text', 'we_1'],
		['by ID', { __rl: true, mode: 'id', value: 'we_1' }],
		['by URL', { __rl: true, mode: 'url', value: `https://api.example.com${DELIVERIES}?limit=1` }],
		['by expression', '={{ "we_" + 1 }}'],
	])('lists deliveries of an endpoint given %s', async (_name, endpointId) => {
		const world = await serving((request) => pages(deliveries, request));
		const found = await records(run(world, { ...getAll, endpointId, limit: 3 }));
		expect(found).toEqual(deliveries.slice(0, 3));
		expect(world.service.requests.at(-1)?.path).toBe(DELIVERIES);
	});

	it('lists exactly the limit of failed deliveries even if the service does not filter', async () => {
		const world = await serving((request) => pages(deliveries, request));
		const failed = deliveries.filter(({ status }) => status === 'failed');
		const parameters = { ...getAll, status: 'failed' };
		expect(await records(run(world, { ...parameters, limit: 12 }))).toEqual(failed.slice(0, 12));
		expect(await records(run(world, { ...parameters, returnAll: true }))).toEqual(failed);
		expect(world.service.to(DELIVERIES)[0]?.query).toEqual({ status: 'failed', limit: '100' });
		expect(await records(run(world, { ...getAll, status: 'success', limit: 2 }))).toEqual(
			deliveries.slice(1, 3),
		);
	});

	it('reports that the deliveries have no status to filter by', async () => {
		const world = await serving(() => ({
			body: { items: [{ id: 'del_1', state: 'failed' }], hasMore: false },
		}));
		const { items, hints } = await run(world, { ...getAll, status: 'failed' });
		expect(items).toEqual([]);
		expect(hints).toMatchObject([{ message: containing("'status'") }]);
	});

	it('requires the endpoint and the delivery', async () => {
		const world = await serving(() => ({ body: [] }));
		const resend = { resource: 'delivery', operation: 'resend' };
		const rl = { __rl: true, mode: 'id', value: '={{ "" }}' };
		expect(await failure(run(world, { ...getAll, endpointId: rl }))).toMatchObject({
			message: "'Endpoint' is empty",
		});
		expect(
			await failure(run(world, { ...resend, endpointId: 'we_1', deliveryId: '={{ "" }}' })),
		).toMatchObject({ message: "'Delivery' is empty" });
		expect(world.service.requests).toEqual([]);
	});
});
