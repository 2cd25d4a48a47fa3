import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Client, request } from 'undici';
import { waitFor } from '../../support/wait';
import { ASSETS, ENDPOINTS, FAR_URL, receiver, send, setUp } from './world';

/** Starting it on its own compiles the simulator, on a machine that may be busy. */
const TIMEOUT_MS = 120_000;

describe('the simulator', () => {
	it('listens on 127.0.0.1 only, until it is stopped', async () => {
		const { simulator } = await setUp();
		const { hostname, port } = new URL(simulator.baseUrl);
		expect([hostname, (await send(simulator.baseUrl)).status]).toEqual(['127.0.0.1', 404]);
		for (const host of ['127.0.0.2', '[::1]']) {
			const signal = AbortSignal.timeout(5_000);
			await expect(fetch(`http://${host}:${port}`, { signal })).rejects.toThrow();
		}
		await simulator.stop();
		await expect(send(simulator.baseUrl)).rejects.toThrow('fetch failed');
	});

	it('counts requests with their query and status, and each connection once', async () => {
		const { simulator } = await setUp();
		for (const paths of [['/nowhere'], [`${ASSETS}?limit=2`, '/nowhere']]) {
			const client = new Client(simulator.baseUrl);
			for (const path of paths) await (await client.request({ method: 'GET', path })).body.dump();
			await client.close();
		}
		expect(simulator.stats.requests).toEqual([
			{ method: 'GET', path: '/nowhere', query: {}, status: 404 },
			{ method: 'GET', path: ASSETS, query: { limit: '2' }, status: 401 },
			{ method: 'GET', path: '/nowhere', query: {}, status: 404 },
		]);
		// Looking at them does not count.
		const { body } = await send(`${simulator.baseUrl}/_simulator/stats`);
		expect([body, body['connections']]).toEqual([simulator.stats, 2]);
	});

	it('does the same as the handle without a token, below /_simulator', async () => {
		const { simulator, call } = await setUp();
		const url = `${simulator.baseUrl}/_simulator`;
		const drive = async (method: string, path: string, body?: unknown) =>
			await send(url + path, { method, body });
		const created = await drive('POST', '/endpoints', { url: FAR_URL, secret: 'chosen' });
		const { id } = simulator.endpoints[0] ?? {};
		expect(created.body).toEqual({ id, url: FAR_URL, events: ['*'], secret: 'chosen' });
		// To the simulator's own receiver.
		expect((await drive('PUT', `/endpoints/${id}`, { url: `${url}/receiver` })).status).toBe(200);
		const event = { type: 'custom', data: { value: 1 }, createdAt: '2026-01-01T00:00:00Z' };
		const { body } = await drive('POST', '/events', { ...event, copies: 2 });
		expect(body).toMatchObject({ event, responses: [{ status: 200 }, { status: 200 }] });
		const one = { endpointId: id, tamper: 'unsigned' };
		for (const [method, path, input, answered, then] of [
			['POST', '/deliveries', one, 200, 200],
			['DELETE', `/endpoints/${id}`, undefined, 204, 200],
			['DELETE', `/endpoints/${id}`, undefined, 404, 200],
			['POST', '/faults', { pathPattern: '(', status: 500 }, 400, 200],
			['POST', '/faults', { pathPattern: 'assets$', retryAfter: 1, times: 1 }, 204, 429],
			['POST', '/faults', { path: ASSETS, status: 500 }, 204, 500],
			['DELETE', '/faults', undefined, 204, 200],
			['DELETE', '/tokens', undefined, 204, 401],
		] as const) {
			expect((await drive(method, path, input)).status).toBe(answered);
			expect((await call(ASSETS)).status).toBe(then);
		}
	});

	it('rejects web pages there by their origin and by their host name', async () => {
		const { simulator } = await setUp();
		const url = `${simulator.baseUrl}/_simulator/stats`;
		for (const headers of [{ origin: 'https://page.example' }, { host: 'rebound.example' }]) {
			expect((await request(url, { headers })).statusCode).toBe(403);
		}
	});

	const start = async () => {
		const { url } = await receiver();
		const args = ['--endpoint-url', url, '--signing-secret', 'chosen', '--every', '0.1'];
		// One process: tsx's own kills its child when that is slow to tell it of a signal.
		const command = ['--import', 'tsx', 'simulator/main.ts', ...args];
		const child = spawn(process.execPath, command, { cwd: join(__dirname, '../../..') });
		try {
			let output = '';
			child.stdout.on('data', (chunk) => (output += String(chunk)));
			const sent = () => /Sent ocpp\.message whevt_\w+: 200/.exec(output) ?? undefined;
			await waitFor(sent, { what: 'a delivery', timeoutMs: TIMEOUT_MS });
			const value = (label: string) =>
				new RegExp(`^ {2}${label} +(\\S+)$`, 'm').exec(output)?.[1] ?? '';
			expect([value('Endpoint URL'), value('Signing secret')]).toEqual([url, 'chosen']);
			const client = { client_id: value('Client ID'), client_secret: value('Client secret') };
			const grant = { audience: value('Audience'), grant_type: 'client_credentials' };
			const body = { ...client, ...grant };
			const token = await send(`${value('Auth URL')}/oauth/token`, { body });
			expect(token.status).toBe(200);
			const events = /Send an event: +curl -X POST (\S+)$/m.exec(output)?.[1] ?? '';
			expect((await request(events, { method: 'POST' })).statusCode).toBe(200);
			child.kill('SIGINT');
			expect(await once(child, 'close')).toEqual([0, null]);
			expect(output).toContain('The simulator has ended.');
		} finally {
			child.kill('SIGKILL');
		}
	};
	it(
		'started on its own, prints its settings, sends events, and ends with Ctrl-C',
		start,
		TIMEOUT_MS,
	);
});

