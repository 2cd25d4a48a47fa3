import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { openLedger } from '../../../lib/ledger';
import { signTimestamped } from '../../../lib/receiver/signature';
import { AssetServiceTrigger } from '../../../nodes/AssetServiceTrigger/AssetServiceTrigger.node';
import {
	startTriggerServer,
	type TriggerServer,
	type TriggerServerOptions,
} from '../../support/triggerServer';
import { waitFor } from '../../support/wait';

const SECRET = 'whsec-current-0123456789';
const PREVIOUS = 'whsec-previous-0123456789';

const folder = mkdtempSync(join(tmpdir(), 'asset-service-trigger-'));
const ledgerPath = join(folder, 'ledger.sqlite');
const servers: TriggerServer[] = [];
let next = 0;

const now = () => Math.floor(Date.now() / 1000);
const eventOf = (fields: Record<string, unknown> = {}) => ({
	id: `whevt_${(next += 1)}`,
	type: 'ocpp.message',
	createdAt: '2026-01-01T00:00:00.000Z',
	data: { asset: { id: 'asset-1' } },
	...fields,
});

async function start(options: Partial<TriggerServerOptions> = {}): Promise<TriggerServer> {
	const server = await startTriggerServer({
		trigger: new AssetServiceTrigger(),
		readCredential: async () => ({ signingSecret: SECRET, previousSigningSecret: PREVIOUS }),
		credentialTypes: ['assetServiceSigningSecretApi'],
		// A workflow of its own, so that no test sees what another one kept.
		workflowId: `workflow-${(next += 1)}`,
		...options,
	});
	servers.push(server);
	return server;
}

interface Sent {
	status: number;
	body: unknown;
	headers: Headers;
}

async function send(
	server: TriggerServer,
	body: unknown,
	headers: Record<string, string> = {},
): Promise<Sent> {
	const bytes = typeof body === 'string' ? body : JSON.stringify(body);
	const response = await fetch(server.url, {
		method: 'POST',
		body: bytes,
		headers: {
			'content-type': 'application/json',
			'x-webhook-delivery-id': 'del_1',
			'x-webhook-signature': signTimestamped(SECRET, now(), bytes),
			...headers,
		},
	});
	const text = await response.text();
	return {
		status: response.status,
		body: text === '' ? undefined : JSON.parse(text),
		headers: response.headers,
	};
}

const gate = () => {
	let open: () => void = () => undefined;
	const opened = new Promise<void>((resolve) => {
		open = resolve;
	});
	return {
		open: () => {
			open();
		},
		opened,
	};
};

/** Resolves when a copy has looked so often in vain that it must be waiting for the outcome of another one. */
async function aCopyWaits(): Promise<true> {
	const claims = jest.spyOn(await openLedger({ log: () => undefined }), 'claim');
	return await waitFor(
		async () => {
			const answers = await Promise.all(claims.mock.results.map(({ value }) => value as unknown));
			const pending = answers.filter((answer) => isDeepStrictEqual(answer, { state: 'pending' }));
			return pending.length >= 3 ? true : undefined;
		},
		{ what: 'a copy to wait', everyMs: 5 },
	).finally(() => {
		claims.mockRestore();
	});
}

beforeAll(() => {
	process.env['ASSET_SERVICE_LEDGER_SQLITE_PATH'] = ledgerPath;
});

afterEach(async () => {
	for (const server of servers.splice(0)) {
		await server.stop();
		expect(server.thrown).toEqual([]);
	}
});

afterAll(async () => {
	await (await openLedger({ log: () => undefined })).close();
	rmSync(folder, { recursive: true, force: true });
});

