import {
	createAccessTokens,
	createApiClient,
	type ApiClientOptions,
	type ListOptions,
	undiciTransport,
} from '../../../lib/service';
import type { Answer, Handler } from '../../support/httpService';
import { all, fakeRuntime, rejection, SECRET, startWorld, stopWorlds, type World } from './world';

afterEach(stopWorlds);

const ASSETS = '/asset-management/v1/assets';

function clientOf(world: World, options: Partial<ApiClientOptions> = {}) {
	const warnings: string[] = [];
	const client = createApiClient({
		settings: world.settings,
		transport: undiciTransport({ env: {} }),
		tokens: createAccessTokens(),
		runtime: fakeRuntime(),
		warn: (message) => warnings.push(message),
		...options,
	});
	return { client, warnings };
}

const start = async (api: Handler, options: Partial<ApiClientOptions> = {}) => {
	const world = await startWorld({ api });
	return { world, ...clientOf(world, options) };
};
const answering = (answer: Answer) => start(() => answer);
const listError = async (answer: Answer, options: ListOptions = {}) => {
	const { client, world } = await answering(answer);
	const error = await rejection(all(client.list('asset', options)));
	return { error, world };
};

describe('a list', () => {
	it.each([
		['asset', ASSETS],
		['event', '/webhooks/v1/webhook-events'],
	] as const)('of %s is asked for as specified', async (resource, path) => {
		const { client, world } = await answering({
			body: { data: { items: [{ id: 'a', n: null }] } },
		});
		const query = { assetGroups: 'g1,g2', 'odd name': 'ü&' };
		expect(await all(client.list(resource, { limit: 7, query }))).toEqual([{ id: 'a', n: null }]);
		expect(world.service.to(path)).toMatchObject([
			{
				method: 'GET',
				query: { ...query, limit: '7' },
				headers: { authorization: 'Bearer token-1' },
				body: '',
			},
		]);
	});

	it('of assets says application/json, as the specification has it', async () => {
		const { client, world } = await answering({ body: [] });
		await all(client.list('asset', {}));
		expect(world.service.to(ASSETS)[0]?.headers['content-type']).toBe('application/json');
	});

	it('of deliveries goes to the endpoint, its id encoded', async () => {
		const { client, world } = await answering({ body: { data: [{ id: 1 }] } });
		expect(await all(client.listDeliveries('we/1', {}))).toEqual([{ id: 1 }]);
		expect(world.service.requests.at(-1)?.path).toBe(
			'/webhooks/v1/webhook-endpoints/we%2F1/deliveries',
		);
	});

	it('warns when it may be incomplete', async () => {
		const { client, warnings } = await answering({
			body: { data: { items: [{ id: 'a' }], hasMore: true } },
		});
		expect(await all(client.list('asset', {}))).toEqual([{ id: 'a' }]);
		expect(warnings).toHaveLength(1);
	});

	it('is tried again after passing failures, and the token is kept', async () => {
		let asked = 0;
		const { client, world } = await start(() =>
			++asked < 4 ? { status: 503 } : { body: [{ id: 'a' }] },
		);
		expect(await all(client.list('asset', {}))).toEqual([{ id: 'a' }]);
		expect(world.service.to(ASSETS)).toHaveLength(4);
		expect(world.tokensAskedFor()).toBe(1);
	});

	it('gets a new token once after a 401, and goes on', async () => {
		const { client, world } = await start(({ headers }) =>
			headers.authorization === 'Bearer token-1' ? { status: 401 } : { body: [{ id: 'a' }] },
		);
		expect(await all(client.list('asset', {}))).toEqual([{ id: 'a' }]);
		expect(world.tokensAskedFor()).toBe(2);
	});

	it('gets one new token for many callers whose token was revoked', async () => {
		const { client, world } = await start(({ headers }) =>
			headers.authorization === 'Bearer token-1' ? { status: 401 } : { body: [] },
		);
		await Promise.all(Array.from({ length: 20 }, () => all(client.list('asset', {}))));
		expect(world.tokensAskedFor()).toBe(2);
	});

	it('ends when its caller cancels', async () => {
		const caller = new AbortController();
		const { client } = await start(
			() => {
				caller.abort(new Error('cancelled'));
				return undefined;
			},
			{ signal: caller.signal },
		);
		expect(await rejection(all(client.list('asset', {})))).toMatchObject({ message: 'cancelled' });
	});
});

