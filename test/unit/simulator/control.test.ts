import { request } from 'node:http';
import type { SimulatorStats } from '../../../simulator';
import { accessToken, caller, receiver, send, simulatorFor } from './world';

const ASSETS = '/asset-management/v1/assets';

const setUp = async () => {
	const simulator = await simulatorFor();
	const control = async (path: string, body?: unknown, method?: string) =>
		await send(`${simulator.baseUrl}/_simulator${path}`, {
			body,
			...(method !== undefined && { method }),
		});
	return { simulator, control };
};

describe('the control API', () => {
	it('creates, moves and deletes endpoints without a token', async () => {
		const { simulator, control } = await setUp();
		const { url } = await receiver();
		const created = await control('/endpoints', { url, secret: 'chosen' });
		expect(created.status).toBe(201);
		const [endpoint] = simulator.endpoints;
		expect(created.body).toEqual({ id: endpoint?.id, url, events: ['*'], secret: 'chosen' });
		const path = `/endpoints/${String(endpoint?.id)}`;
		expect((await control(path, { url: 'https://moved.example/' }, 'PUT')).status).toBe(200);
		expect(simulator.endpoints[0]?.url).toBe('https://moved.example/');
		expect((await control(path, { url: 'http://moved.example/' }, 'PUT')).status).toBe(400);
		expect((await control(path, undefined, 'DELETE')).status).toBe(204);
		expect((await control(path, undefined, 'DELETE')).status).toBe(404);
		expect((await control(path, { url }, 'PUT')).status).toBe(404);
	});

	it('emits events and says what the receivers answered', async () => {
		const { simulator, control } = await setUp();
		const { url, received } = await receiver();
		simulator.createEndpoint({ url });
		const { status, body } = await control('/events', {
			type: 'custom',
			data: { value: 1 },
			copies: 2,
		});
		expect(status).toBe(200);
		expect(body).toMatchObject({
			event: { type: 'custom', data: { value: 1 } },
			responses: [{ status: 200 }, { status: 200 }],
		});
		expect(received).toHaveLength(2);
		expect((await control('/events', { copies: 0 })).status).toBe(400);
		expect((await control('/events', { kind: 'custom' })).status).toBe(400);
	});

	it('sends a single delivery with a chosen fault', async () => {
		const { simulator, control } = await setUp();
		const { url, received } = await receiver();
		const { id } = simulator.createEndpoint({ url });
		const { status } = await control('/deliveries', { endpointId: id, tamper: 'unsigned' });
		expect(status).toBe(200);
		expect(received[0]?.headers).not.toHaveProperty('x-webhook-signature');
		expect(simulator.events).toEqual([]);
		expect((await control('/deliveries', { endpointId: 'we_none' })).status).toBe(404);
		expect((await control('/deliveries', { endpointId: id, tamper: 'odd' })).status).toBe(400);
	});

	it('adds and clears faults', async () => {
		const { simulator, control } = await setUp();
		const call = await caller(simulator);
		expect((await control('/faults', { pathPattern: 'assets$', status: 500 })).status).toBe(204);
		expect((await call(ASSETS)).status).toBe(500);
		expect((await control('/faults', undefined, 'DELETE')).status).toBe(204);
		expect((await call(ASSETS)).status).toBe(200);
		await control('/faults', { path: ASSETS, retryAfter: 1, times: 1 });
		expect([(await call(ASSETS)).status, (await call(ASSETS)).status]).toEqual([429, 200]);
		for (const wrong of [{}, { pathPattern: '(' }, { path: ASSETS, times: 0 }]) {
			expect((await control('/faults', wrong)).status).toBe(400);
		}
	});

	it('adds clients and revokes tokens', async () => {
		const { simulator, control } = await setUp();
		const call = await caller(simulator);
		expect((await control('/tokens', undefined, 'DELETE')).status).toBe(204);
		expect((await call(ASSETS)).status).toBe(401);
		const { body } = await control('/clients', { scopes: ['webhooks:read'] });
		const token = await accessToken(simulator, {
			clientId: String(body['clientId']),
			clientSecret: String(body['clientSecret']),
		});
		const answer = await send(`${simulator.baseUrl}${ASSETS}`, {
			headers: { authorization: `Bearer ${token}` },
		});
		expect(answer.status).toBe(403);
	});

	it('shows statistics and what there is, without a secret, and counts itself nowhere', async () => {
		const { simulator, control } = await setUp();
		const { id, secret } = simulator.createEndpoint({ url: 'https://receiver.example/' });
		const overview = await control('');
		expect(overview.body).toMatchObject({ clientId: simulator.clientId, endpoints: [{ id }] });
		expect(JSON.stringify(overview.body)).not.toContain(secret);
		expect(JSON.stringify(overview.body)).not.toContain(simulator.clientSecret);
		const stats = (await control('/stats')).body as unknown as SimulatorStats;
		expect(stats).toMatchObject({ tokenRequests: 0, connections: 0, requests: [] });
		expect(stats.endpoints).toEqual({ created: 1, deleted: 0, mostAtOnce: 1 });
	});

	it('has a receiver of its own', async () => {
		const { simulator } = await setUp();
		simulator.createEndpoint({ url: `${simulator.baseUrl}/_simulator/receiver` });
		expect((await simulator.emit()).responses).toMatchObject([{ status: 200 }]);
	});

	it('refuses web pages, by their origin and by their host name', async () => {
		const { simulator } = await setUp();
		const url = `${simulator.baseUrl}/_simulator/stats`;
		const origin = { origin: 'https://page.example' };
		expect((await send(url, { headers: origin })).status).toBe(403);
		// fetch sets the Host header itself.
		const status = await new Promise((resolve, reject) => {
			request(url, { headers: { host: 'rebound.example' } }, (response) => {
				response.resume();
				resolve(response.statusCode);
			})
				.on('error', reject)
				.end();
		});
		expect(status).toBe(403);
	});
});
