import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { AssetServiceApi } from '../../../credentials/AssetServiceApi.credentials';
import { AssetService } from '../../../nodes/AssetService/AssetService.node';
import type { Answer, Handler, SeenRequest } from '../../support/httpService';
import { runNode, startNode, type NodeResult, type NodeRunOptions } from '../../support/runNode';
import {
	SECRET,
	startWorld,
	stopWorlds,
	type World,
	type WorldOptions,
} from '../../unit/service/world';

const ASSETS = '/asset-management/v1/assets';
const EVENTS = '/webhooks/v1/webhook-events';
const ENDPOINTS = '/webhooks/v1/webhook-endpoints';
const DELIVERIES = `${ENDPOINTS}/we_1/deliveries`;

afterEach(stopWorlds);

const assets = Array.from({ length: 230 }, (_, index) => ({
	id: `as_${index}`,
	type: 'charging-station',
	chargingStation: { serialNumber: null, connectors: [{ id: 1 }] },
}));

/** Serves these records page by page, as the service does. */
function pages(records: readonly { id: string }[], { query }: SeenRequest): Answer {
	const start = records.findIndex(({ id }) => id === query['startingAfter']) + 1;
	const end = start + Number(query['limit'] ?? 20);
	return { body: { data: { items: records.slice(start, end), hasMore: end < records.length } } };
}

/** Matches a text with this in it. */
const containing = (text: string) => expect.stringContaining(text) as string;

const serving = (api: Handler, options: WorldOptions = {}) => startWorld({ api, ...options });
const assetWorld = (options: WorldOptions = {}) =>
	serving((request) => pages(assets, request), options);

function optionsFor(
	world: World,
	parameters: INodeParameters,
	more: Partial<NodeRunOptions> = {},
): NodeRunOptions {
	return {
		node: new AssetService(),
		credentials: [{ type: new AssetServiceApi(), data: { ...world.settings } }],
		parameters,
		...more,
	};
}

const list = { resource: 'asset', operation: 'getAll' };
const run = (world: World, parameters: INodeParameters, more: Partial<NodeRunOptions> = {}) =>
	runNode(optionsFor(world, parameters, more));

/** The records of a run that must not have failed. */
async function records(result: Promise<NodeResult>): Promise<IDataObject[]> {
	const { items, error } = await result;
	expect(error).toBeUndefined();
	return items.map(({ json }) => json);
}

/** The error of a run that must have failed, with nothing secret in anything that n8n would store. */
async function failure(result: Promise<NodeResult>) {
	const { error, run: stored } = await result;
	if (!error) throw new Error('the node was expected to fail');
	// The credential itself is not part of an execution, so the secret must be nowhere.
	for (const text of [JSON.stringify(stored), JSON.stringify(error), error.message]) {
		expect(text).not.toContain(SECRET);
		expect(text).not.toContain(JSON.stringify(SECRET).slice(1, -1));
		expect(text).not.toMatch(/token-\d/);
	}
	return error;
}

