import { caller, pageOf, receiver, simulatorFor } from './world';

const EVENTS = '/webhooks/v1/webhook-events';
const ENDPOINTS = '/webhooks/v1/webhook-endpoints';
const DAY_MS = 86_400_000;

describe('the list of events', () => {
	it('names the newest first and pages to the end', async () => {
		const simulator = await simulatorFor();
		const created: string[] = [];
		for (let count = 0; count < 5; count++) {
			created.unshift((await simulator.emit({}, { deliver: false })).event.id);
		}
		const call = await caller(simulator);
		const first = pageOf(await call(`${EVENTS}?limit=3`));
		expect(first.hasMore).toBe(true);
		const second = pageOf(
			await call(`${EVENTS}?limit=3&startingAfter=${String(first.items[2]?.id)}`),
		);
		expect(second.hasMore).toBe(false);
		expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(created);
	});

	it('names the oldest first when told', async () => {
		const simulator = await simulatorFor({ listOrder: 'oldestFirst' });
		const created = [await simulator.emit(), await simulator.emit()].map(({ event }) => event.id);
		const call = await caller(simulator);
		expect(pageOf(await call(EVENTS)).items.map(({ id }) => id)).toEqual(created);
	});

	it('has the fields eventType and payload', async () => {
		const simulator = await simulatorFor();
		const { event } = await simulator.emit({ type: 'custom', data: { value: 1 } });
		const call = await caller(simulator);
		expect(pageOf(await call(EVENTS)).items).toEqual([
			{
				id: event.id,
				eventType: 'custom',
				createdAt: event.createdAt,
				payload: { value: 1 },
			},
		]);
	});

	it('starts with a history when asked for one', async () => {
		const simulator = await simulatorFor({ events: 30 });
		const times = simulator.events.map(({ createdAt }) => Date.parse(createdAt));
		expect(times).toHaveLength(30);
		expect(times).toEqual([...times].sort((a, b) => a - b));
		expect(Math.max(...times)).toBeLessThan(Date.now());
	});

	it('forgets events and deliveries after 30 days', async () => {
		let time = Date.parse('2026-01-01T00:00:00Z');
		const simulator = await simulatorFor({ now: () => time });
		const { id } = simulator.createEndpoint({ url: (await receiver()).url });
		await simulator.emit();
		time += 30 * DAY_MS;
		expect(simulator.events).toHaveLength(1);
		expect(simulator.deliveries(id)).toHaveLength(1);
		time += 1;
		expect(simulator.events).toEqual([]);
		expect(simulator.deliveries(id)).toEqual([]);
	});
});

describe('generated events', () => {
	it('join each answer to its call by messageId, an error among them', async () => {
		const simulator = await simulatorFor();
		const data = [];
		for (let count = 0; count < 20; count++) {
			data.push((await simulator.emit({ type: 'ocpp.message' })).event.data);
		}
		for (let index = 0; index < data.length; index += 2) {
			expect(data[index]).toMatchObject({ messageType: 'CALL', asset: {} });
			expect(data[index + 1]?.['messageId']).toBe(data[index]?.['messageId']);
		}
		const answers = data.filter((_, index) => index % 2).map((each) => each['messageType']);
		expect(new Set(answers)).toEqual(new Set(['CALL_RESULT', 'CALL_ERROR']));
	});

	it('tell of assets that lose and regain their connection', async () => {
		const simulator = await simulatorFor({ assets: 1 });
		const emit = async () => (await simulator.emit({ type: 'asset.connectivity' })).event.data;
		expect([await emit(), await emit(), await emit()].map(({ status }) => status)).toEqual([
			'DISCONNECTED',
			'CONNECTED',
			'DISCONNECTED',
		]);
	});
});