describe('the error of a list', () => {
	it('names Audience when a fresh token is refused', async () => {
		const { error, world } = await listError({ status: 401, body: { message: 'jwt audience' } });
		expect(error).toMatchObject({
			field: 'audience',
			status: 401,
			message: expect.stringMatching(/^Audience .*401 Unauthorized: jwt audience/) as string,
		});
		expect(world.tokensAskedFor()).toBe(2);
	});

	it('speaks of the scope after a 403', async () => {
		const { error } = await listError({ status: 403, body: { error: 'insufficient_scope' } });
		expect(error).toMatchObject({
			status: 403,
			message: expect.stringContaining('is not allowed to list assets') as string,
			hint: expect.stringContaining('scope') as string,
		});
	});

	it.each<[string, Answer]>([
		['a 404', { status: 404 }],
		['a 405', { status: 405 }],
		['a page', { body: '<html>' }],
		['nothing', { body: '' }],
		['a redirect', { status: 301, headers: { location: 'https://www.example.com' } }],
	])('names Base URL after %s', async (_name, answer) => {
		expect((await listError(answer)).error).toMatchObject({
			field: 'baseUrl',
			message: expect.stringContaining('Base URL') as string,
			hint: expect.stringContaining('Base URL') as string,
		});
	});

	it('names Base URL when nobody answers there', async () => {
		const world = await startWorld();
		const { client } = clientOf(world, {
			settings: { ...world.settings, baseUrl: 'http://127.0.0.1:1' },
		});
		expect(await rejection(all(client.list('asset', {})))).toMatchObject({
			field: 'baseUrl',
			message: `Could not reach http://127.0.0.1:1${ASSETS} (Base URL): the connection was refused.`,
		});
	});

	it('names the endpoint when its deliveries are not found', async () => {
		const { client } = await answering({ status: 404, body: { message: 'no such endpoint' } });
		expect(await rejection(all(client.listDeliveries('we_1', {})))).toMatchObject({
			status: 404,
			field: undefined,
			message: expect.stringContaining('no such endpoint') as string,
			hint: expect.stringContaining('endpoint ID') as string,
		});
	});

	it('says how long the service asks to wait', async () => {
		const { error } = await listError({ status: 429, headers: { 'retry-after': '90' } });
		expect(error).toMatchObject({ status: 429, hint: 'Try again in 90 seconds.' });
	});

	it.each<[Answer, string]>([
		[{ status: 429 }, 'too often'],
		[{ status: 500, body: { errors: [{ message: 'database' }] } }, 'fault of its own'],
		[{ status: 400, body: { message: 'limit is odd' } }, 'values of this request'],
	])('tells the status and what to do: %j', async (answer, hint) => {
		const { error } = await listError(answer);
		expect(error).toMatchObject({
			status: answer.status,
			hint: expect.stringContaining(hint) as string,
		});
	});

	it('tells what the service gives as the reason', async () => {
		const body = { error: { message: 'one' }, error_description: 'two', errors: ['three', 'one'] };
		expect((await listError({ status: 400, body })).error).toMatchObject({
			message: expect.stringContaining('answered 400 Bad Request: two; one; three.') as string,
		});
	});

	it('holds neither secret nor token where the service repeats them', async () => {
		const body = { message: `${SECRET} Bearer token-1`, data: { [SECRET]: 1, 'token-1': 2 } };
		for (const answer of [{ status: 400, body }, { body }, { status: 403, body }]) {
			const { error } = await listError(answer);
			const { message, hint } = error as { message: string; hint: string };
			expect(message).toContain('[redacted]');
			expect(message + hint).not.toContain('token-1');
			expect(message + hint).not.toContain('top-secret');
		}
	});

	it('is that of the options when they are bad, before anything is sent', async () => {
		const { client, world } = await answering({ body: [] });
		expect(() => client.list('asset', { limit: 0 })).toThrow('Limit');
		expect(() => client.list('asset', { query: { limit: '1' } })).toThrow('limit');
		expect(() => client.listDeliveries('..', {})).toThrow('Endpoint ID is not an ID.');
		expect(world.service.requests).toEqual([]);
	});
});

