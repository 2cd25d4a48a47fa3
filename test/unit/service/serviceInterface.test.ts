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