describe('webhook endpoints', () => {
	it('are created with a secret that is shown once, and deleted', async () => {
		const simulator = await simulatorFor();
		const call = await caller(simulator);
		const url = 'https://receiver.example/hook';
		const created = await call(ENDPOINTS, { body: { url, events: ['ocpp.message'] } });
		expect(created.status).toBe(201);
		const endpoint = simulator.endpoints[0];
		expect(created.body).toEqual({
			data: { id: endpoint?.id, url, events: ['ocpp.message'], secret: endpoint?.secret },
		});
		expect(endpoint?.id).toMatch(/^we_/);

		const path = `${ENDPOINTS}/${String(endpoint?.id)}`;
		expect((await call(path, { method: 'DELETE' })).status).toBe(204);
		expect(simulator.endpoints).toEqual([]);
		expect((await call(path, { method: 'DELETE' })).status).toBe(404);
		expect((await call(`${path}/deliveries`)).status).toBe(404);
	});

	it('are counted, and how many there were at once', async () => {
		const simulator = await simulatorFor();
		const url = 'https://receiver.example/hook';
		const first = simulator.createEndpoint({ url });
		simulator.createEndpoint({ url });
		simulator.deleteEndpoint(first.id);
		simulator.createEndpoint({ url });
		expect(simulator.stats.endpoints).toEqual({ created: 3, deleted: 1, mostAtOnce: 2 });
	});

	it.each([
		['no URL', { events: ['ocpp.message'] }],
		['no events', { url: 'https://receiver.example' }],
		['an empty list of events', { url: 'https://receiver.example', events: [] }],
		['a wildcard', { url: 'https://receiver.example', events: ['*'] }],
		['a URL that is none', { url: 'receiver', events: ['a'] }],
		['plain http elsewhere', { url: 'http://receiver.example', events: ['a'] }],
		['an unknown field', { url: 'https://receiver.example', events: ['a'], name: 'x' }],
	])('are not created with %s', async (_what, body) => {
		const simulator = await simulatorFor();
		const call = await caller(simulator);
		expect((await call(ENDPOINTS, { body })).status).toBe(400);
		expect(simulator.endpoints).toEqual([]);
	});

	it('may be plain http on this machine, unless that is switched off', async () => {
		const url = 'http://127.0.0.1:5678/hook';
		expect((await simulatorFor()).createEndpoint({ url }).url).toBe(url);
		const strict = await simulatorFor({ allowHttpEndpoints: false });
		expect(() => strict.createEndpoint({ url })).toThrow('https');
		const call = await caller(strict);
		expect((await call(ENDPOINTS, { body: { url, events: ['a'] } })).status).toBe(400);
	});
});

describe('the list of deliveries', () => {
	it('names the newest first, with attempts, and filters by status', async () => {
		const simulator = await simulatorFor();
		const { url, answerWith } = await receiver();
		const { id } = simulator.createEndpoint({ url });
		answerWith(500);
		const failed = (await simulator.emit()).event;
		answerWith(200);
		const delivered = (await simulator.emit()).event;

		const call = await caller(simulator);
		const list = async (query: string) =>
			pageOf(await call(`${ENDPOINTS}/${id}/deliveries${query}`)).items;
		expect((await list('')).map(({ eventId }) => eventId)).toEqual([delivered.id, failed.id]);
		expect(await list('?status=success')).toHaveLength(1);
		expect(await list('?status=failed')).toEqual([
			{
				id: expect.stringMatching(/^whdel_/) as string,
				eventId: failed.id,
				eventType: 'ocpp.message',
				payload: failed.data,
				status: 'failed',
				createdAt: expect.any(String) as string,
				attempts: [
					{
						status: 'failed',
						statusCode: 500,
						timestamp: expect.any(String) as string,
					},
				],
			},
		]);
		expect((await call(`${ENDPOINTS}/${id}/deliveries?status=lost`)).status).toBe(400);
	});

	it('sends a delivery again on request, with a fresh signature', async () => {
		let time = Date.parse('2026-01-01T00:00:00Z');
		const simulator = await simulatorFor({ now: () => time });
		const { url, received, answerWith } = await receiver();
		const { id } = simulator.createEndpoint({ url });
		answerWith(500);
		await simulator.emit();
		const [delivery] = simulator.deliveries(id);
		time += 3_600_000;
		answerWith(200);

		const call = await caller(simulator);
		const path = `${ENDPOINTS}/${id}/deliveries/${String(delivery?.id)}/resend`;
		const { status, body } = await call(path, { method: 'POST' });
		expect(status).toBe(200);
		expect(body['data']).toEqual({
			id: delivery?.id,
			status: 'success',
			statusCode: 200,
			attempt: { status: 'success', timestamp: '2026-01-01T01:00:00.000Z' },
		});
		expect(received.map((each) => each.body)).toEqual([received[0]?.body, received[0]?.body]);
		expect(received.map(({ headers }) => headers['x-webhook-timestamp'])).toEqual([
			'1767225600',
			'1767229200',
		]);
		expect(simulator.deliveries(id)[0]).toMatchObject({ status: 'success', attempts: [{}, {}] });
		expect(simulator.stats.deliveries.pendingRetries).toBe(0);
		expect((await call(path.replace('whdel_', 'x'), { method: 'POST' })).status).toBe(404);
		expect((await call(path.replace('we_', 'x'), { method: 'POST' })).status).toBe(404);
	});
});