describe('an operation that changes something', () => {
	const RESEND = '/webhooks/v1/webhook-endpoints/we_1/deliveries/del_1/resend';

	it('resends a delivery', async () => {
		const { client, world } = await answering({
			body: { data: { id: 'del_1', status: 'success' } },
		});
		expect(await client.resendDelivery('we_1', 'del_1')).toEqual({
			id: 'del_1',
			status: 'success',
		});
		expect(world.service.requests.at(-1)).toMatchObject({ method: 'POST', path: RESEND, body: '' });
	});

	it.each<[string, Answer, unknown]>([
		['data', { body: { data: { a: 1 } } }, { a: 1 }],
		['the answer', { body: { a: 1 } }, { a: 1 }],
		['the answer when data is a list', { body: { data: [1] } }, { data: [1] }],
		['a value', { body: '"done"' }, { value: 'done' }],
		['success', { status: 204 }, { success: true }],
	])('gives %s', async (_name, answer, expected) => {
		const { client } = await answering(answer);
		expect(await client.resendDelivery('we_1', 'del_1')).toEqual(expected);
	});

	it.each([
		['in data', { data: { id: 'we_1', secret: 'whsec_1', url: 'u' } }],
		['beside', { id: 'we_1', secret: 'whsec_1', url: 'u' }],
	])('creates an endpoint and finds its id and secret %s', async (_name, body) => {
		const { client, world } = await answering({ status: 201, body });
		const input = { url: 'https://n8n.example.com/webhook', events: ['ocpp.message'] };
		expect(await client.createWebhookEndpoint(input)).toEqual({
			id: 'we_1',
			secret: 'whsec_1',
			record: { id: 'we_1', secret: 'whsec_1', url: 'u' },
		});
		const request = world.service.requests.at(-1);
		expect(request).toMatchObject({
			method: 'POST',
			path: '/webhooks/v1/webhook-endpoints',
			headers: { 'content-type': 'application/json' },
		});
		expect(JSON.parse(request?.body ?? '')).toEqual(input);
	});

	it('takes a number as id, and tells when there is neither id nor secret', async () => {
		const { client } = await answering({ body: { id: 7 } });
		const input = { url: 'https://x.example', events: [] };
		expect(await client.createWebhookEndpoint(input)).toEqual({ id: '7', record: { id: 7 } });
		const { client: other } = await answering({ body: { id: '', secret: '' } });
		expect(await other.createWebhookEndpoint(input)).toEqual({ record: { id: '', secret: '' } });
	});

	it('deletes an endpoint, and tells when there was none', async () => {
		const { client, world } = await answering({ status: 204 });
		expect(await client.deleteWebhookEndpoint('we_1')).toEqual({
			existed: true,
			record: { success: true },
		});
		expect(world.service.requests.at(-1)).toMatchObject({
			method: 'DELETE',
			path: '/webhooks/v1/webhook-endpoints/we_1',
			body: '',
		});
		for (const status of [404, 410]) {
			const { client: other } = await answering({ status });
			expect(await other.deleteWebhookEndpoint('we_1')).toMatchObject({ existed: false });
		}
	});

	it('is sent once, however it fails', async () => {
		for (const answer of [{ status: 503, headers: { 'retry-after': '1' } }, undefined]) {
			const { client, world } = await start((_request, { response }) => {
				if (answer === undefined) response.destroy();
				return answer;
			});
			await rejection(client.resendDelivery('we_1', 'del_1'));
			expect(world.service.to(RESEND)).toHaveLength(1);
		}
	});

	it('tells that it may have been carried out when no answer came', async () => {
		const { client } = await start((_request, { response }) => {
			response.destroy();
			return undefined;
		});
		expect(await rejection(client.deleteWebhookEndpoint('we_1'))).toMatchObject({
			hint: expect.stringContaining('may have carried the request out') as string,
		});
	});

	it('is sent again with a new token after a 401, which changed nothing', async () => {
		const { client, world } = await start(({ headers }) =>
			headers.authorization === 'Bearer token-1' ? { status: 401 } : { body: { done: true } },
		);
		expect(await client.resendDelivery('we_1', 'del_1')).toEqual({ done: true });
		expect(world.service.to(RESEND)).toHaveLength(2);
	});
});
