import { caller, pageOf, receiver, send, simulatorFor, tokenRequest } from './world';

const ASSETS = '/asset-management/v1/assets';
const ENDPOINTS = '/webhooks/v1/webhook-endpoints';

describe('a fault', () => {
	it('answers with a status as often as told', async () => {
		const simulator = await simulatorFor();
		const call = await caller(simulator);
		simulator.faults.add({ path: ASSETS, status: 503, times: 2 });
		const statuses = [await call(ASSETS), await call(ASSETS), await call(ASSETS)];
		expect(statuses.map(({ status }) => status)).toEqual([503, 503, 200]);
	});

	it('goes on until it is cleared when no number is told', async () => {
		const simulator = await simulatorFor();
		const call = await caller(simulator);
		simulator.faults.add({ path: ASSETS, status: 500 });
		for (let count = 0; count < 5; count++) expect((await call(ASSETS)).status).toBe(500);
		simulator.faults.clear();
		expect((await call(ASSETS)).status).toBe(200);
	});

	it('hits only its method and path, told as a text or an expression', async () => {
		const simulator = await simulatorFor();
		const call = await caller(simulator);
		const { id } = simulator.createEndpoint({ url: 'https://receiver.example' });
		simulator.faults.add({ method: 'post', path: ASSETS, status: 500 });
		simulator.faults.add({ path: ASSETS.slice(0, -1), status: 500 });
		simulator.faults.add({ path: /\/deliveries$/g, status: 502 });
		expect((await call(`${ASSETS}?limit=1`)).status).toBe(200);
		expect((await call(`${ENDPOINTS}/${id}/deliveries`)).status).toBe(502);
		expect((await call(`${ENDPOINTS}/${id}/deliveries?limit=1`)).status).toBe(502);
	});

	it('can hit only the later pages of a list', async () => {
		const simulator = await simulatorFor();
		const call = await caller(simulator);
		simulator.faults.add({ path: ASSETS, queryParameter: 'startingAfter', status: 400 });
		const page = await call(`${ASSETS}?limit=1`);
		expect(page.status).toBe(200);
		const cursor = pageOf(page).items[0]?.id ?? '';
		expect((await call(`${ASSETS}?limit=1&startingAfter=${cursor}`)).status).toBe(400);
	});

	it('gives way to the next one once its times are over', async () => {
		const simulator = await simulatorFor();
		const call = await caller(simulator);
		simulator.faults.add({ path: ASSETS, status: 500, times: 1 });
		simulator.faults.add({ path: ASSETS, status: 502, times: 1 });
		expect((await call(ASSETS)).status).toBe(500);
		expect((await call(ASSETS)).status).toBe(502);
	});

	it('can ask to wait, in seconds or until a date', async () => {
		const simulator = await simulatorFor();
		const call = await caller(simulator);
		const date = new Date(Date.now() + 60_000).toUTCString();
		simulator.faults.add({ path: ASSETS, retryAfter: 7, times: 1 });
		simulator.faults.add({ path: ASSETS, status: 503, retryAfter: date, times: 1 });
		const [seconds, until] = [await call(ASSETS), await call(ASSETS)];
		expect([seconds.status, seconds.headers.get('retry-after')]).toEqual([429, '7']);
		expect([until.status, until.headers.get('retry-after')]).toEqual([503, date]);
	});

	it('can delay the real answer', async () => {
		const simulator = await simulatorFor();
		const call = await caller(simulator);
		simulator.faults.add({ path: ASSETS, delayMs: 80, times: 1 });
		const start = performance.now();
		expect(pageOf(await call(ASSETS)).items).toHaveLength(20);
		expect(performance.now() - start).toBeGreaterThan(70);
	});

	it.each([true, 'midBody'] as const)('can reset the connection (%s)', async (reset) => {
		const simulator = await simulatorFor();
		const call = await caller(simulator);
		simulator.faults.add({ path: ASSETS, reset, times: 1 });
		await expect(call(ASSETS)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
		expect(simulator.stats.requests.at(-1)).toMatchObject({ path: ASSETS, status: 0 });
		expect((await call(ASSETS)).status).toBe(200);
	});

	it('can answer with any body, malformed JSON among them', async () => {
		const simulator = await simulatorFor();
		const call = await caller(simulator);
		simulator.faults.add({ path: ASSETS, body: '{"data":{"items":[', times: 1 });
		simulator.faults.add({ path: ASSETS, body: [{ id: 'a' }], times: 1 });
		await expect(call(ASSETS)).rejects.toThrow(SyntaxError);
		expect((await call(ASSETS)).body).toEqual([{ id: 'a' }]);
	});

	it('can ignore the cursor', async () => {
		const simulator = await simulatorFor();
		const call = await caller(simulator);
		const first = pageOf(await call(`${ASSETS}?limit=2`));
		simulator.faults.add({ path: ASSETS, ignoreCursor: true });
		const again = await call(`${ASSETS}?limit=2&startingAfter=${String(first.items[1]?.id)}`);
		expect(pageOf(again)).toEqual(first);
	});

	it('can ignore filters', async () => {
		const simulator = await simulatorFor();
		const { id } = simulator.createEndpoint({ url: (await receiver()).url });
		await simulator.emit();
		const call = await caller(simulator);
		const failed = `${ENDPOINTS}/${id}/deliveries?status=failed`;
		expect(pageOf(await call(failed)).items).toHaveLength(0);
		simulator.faults.add({ path: /./, ignoreFilters: true });
		expect(pageOf(await call(failed)).items).toHaveLength(1);
		expect(pageOf(await call(`${ASSETS}?limit=2&firmwareVersion=none`)).items).toHaveLength(2);
	});

	it('can leave fields out of the real answer', async () => {
		const simulator = await simulatorFor();
		const call = await caller(simulator);
		simulator.faults.add({ method: 'POST', path: ENDPOINTS, omitFields: ['secret'], times: 1 });
		const { status, body } = await call(ENDPOINTS, {
			body: { url: 'https://receiver.example', events: ['a'] },
		});
		expect(status).toBe(201);
		const [endpoint] = simulator.endpoints;
		expect(body['data']).toEqual({ id: endpoint?.id, url: endpoint?.url, events: ['a'] });
	});

	it('can revoke the token of a request', async () => {
		const simulator = await simulatorFor();
		const [hit, other] = [await caller(simulator), await caller(simulator)];
		simulator.faults.add({ path: ASSETS, revokeToken: true, times: 1 });
		expect((await hit(ASSETS)).status).toBe(401);
		expect((await hit(ASSETS)).status).toBe(401);
		expect((await other(ASSETS)).status).toBe(200);
	});

	it('hits the token route, too', async () => {
		const simulator = await simulatorFor();
		simulator.faults.add({ path: '/oauth/token', status: 500, times: 1 });
		const ask = async () =>
			await send(`${simulator.authUrl}/oauth/token`, { body: tokenRequest(simulator) });
		expect((await ask()).status).toBe(500);
		expect((await ask()).status).toBe(200);
		expect(simulator.stats.tokenRequests).toBe(2);
	});
});
