import type { ApiError } from '../../../lib/service';
import type { Answer } from '../../support/httpService';
import { answering, clientOf, start } from './client';
import { rejection, stopWorlds } from './world';

afterEach(stopWorlds);

describe('an operation that changes something', () => {
	const RESEND = '/webhooks/v1/webhook-endpoints/we_1/deliveries/del_1/resend';
	const input = { url: 'https://n8n.example.com/webhook', events: ['ocpp.message'] };

	it('resends a delivery', async () => {
		const resent = { id: 'del_1', status: 'success' };
		const { client, world } = await answering({ body: { data: resent } });
		expect(await client.resendDelivery('we_1', 'del_1')).toEqual(resent);
		expect(world.service.requests.at(-1)).toMatchObject({ method: 'POST', path: RESEND, body: '' });
	});

	it.each<[string, Answer, unknown]>([
		['data', { body: { data: { a: 1 } } }, { a: 1 }],
		['the response', { body: { a: 1 } }, { a: 1 }],
		['the response when data is a list', { body: { data: [1] } }, { data: [1] }],
		['a value', { body: '"done"' }, { value: 'done' }],
		['success', { status: 204 }, { success: true }],
	])('gives %s', async (_name, answer, expected) => {
		const { client } = await answering(answer);
		expect(await client.resendDelivery('we_1', 'del_1')).toEqual(expected);
	});

	it.each([
		['an error', { error: 'No such delivery' }],
		['a list of errors', { errors: [{ message: 'No such delivery' }] }],
		['an error next to a list', { data: [], error: { message: 'No such delivery' } }],
	])('fails when a success holds %s', async (_name, body) => {
		const { client } = await answering({ body });
		expect(await rejection(client.resendDelivery('we_1', 'del_1'))).toMatchObject({
			message: expect.stringContaining('with status 200: No such delivery') as string,
			hint: expect.stringContaining('Delivery > Get Many before you repeat it') as string,
		});
		expect(await rejection(client.createWebhookEndpoint(input))).toMatchObject({
			hint: expect.stringContaining('look for an endpoint with this URL at the service') as string,
		});
	});

	it('ignores an error that is empty or next to data', async () => {
		const { client } = await answering({ body: { data: { id: 'del_1' }, error: 'old' } });
		expect(await client.resendDelivery('we_1', 'del_1')).toEqual({ id: 'del_1' });
		const { client: other } = await answering({ body: { id: 'del_1', error: null, errors: [] } });
		expect(await other.resendDelivery('we_1', 'del_1')).toMatchObject({ id: 'del_1' });
	});

	it.each([
		['in data', { data: { id: 'we_1', secret: 'whsec_1', url: 'u' } }],
		['next to it', { id: 'we_1', secret: 'whsec_1', url: 'u' }],
	])('creates an endpoint and finds its id and secret %s', async (_name, body) => {
		const { client, world } = await answering({ status: 201, body });
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

	it('accepts a number as ID, and reports if there is neither ID nor secret', async () => {
		const { client } = await answering({ body: { id: 7 } });
		expect(await client.createWebhookEndpoint(input)).toEqual({ id: '7', record: { id: 7 } });
		const { client: other } = await answering({ body: { id: '', secret: '' } });
		expect(await other.createWebhookEndpoint(input)).toEqual({ record: { id: '', secret: '' } });
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

	it('reports that it may have been executed if there was no response', async () => {
		const { client } = await start((_request, { response }) => {
			response.destroy();
			return undefined;
		});
		expect(await rejection(client.deleteWebhookEndpoint('we_1'))).toMatchObject({
			hint: expect.stringContaining('may have processed the request anyway') as string,
		});
	});

	it('reports that it was never sent if there was no connection', async () => {
		const { world } = await answering({ body: {} });
		const { client } = clientOf({
			...world,
			settings: { ...world.settings, baseUrl: 'http://127.0.0.1:1' },
		});
		const { hint } = (await rejection(client.deleteWebhookEndpoint('we_1'))) as ApiError;
		expect(hint).toContain('never sent, so nothing has changed');
		expect(hint).not.toContain('may have carried');
	});

	it.each([500, 502, 504])('also reports this after %d, and where to look', async (status) => {
		const { client } = await answering({ status, body: 'upstream' });
		const create = client.createWebhookEndpoint(input);
		for (const [call, where] of [
			[create, 'endpoint with this URL'],
			[client.resendDelivery('we_1', 'del_1'), 'attempts of this delivery'],
			[client.deleteWebhookEndpoint('we_1'), 'Deleting twice does no harm'],
		] as const) {
			const { message, hint } = (await rejection(call)) as ApiError;
			expect(message).toContain(`responded with ${status}`);
			expect(hint).toContain('may have processed the request anyway');
			expect(hint).toContain(where);
			expect(hint).not.toContain('try again later');
		}
	});

	it('is sent again with a new token after a 401, which changed nothing', async () => {
		const { client, world } = await start(({ headers }) =>
			headers.authorization === 'Bearer token-1' ? { status: 401 } : { body: { done: true } },
		);
		expect(await client.resendDelivery('we_1', 'del_1')).toEqual({ done: true });
		expect(world.service.to(RESEND)).toHaveLength(2);
	});
});