describe('a delivery', () => {
	it('starts the workflow with the event as delivered', async () => {
		const server = await start();
		const event = eventOf({ extra: [1, { two: null }] });
		expect(await send(server, event)).toMatchObject({ status: 200, body: { status: 'accepted' } });
		expect(server.started).toEqual([event]);
	});

	it('is answered 200 duplicate when the event was seen before', async () => {
		const server = await start();
		const event = eventOf();
		await send(server, event);
		expect(await send(server, event)).toMatchObject({ status: 200, body: { status: 'duplicate' } });
		expect(server.started).toHaveLength(1);
	});

	it('starts the workflow once when ten copies arrive at the same instant', async () => {
		const server = await start();
		const event = eventOf();
		const sent = await Promise.all(
			Array.from({ length: 10 }, async () => await send(server, event)),
		);
		expect(sent.map(({ status }) => status)).toEqual(Array(10).fill(200));
		expect(server.started).toEqual([event]);
	});

	it('takes the ids 7 and "7" for one event', async () => {
		const server = await start();
		await send(server, eventOf({ id: 7 }));
		expect(await send(server, eventOf({ id: '7' }))).toMatchObject({
			body: { status: 'duplicate' },
		});
	});

	it('is signed by the previous secret during a rotation, and still one event', async () => {
		const server = await start();
		const body = JSON.stringify(eventOf());
		const signed = { 'x-webhook-signature': signTimestamped(PREVIOUS, now(), body) };
		expect(await send(server, body, signed)).toMatchObject({ body: { status: 'accepted' } });
		expect(await send(server, body)).toMatchObject({ body: { status: 'duplicate' } });
	});

	it('is told apart by workflow', async () => {
		const [one, two] = [await start(), await start()];
		const event = eventOf();
		await send(one, event);
		await send(two, event);
		expect([one.started, two.started]).toEqual([[event], [event]]);
	});

	it('carries _delivery when asked for', async () => {
		const server = await start({ parameters: { options: { includeDelivery: true } } });
		const before = Date.now();
		const event = eventOf({ _delivery: 'from the event' });
		const timestamp = now();
		const body = JSON.stringify(event);
		await send(server, body, { 'x-webhook-signature': signTimestamped(SECRET, timestamp, body) });
		const item = server.started[0] as { _delivery: { receivedAt: string } };
		expect(item).toMatchObject({
			id: event.id,
			_delivery: { id: 'del_1', timestamp, secret: 'current' },
		});
		const receivedAt = Date.parse(item._delivery.receivedAt);
		expect(receivedAt).toBeGreaterThanOrEqual(before);
		expect(receivedAt).toBeLessThanOrEqual(Date.now());
	});
});

describe('a delivery that does not start the workflow', () => {
	it('is ignored when its type is not wanted, and nothing is stored', async () => {
		const server = await start({ parameters: { eventTypes: ['asset.*'] } });
		const event = eventOf();
		for (let copy = 0; copy < 2; copy += 1) {
			expect(await send(server, event)).toMatchObject({ status: 200, body: { status: 'ignored' } });
		}
		expect(await send(server, eventOf({ type: undefined }))).toMatchObject({
			body: { status: 'ignored' },
		});
		expect(server.started).toEqual([]);
	});

	const body = JSON.stringify(eventOf());
	const good = () => signTimestamped(SECRET, now(), body);
	it.each([
		['forged', () => signTimestamped('another secret', now(), body)],
		['stale', () => signTimestamped(SECRET, now() - 302, body)],
		// The clock runs towards this one: the bound itself is for the tests that set their clock.
		['from the future', () => signTimestamped(SECRET, now() + 600, body)],
		['truncated', () => good().slice(0, -8)],
		['without a timestamp', () => good().replace(/t=\d+,/, '')],
		['empty', () => ''],
	])(
		'is rejected with 401 when its signature is %s, and the event is still accepted afterwards',
		async (_name, signature) => {
			const server = await start();
			expect(await send(server, body, { 'x-webhook-signature': signature() })).toMatchObject({
				status: 401,
				body: { status: 'rejected' },
			});
			expect(server.started).toEqual([]);
			expect(await send(server, body)).toMatchObject({ body: { status: 'accepted' } });
		},
	);

	it('is rejected when one byte of the body has changed', async () => {
		const server = await start();
		const changed = body.replace('asset-1', 'asset-2');
		expect(await send(server, changed, { 'x-webhook-signature': good() })).toMatchObject({
			status: 401,
		});
	});

	it.each([['[1]'], ['{"type":"a"}'], ['{"id":""}'], ['{"id":9007199254740993}'], ['{']])(
		'is invalid with 400 when it is signed but holds %s',
		async (invalid) => {
			const server = await start();
			expect(await send(server, invalid)).toMatchObject({
				status: 400,
				body: { status: 'invalid' },
			});
		},
	);

	it('is unavailable with 503 when no signing secret is configured, whatever else is wrong', async () => {
		const server = await start({
			readCredential: async () => ({ signingSecret: '', previousSigningSecret: PREVIOUS }),
		});
		const unavailable = { status: 503, body: { status: 'unavailable' } };
		expect(await send(server, eventOf())).toMatchObject(unavailable);
		expect(await send(server, 'x', { 'x-webhook-signature': 'forged' })).toMatchObject(unavailable);
	});

	it('is unavailable with 503 when the credential cannot be read', async () => {
		const server = await start({
			readCredential: async () => await Promise.reject(new Error('gone')),
		});
		expect(await send(server, eventOf())).toMatchObject({ status: 503 });
	});
});

