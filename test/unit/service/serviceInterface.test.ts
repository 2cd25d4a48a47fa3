import { parseApiSettings, SERVICE_INTERFACE } from '../../../lib/service';
import type { Handler } from '../../support/httpService';
import { ASSETS, clientOf } from './client';
import { good, refusal } from './entered';
import { all, startWorld, stopWorlds } from './world';

afterEach(stopWorlds);

const parse = (serviceInterface: unknown) =>
	parseApiSettings({ ...good, serviceInterface }).serviceInterface;

/** A client of a service with an interface of its own. */
const start = async (entered: object, api: Handler) => {
	const world = await startWorld({ api });
	const settings = parseApiSettings({ ...world.settings, serviceInterface: entered });
	return { world, ...clientOf(world, { settings }) };
};

describe('the service interface of the credential', () => {
	it.each([undefined, null, {}, '', { limitParameter: '  ', pageSize: '', other: 'x' }])(
		'is the default where nothing was entered: %j',
		(entered) => {
			expect(parse(entered)).toEqual(SERVICE_INTERFACE);
		},
	);

	it('takes each value as entered, without white space around it', () => {
		const entered = {
			pageSize: ' 20 ',
			limitParameter: ' page[size] ',
			cursorParameter: '$after',
			itemsPath: 'result.assets, result.events ',
			hasMorePath: 'result.more',
			nextCursorPath: 'result.next',
			eventIdPath: 'meta.id',
			eventTypePath: 'kind',
			eventTimePath: 'meta.at',
			eventPayloadPath: 'body',
			eventAssetIdPath: 'device,body.device',
			succeededWords: 'ok, delivered',
			failedWords: 'error',
			endpointsPath: '/v2/hooks/',
			resendPath: '/v2/hooks/{endpoint_id}/deliveries/{delivery_id}:resend',
			endpointUrlField: 'target',
			endpointEventsField: 'types',
			endpointIdField: 'hook.uid',
			endpointSecretField: 'hook.signingSecret',
			connectedWords: 'up, da ',
			disconnectedWords: 'down,weg',
			connectionPath: 'link.state',
		};
		expect(parse(entered)).toEqual({
			...entered,
			connectedWords: 'up, da',
			itemsPath: 'result.assets, result.events',
			pageSize: 20,
			limitParameter: 'page[size]',
			endpointsPath: '/v2/hooks',
			resendPath: '/v2/hooks/{endpointId}/deliveries/{deliveryId}:resend',
		});
	});

	it.each<[string, string, readonly unknown[]]>([
		['pageSize', 'Page Size', [-1, 1.5, 10_001, 'many', '0x10', true, {}]],
		['limitParameter', 'Limit Parameter', ['a b', 'a=b', 'a?', 'a&b', 7, 'x'.repeat(101)]],
		['cursorParameter', 'Cursor Parameter', ['a#b', 'limit', '\u0007', []]],
		[
			'endpointsPath',
			'Endpoints Path',
			['hooks', 'https://x.example/a', '/a?b', '/a/../b', '/', '/a//b', '/{endpointId}'],
		],
		[
			'resendPath',
			'Resend Path',
			['/resend', '/{deliveryId}/%2e%2e/x', '/{deliveryId}/{other}', 'x/{deliveryId}'],
		],
		['endpointUrlField', 'Endpoint URL Field', ['a b', 'x/y']],
		['endpointEventsField', 'Endpoint Events Field', ['url', 3]],
		['endpointIdField', 'Endpoint ID Field', ['i d']],
		['endpointSecretField', 'Endpoint Secret Field', ['id', false]],
		['connectedWords', 'Connected Words', [', ,', 7, 'a\u0007b', []]],
		['disconnectedWords', 'Disconnected Words', [SERVICE_INTERFACE.connectedWords, {}]],
		['connectionPath', 'Connection Path', ['link state', 3]],
		['itemsPath', 'Items Path', ['a/b', 7, 'x'.repeat(301)]],
		['hasMorePath', 'Has More Path', ['a?', []]],
		['nextCursorPath', 'Next Cursor Path', ['a=b', true]],
		['eventIdPath', 'Event ID Path', [', ,', 'a\u0007b']],
		['eventTypePath', 'Event Type Path', [',', {}]],
		['eventTimePath', 'Event Time Path', ['#a']],
		['eventPayloadPath', 'Event Payload Path', [7]],
		['eventAssetIdPath', 'Event Asset ID Path', [',']],
		['succeededWords', 'Succeeded Words', [',', 7]],
		['failedWords', 'Failed Words', [SERVICE_INTERFACE.succeededWords]],
	])('refuses a wrong %s and names it', (field, label, values) => {
		for (const value of values) {
			const error = refusal({ serviceInterface: { [field]: value } });
			expect({ value, field: error.field }).toEqual({ value, field });
			expect(error.message).toContain(label);
			expect(error.hint).toContain(label);
		}
	});

	it('names the parameters of a list, and bounds its pages', async () => {
		const { client, world } = await start(
			{ pageSize: 2, limitParameter: 'take', cursorParameter: 'after' },
			({ query }) => ({
				body: { data: { items: [{ id: `${query['after'] ?? ''}x` }], hasMore: !query['after'] } },
			}),
		);
		expect(await all(client.list('asset', { query: { limit: '9' } }))).toHaveLength(2);
		expect(world.service.to(ASSETS).map(({ query }) => query)).toEqual([
			{ limit: '9', take: '2' },
			{ limit: '9', take: '2', after: 'x' },
		]);
		for (const name of ['take', 'after']) {
			expect(() => client.list('asset', { query: { [name]: '1' } })).toThrow(
				`The query parameter '${name}' is reserved for paging`,
			);
		}
	});

	it('says where lists have their records, and where the next page begins', async () => {
		const pages = [
			{ result: { rows: [{ id: 'a' }], more: true, next: 'page two' } },
			{ result: { rows: [{ id: 'b' }, { name: 'odd' }], more: 'true', next: 3 } },
			{ result: { rows: [{ id: 'c' }], more: false, next: null } },
		];
		const paths = {
			itemsPath: 'result.rows',
			hasMorePath: 'result.more',
			nextCursorPath: 'result.next',
		};
		for (const entered of [paths, { ...paths, hasMorePath: '' }]) {
			let asked = 0;
			const { client, world } = await start(entered, () => ({ body: pages[asked++] }));
			expect(await all(client.list('asset', {}))).toEqual([{ id: 'a' }, { id: 'b' }, { id: 'c' }]);
			expect(world.service.to(ASSETS).map(({ query }) => query['startingAfter'])).toEqual([
				...[undefined, 'page two', '3'],
			]);
		}
	});

	it('is overridden by the path of an operation', async () => {
		const { client } = await start({ itemsPath: 'result.rows' }, () => ({
			body: { result: { rows: [] }, other: [{ id: 'a' }] },
		}));
		expect(await all(client.list('asset', { itemsPath: ' other ' }))).toEqual([{ id: 'a' }]);
		expect(await all(client.list('asset', { itemsPath: ' ' }))).toEqual([]);
	});

	it('warns of a list that has more, and does not say where', async () => {
		const paths = { hasMorePath: 'more', nextCursorPath: 'next' };
		const { client, warnings } = await start(paths, () => ({
			body: { items: [{ id: 'a' }], more: true },
		}));
		expect(await all(client.list('asset', {}))).toEqual([{ id: 'a' }]);
		expect(warnings).toMatchObject([expect.stringContaining('may be incomplete')]);
	});

	describe('of events that look otherwise', () => {
		const SENT = {
			kind: 'ocpp.message',
			meta: { uid: 7, at: '2026-01-01T00:00:00Z' },
			device: 'station-1',
			body: { action: 'Heartbeat', asset: { name: 'A' } },
			data: 'not the payload',
			site: 's',
		};
		const SHAPED = {
			...{ id: 7, type: 'ocpp.message', createdAt: '2026-01-01T00:00:00Z' },
			data: { action: 'Heartbeat', asset: { name: 'A', id: 'station-1' } },
			...{ meta: SENT.meta, device: 'station-1', site: 's' },
		};
		const PATHS = {
			...{ id: 'meta.uid', type: 'kind', time: 'meta.at', payload: 'body', assetId: 'device' },
		};
		const flat = {
			...{ eventIdPath: 'meta.uid', eventTypePath: 'kind', eventTimePath: 'meta.at' },
			...{ eventPayloadPath: 'body', eventAssetIdPath: 'device' },
		};

		it.each([
			['as one object', { eventPaths: PATHS }],
			['one by one', flat],
		])(
			'gives them the shape of delivered ones, with paths that are set %s',
			async (_how, entered) => {
				const { client } = await start(entered, () => ({
					body: { items: [SENT], hasMore: false },
				}));
				const pages = await Array.fromAsync(client.list('event', {}));
				expect(pages).toMatchObject([{ listed: [{ id: '7', record: SHAPED, sent: SENT }] }]);
				expect(Object.keys((await all(client.list('event', {})))[0] ?? {})).toEqual(
					Object.keys(SHAPED),
				);
			},
		);

		it('continues after the ID at the path, and leaves out what has none there', async () => {
			const { client, world, warnings } = await start({ eventPaths: PATHS }, ({ query }) => ({
				body: query['startingAfter']
					? { items: [{ meta: { uid: 8 } }], hasMore: false }
					: { items: [SENT, { id: 'a' }], hasMore: true },
			}));
			expect((await all(client.list('event', {}))).map(({ id }) => id)).toEqual([7, 8]);
			expect(world.service.requests.at(-1)?.query['startingAfter']).toBe('7');
			expect(warnings).toEqual([
				"left out 1 of the listed events (one, since it has no 'meta.uid'): ask the provider of the service",
			]);
			// Of other lists, it says nothing.
			expect(await all(client.list('asset', { itemsPath: 'none, items' }))).toEqual([{ id: 'a' }]);
		});

		it('continues after the ID of one that breaks a bound, too', async () => {
			const deep = `{"body":${'['.repeat(600)}${']'.repeat(600)},"meta":{"uid":"deep"}}`;
			const { client, world } = await start({ eventPaths: PATHS }, ({ query }) => ({
				body: query['startingAfter'] ? '[]' : `{"items":[${deep}],"hasMore":true}`,
			}));
			expect(await all(client.list('event', {}))).toEqual([]);
			expect(world.service.requests.at(-1)?.query['startingAfter']).toBe('deep');
		});

		it('says which setting is wrong if no event has an ID there', async () => {
			const { client } = await start({ eventPaths: { id: 'uid' } }, () => ({ body: [SENT, SENT] }));
			await expect(all(client.list('event', {}))).rejects.toMatchObject({
				message: "A page of the list of events has no record with an 'uid'",
				hint: expect.stringContaining("'Event ID Path'") as string,
			});
		});

		it('keeps an asset ID that the payload has, and a payload that is no object', async () => {
			const events = [
				{ ...SENT, body: { asset: { id: 'own' } } },
				{ ...SENT, meta: { uid: 8 }, body: 'text' },
				{ meta: { uid: 9 } },
			];
			const { client } = await start({ eventPaths: PATHS }, () => ({ body: events }));
			const shaped = await all(client.list('event', { limit: 3 }));
			expect(shaped.map(({ data }) => data)).toEqual([{ asset: { id: 'own' } }, 'text', undefined]);
		});
	});

	it('sends no limit at all for the page size 0', async () => {
		const { client, world } = await start({ pageSize: 0 }, ({ query }) => ({
			body: {
				items: [{ id: `${query['startingAfter'] ?? ''}x` }],
				hasMore: !query['startingAfter'],
			},
		}));
		expect(await all(client.list('event', { pageSize: 50 }))).toHaveLength(2);
		await client.webhookEndpointExists('we_1');
		const names = world.service.requests.flatMap(({ query }) => Object.keys(query));
		expect(names).toEqual(['startingAfter']);
	});

	it('says how endpoints are created, deleted and asked to resend', async () => {
		const { client, world } = await start(
			{
				endpointsPath: '/v2/hooks',
				resendPath: '/v2/resend/{deliveryId}',
				endpointUrlField: 'target',
				endpointEventsField: 'types',
				endpointIdField: 'hook.uid',
				endpointSecretField: 'hook.key',
			},
			() => ({ body: { hook: { uid: 7, key: 'whsec_1' } } }),
		);
		const made = await client.createWebhookEndpoint({ url: 'https://x.example', events: ['a'] });
		expect(made).toMatchObject({ id: '7', secret: 'whsec_1' });
		await client.deleteWebhookEndpoint('7/8');
		await client.resendDelivery('we_1', 'del/1');
		const [create, remove, resend] = world.service.requests.slice(1);
		expect(create).toMatchObject({ method: 'POST', path: '/v2/hooks' });
		expect(JSON.parse(create?.body ?? '')).toEqual({ target: 'https://x.example', types: ['a'] });
		expect(remove).toMatchObject({ method: 'DELETE', path: '/v2/hooks/7%2F8' });
		expect(resend).toMatchObject({ method: 'POST', path: '/v2/resend/del%2F1' });
	});
});