describe('a list of assets', () => {
	it('brings 230 of 3 pages once each, untouched, over one connection', async () => {
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

	it('brings 50 by default, and exactly as many as the limit says', async () => {
		const world = await assetWorld();
		expect(await records(run(world, list))).toEqual(assets.slice(0, 50));
		expect(await records(run(world, { ...list, limit: 130 }))).toEqual(assets.slice(0, 130));
		expect(world.service.to(ASSETS).map(({ query }) => query['limit'])).toEqual([
			'50',
			'100',
			'30',
		]);
	});

	it('ends after one repeated page and says so when the service ignores the cursor', async () => {
		const world = await serving((request) => pages(assets, { ...request, query: {} }));
		const { items, hints } = await run(world, { ...list, returnAll: true });
		expect(items.map(({ json }) => json)).toEqual(assets.slice(0, 20));
		expect(world.service.to(ASSETS)).toHaveLength(2);
		expect(hints).toMatchObject([{ type: 'warning', message: containing('incomplete') }]);
	});

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

	it('reads an envelope that it does not know from where the user says', async () => {
		const world = await serving(() => ({ body: { result: { rows: [{ id: 1 }] } } }));
		const options = { itemsPath: 'result.rows' };
		expect(await records(run(world, { ...list, options }))).toEqual([{ id: 1 }]);
		expect(await failure(run(world, list))).toMatchObject({
			message: containing('“result”'),
			description: containing('Items Path'),
		});
	});

	it.each(['limit', 'startingAfter'])('refuses the query parameter %s', async (name) => {
		const options = { queryParameters: { parameter: [{ name, value: '1' }] } };
		const world = await assetWorld();
		expect(await failure(run(world, { ...list, options }))).toMatchObject({
			message: `The query parameter “${name}” belongs to the paging.`,
		});
	});

	it('fetches one token for fifty runs at the same time', async () => {
		const world = await assetWorld();
		const runs = Array.from({ length: 50 }, () => records(run(world, { ...list, limit: 1 })));
		expect(await Promise.all(runs)).toEqual(runs.map(() => [assets[0]]));
		expect(world.tokensAskedFor()).toBe(1);
		expect(world.service.to(ASSETS)).toHaveLength(50);
	});

	it.each(['stopWorkflow', 'continueRegularOutput'] as const)(
		'stops asking when the execution is cancelled (%s)',
		async (onError) => {
			let asked: () => void = () => undefined;
			const underWay = new Promise<void>((resolve) => (asked = resolve));
			let closed: () => void = () => undefined;
			const cut = new Promise<void>((resolve) => (closed = resolve));
			const world = await serving((_request, { response }) => {
				response.on('close', closed);
				asked();
				return undefined;
			});
			const started = startNode(optionsFor(world, list, { input: [{}, {}, {}], onError }));
			await underWay;
			started.cancel();
			const { run: stored, error } = await started.finished;
			await cut;
			expect(error?.message).toBe('The execution was canceled.');
			expect(stored.status).toBe('canceled');
			expect(world.service.to(ASSETS)).toHaveLength(1);
		},
	);
});

describe('events and deliveries', () => {
	it('lists events', async () => {
		const world = await serving(() => ({ body: [{ id: 'whevt_1', payload: {} }] }));
		const parameters = { resource: 'event', operation: 'getAll', returnAll: true };
		expect(await records(run(world, parameters))).toEqual([{ id: 'whevt_1', payload: {} }]);
		expect(world.service.requests.at(-1)).toMatchObject({ path: EVENTS, query: { limit: '100' } });
	});

	const deliveries = Array.from({ length: 250 }, (_, index) => ({
		id: `del_${index}`,
		status: index % 10 === 0 ? 'failed' : 'success',
	}));
	const getAll = { resource: 'delivery', operation: 'getAll', endpointId: 'we_1' };

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

	it('lists exactly so many failed deliveries although the service does not filter', async () => {
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

	it('says so when the deliveries have no status to filter by', async () => {
		const world = await serving(() => ({ body: [{ id: 'del_1', state: 'failed' }] }));
		const { items, hints } = await run(world, { ...getAll, status: 'failed' });
		expect(items).toEqual([]);
		expect(hints).toMatchObject([{ message: containing('“status”') }]);
	});

	it('asks for the endpoint and the delivery when they are empty', async () => {
		const world = await serving(() => ({ body: [] }));
		const resend = { resource: 'delivery', operation: 'resend' };
		const rl = { __rl: true, mode: 'id', value: '={{ "" }}' };
		expect(await failure(run(world, { ...getAll, endpointId: rl }))).toMatchObject({
			message: 'Endpoint is empty.',
		});
		expect(
			await failure(run(world, { ...resend, endpointId: 'we_1', deliveryId: '={{ "" }}' })),
		).toMatchObject({ message: 'Delivery ID is empty.' });
		expect(world.service.requests).toEqual([]);
	});

	it('resends a delivery', async () => {
		const world = await serving(() => ({ body: { data: { id: 'del_1', status: 'success' } } }));
		const parameters = { resource: 'delivery', operation: 'resend', deliveryId: 'del_1' };
		expect(await records(run(world, { ...parameters, endpointId: 'we_1' }))).toEqual([
			{ id: 'del_1', status: 'success' },
		]);
		expect(world.service.requests.at(-1)).toMatchObject({
			method: 'POST',
			path: `${DELIVERIES}/del_1/resend`,
		});
	});
});

describe('webhook endpoints', () => {
	const create = {
		resource: 'webhookEndpoint',
		operation: 'create',
		url: 'https://n8n.example.com/webhook/1',
		events: ['ocpp.message', ' asset.connectivity ', 'ocpp.message'],
	};
	const made = { data: { id: 'we_1', secret: 'whsec_1', note: 'keep whsec_1 safe', n: [null, 1] } };

	it('are created, and show their secret', async () => {
		const world = await serving(() => ({ status: 201, body: made }));
		expect(await records(run(world, create))).toEqual([made.data]);
		const request = world.service.requests.at(-1);
		expect(request).toMatchObject({ method: 'POST', path: ENDPOINTS });
		expect(JSON.parse(request?.body ?? '')).toEqual({
			url: create.url,
			events: ['ocpp.message', 'asset.connectivity'],
		});
	});

	it('are created without their secret anywhere in the output when it is to be left out', async () => {
		const world = await serving(() => ({ status: 201, body: made }));
		const result = run(world, { ...create, includeSecret: false });
		expect(await records(result)).toEqual([
			{ id: 'we_1', note: 'keep [redacted] safe', n: [null, 1] },
		]);
		expect(JSON.stringify((await result).run)).not.toContain('whsec_1');
	});

	it.each([
		['http://n8n.example.com/webhook', 'URL is not an https address.'],
		['n8n.example.com', 'URL is not an https address.'],
		['={{ "" }}', 'URL is empty.'],
	])('are not created for %s', async (url, message) => {
		const world = await serving(() => ({ body: made }));
		expect(await failure(run(world, { ...create, url }))).toMatchObject({ message });
		expect(world.service.requests).toEqual([]);
	});

	it('are not created without events', async () => {
		const world = await serving(() => ({ body: made }));
		expect(await failure(run(world, { ...create, events: '={{ [] }}' }))).toMatchObject({
			message: 'Events is empty.',
		});
	});

	it('are deleted', async () => {
		const world = await serving(() => ({ status: 204 }));
		const remove = { resource: 'webhookEndpoint', operation: 'delete', endpointId: 'we_1' };
		expect(await records(run(world, remove))).toEqual([{ success: true }]);
		expect(world.service.requests.at(-1)).toMatchObject({
			method: 'DELETE',
			path: `${ENDPOINTS}/we_1`,
		});
	});

	it('that are not there cannot be deleted', async () => {
		const world = await serving(() => ({ status: 404 }));
		const remove = { resource: 'webhookEndpoint', operation: 'delete', endpointId: 'we_1' };
		expect(await failure(run(world, remove))).toMatchObject({
			message: 'The service knows no such endpoint.',
			httpCode: '404',
		});
	});
});

describe('an error', () => {
	it.each<[string, WorldOptions, object, RegExp]>([
		['a wrong client secret', { token: () => ({ status: 401 }) }, {}, /Client Secret/],
		['an empty field', {}, { clientId: '' }, /^Client ID is empty/],
		['a wrong Base URL', {}, { baseUrl: 'http://127.0.0.1:1' }, /Base URL/],
		['another service at Base URL', { api: () => ({ status: 404 }) }, {}, /^Base URL/],
		['a wrong Auth URL', { token: () => ({ body: '<html>' }) }, {}, /^Auth URL/],
		['a wrong audience', { token: () => ({ status: 403 }) }, {}, /Audience/],
		['a refused fresh token', { api: () => ({ status: 401 }) }, {}, /^Audience/],
		['a lacking scope', { api: () => ({ status: 403 }) }, {}, /is not allowed to list assets/],
	])(
		'names the field to correct after %s, and holds no secret',
		async (_name, options, change, words) => {
			const world = await assetWorld(options);
			const credentials = [{ type: new AssetServiceApi(), data: { ...world.settings, ...change } }];
			const error = await failure(run(world, list, { credentials }));
			expect(error.message).toMatch(words);
			expect(error.description).toMatch(/./);
		},
	);

	it('holds no secret where the service repeats it', async () => {
		const world = await serving(({ headers }) => ({
			status: 400,
			body: { message: `${SECRET} ${headers.authorization ?? ''}` },
		}));
		expect((await failure(run(world, list))).message).toContain('[redacted]');
	});

	const perItem = {
		resource: 'delivery',
		operation: 'getAll',
		endpointId: { __rl: true, mode: 'id', value: '={{ $json.endpoint }}' },
	};
	const input = ['we_1', 'we_bad', 'we_1'].map((endpoint) => ({ endpoint }));
	const picky: Handler = ({ path }) =>
		path.includes('we_bad')
			? { status: 404, body: { message: 'unknown endpoint' } }
			: { body: { data: [{ id: 'del_1' }, { id: 'del_2' }] } };

	it('of one input item ends the run by default, and says which', async () => {
		const world = await serving(picky);
		expect(await failure(run(world, perItem, { input }))).toMatchObject({
			message: containing('unknown endpoint'),
			context: { itemIndex: 1 },
		});
	});

	it('of one input item becomes an item where the node is to continue', async () => {
		const world = await serving(picky);
		const { items } = await run(world, perItem, { input, onError: 'continueRegularOutput' });
		expect(items.map(({ json, pairedItem }) => [json['id'] ?? json['error'], pairedItem])).toEqual([
			['del_1', { item: 0 }],
			['del_2', { item: 0 }],
			[containing('unknown endpoint'), { item: 1 }],
			['del_1', { item: 2 }],
			['del_2', { item: 2 }],
		]);
		expect(world.tokensAskedFor()).toBe(1);
		expect(world.service.connections()).toBe(1);
	});

	it('of one input item goes to the error output where there is one, with its input', async () => {
		const world = await serving(picky);
		const { items, errorItems } = await run(world, perItem, {
			input,
			onError: 'continueErrorOutput',
		});
		expect(items).toHaveLength(4);
		expect(errorItems.map(({ json }) => json)).toMatchObject([
			{ endpoint: 'we_bad', error: containing('unknown endpoint') },
		]);
	});
});