describe('an event that n8n could not store', () => {
	it('is answered 500, and runs when it is sent again', async () => {
		let failing = true;
		const server = await start({
			store: async () => {
				if (failing) throw new Error('disk full');
			},
		});
		const event = eventOf();
		expect(await send(server, event)).toMatchObject({ status: 500 });
		failing = false;
		expect(await send(server, event)).toMatchObject({ status: 200, body: { status: 'accepted' } });
		expect(server.started).toEqual([event]);
	});

	it('is taken over by a copy that waited', async () => {
		const { open, opened } = gate();
		let stores = 0;
		const server = await start({
			store: async () => {
				stores += 1;
				if (stores > 1) return;
				await opened;
				throw new Error('disk full');
			},
		});
		const event = eventOf();
		const waiting = aCopyWaits();
		const copies = [send(server, event), send(server, event)];
		await waiting;
		open();
		const statuses = (await Promise.all(copies)).map(({ status }) => status);
		expect(statuses.sort()).toEqual([200, 500]);
		expect(server.started).toEqual([event]);
	});
});

describe('a copy that arrives while another one is being handed over', () => {
	it('waits for its outcome', async () => {
		const { open, opened } = gate();
		const server = await start({
			store: async () => {
				await opened;
			},
		});
		const event = eventOf();
		const waiting = aCopyWaits();
		const copies = [send(server, event), send(server, event)];
		const first = await Promise.race([...copies, waiting.then(() => 'still waiting')]);
		expect(first).toBe('still waiting');
		open();
		const bodies = (await Promise.all(copies)).map(({ body }) => body);
		expect(bodies).toEqual(
			expect.arrayContaining([{ status: 'accepted' }, { status: 'duplicate' }]),
		);
		expect(server.started).toEqual([event]);
	});
});

describe('a caller that hangs up before the answer', () => {
	it('leaves an event that is stored and committed once', async () => {
		const { open, opened } = gate();
		const { open: reach, opened: reached } = gate();
		const server = await start({
			store: async () => {
				reach();
				await opened;
			},
		});
		const event = eventOf();
		const body = JSON.stringify(event);
		const abort = new AbortController();
		const hungUp = fetch(server.url, {
			method: 'POST',
			body,
			headers: { 'x-webhook-signature': signTimestamped(SECRET, now(), body) },
			signal: abort.signal,
		}).catch(() => 'hung up');
		await reached;
		abort.abort();
		expect(await hungUp).toBe('hung up');
		open();
		expect(await send(server, event)).toMatchObject({ body: { status: 'duplicate' } });
		expect(server.started).toEqual([event]);
	});
});

describe('the test mode of the editor', () => {
	it('checks signatures and keeps nothing in the ledger', async () => {
		const server = await start({ mode: 'manual' });
		const event = eventOf();
		await send(server, event);
		await send(server, event);
		expect(server.started).toEqual([event, event]);
		expect(await send(server, event, { 'x-webhook-signature': 'forged' })).toMatchObject({
			status: 401,
		});
	});
});

describe('the signing secrets', () => {
	// They are kept for 15 s, which a starved machine may take for a few deliveries: here no time goes by.
	beforeEach(() => {
		jest.spyOn(performance, 'now').mockReturnValue(performance.now());
	});
	afterEach(() => {
		jest.restoreAllMocks();
	});

	it('are read once for many deliveries', async () => {
		let reads = 0;
		const server = await start({
			readCredential: async () => {
				reads += 1;
				return { signingSecret: SECRET };
			},
		});
		await Promise.all(Array.from({ length: 20 }, async () => await send(server, eventOf())));
		expect(reads).toBe(1);
	});

	it('are not read again for a delivery without a signature', async () => {
		let reads = 0;
		const server = await start({
			readCredential: async () => {
				reads += 1;
				return { signingSecret: SECRET };
			},
		});
		await send(server, eventOf());
		for (let n = 0; n < 5; n += 1) await send(server, eventOf(), { 'x-webhook-signature': '' });
		expect(reads).toBe(1);
	});
});