describe('webhook endpoints', () => {
	it('are created with a secret that is shown once, counted, and deleted', async () => {
		const { simulator, call } = await setUp();
		const shown = { url: FAR_URL, events: ['ocpp.message'] };
		const { status, body } = await call(ENDPOINTS, { body: shown });
		const { id, secret } = simulator.endpoints[0] ?? {};
		expect([status, body]).toEqual([201, { data: { ...shown, id, secret } }]);
		expect([id, secret]).toEqual([expect.stringMatching(/^we_/), expect.stringMatching(/^whsec_/)]);
		simulator.createEndpoint(shown);
		const path = `${ENDPOINTS}/${String(id)}`;
		expect((await call(path, { method: 'DELETE' })).status).toBe(204);
		expect((await call(path, { method: 'DELETE' })).status).toBe(404);
		expect((await call(`${path}/deliveries`)).status).toBe(404);
		simulator.createEndpoint(shown);
		expect(simulator.endpoints).toHaveLength(2);
		expect(simulator.stats.endpoints).toEqual({ created: 3, deleted: 1, mostAtOnce: 2 });
	});

	it.each([
		[{ events: ['a'] }, true],
		[{ url: FAR_URL }, true],
		[{ url: FAR_URL, events: [] }, true],
		[{ url: FAR_URL, events: ['*'] }, true],
		[{ url: FAR_URL, events: ['a'], name: 'x' }, true],
		[{ url: 'receiver', events: ['a'] }, true],
		[{ url: 'http://receiver.example', events: ['a'] }, true],
		[{ url: 'http://127.0.0.1:5678/hook', events: ['a'] }, false],
	])('are not created with %j where plain http on this machine is %j', async (body, allowed) => {
		const { simulator, call } = await setUp({ allowHttpEndpoints: allowed });
		expect((await call(ENDPOINTS, { body })).status).toBe(400);
		expect(simulator.endpoints).toEqual([]);
	});
});
