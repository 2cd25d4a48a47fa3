/**
 * CPU, memory of all threads, and the longest block of the event loop of questions about the past, each in a process of its own:
 * 30 days of 100 stations, 6 hours of 10,000 stations, a million events, a million statuses of one station, and a station that
 * never rests. The list is served by this process. Next to Get Uptime and Get Sessions, a plain script (`past/plain.ts`).
 * Measures `dist`: `npm run build` first. `npx tsx scripts/bench/past.bench.ts [scene] [question]`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { activated, type Asset, generateAssets } from '../../simulator/data/assets';
import { ComputedNetwork } from '../../simulator/data/network/network';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 0, 31, 12);

interface Scene {
	readonly name: string;
	readonly stations: number;
	/** Of a simulated network. */
	readonly perSecond?: number;
	/** Else of stations that report another status each so many milliseconds, */
	readonly statusMs?: number;
	/** One of so many is a fault, 4 by default, */
	readonly faultEvery?: number;
	/** or lose the connection, have a fault and a session all the time. */
	readonly backMs: number;
	readonly lookBackMs: number;
}

const SCENES: readonly Scene[] = [
	{
		name: '30 days of 100 stations',
		stations: 100,
		perSecond: 0.09,
		backMs: 29 * DAY,
		lookBackMs: 23 * HOUR,
	},
	{
		name: '6 hours of 10,000 stations',
		stations: 10_000,
		perSecond: 9,
		backMs: 5 * HOUR,
		lookBackMs: HOUR,
	},
	{
		name: '30 days of 430 stations',
		stations: 430,
		perSecond: 0.387,
		backMs: 29 * DAY,
		lookBackMs: 23 * HOUR,
	},
	{
		name: 'a million statuses of one station',
		stations: 1,
		statusMs: 2_500,
		backMs: 28 * DAY,
		lookBackMs: 22 * HOUR,
	},
	{
		name: 'a million statuses of one station, a fault each two hours',
		stations: 1,
		statusMs: 2_500,
		faultEvery: 2_880,
		backMs: 28 * DAY,
		lookBackMs: 22 * HOUR,
	},
	{ name: '2 days of a restless station', stations: 1, backMs: 47 * HOUR, lookBackMs: HOUR },
];
/** How often each of these does everything. */
const RESTLESS_MS = 20_000;
const PAGE_SIZE = 100;
const QUESTIONS = [
	'Get Incidents',
	'Get Incidents, each fault',
	'Get Sessions',
	'Get Uptime',
	'Get Outages',
	'Get Status',
];
const PLAIN: ReadonlySet<string> = new Set(['Get Sessions', 'Get Uptime']);

interface Listed {
	readonly id: string;
	readonly text: string;
}

async function main(): Promise<void> {
	const [, , wanted = '', only = ''] = process.argv;
	for (const scene of SCENES) {
		if (!scene.name.includes(wanted)) continue;
		const assets = generateAssets(scene.stations).map(activated);
		const list = pagesOf(listed(scene, assets));
		console.log(`${scene.name}: ${list.count.toLocaleString('en')} events`);
		const { url, close } = await served(list, assets);
		const rows: Record<string, object> = {};
		for (const question of QUESTIONS.filter((name) => name.includes(only))) {
			rows[question] = await measured(url, scene, 'ours', question);
			console.error(question, rows[question]);
			if (!PLAIN.has(question)) continue;
			rows[`${question}, plain script`] = await measured(url, scene, 'plain', question);
		}
		console.table(rows);
		close();
	}
}

function listed(
	{ perSecond, statusMs, faultEvery = 4, backMs, lookBackMs }: Scene,
	assets: readonly Asset[],
): Iterable<Listed> {
	const from = NOW - backMs - lookBackMs;
	if (perSecond !== undefined) return eventsOf(assets, perSecond, from);
	return statusMs === undefined
		? restless(assets, from)
		: statuses(assets, statusMs, faultEvery, from);
}

/** Newest first. */
function* eventsOf(assets: readonly Asset[], perSecond: number, from: number): Generator<Listed> {
	const network = new ComputedNetwork(assets, perSecond);
	for (let slot = network.slotAt(NOW); slot >= network.slotAt(from); slot--) {
		const event = network.eventAt(slot);
		if (event === undefined) continue;
		const { id, type: eventType, createdAt, data: payload } = event;
		yield { id, text: JSON.stringify({ id, eventType, createdAt, payload }) };
	}
}

/** Newest first. */
function* restless(assets: readonly Asset[], from: number): Generator<Listed> {
	for (let since = NOW - RESTLESS_MS; since >= from; since -= RESTLESS_MS) {
		for (const { id: assetId } of assets) {
			const asset = { id: assetId };
			const messageId = `message-${since}`;
			const call = (action: string, payload: object) => ({
				...{ messageType: 'CALL', messageId, action, payload },
			});
			const timestamp = (second: number) => new Date(since + second * 1_000).toISOString();
			const status = (text: string) =>
				call('StatusNotification', { connectorId: 1, errorCode: 'OtherError', status: text });
			const session = { connectorId: 1, idTag: 'TAG', meterStart: 1_000, timestamp: timestamp(1) };
			const stop = { transactionId: since, meterStop: 1_000, timestamp: timestamp(7) };
			const said = [
				{ status: 'DISCONNECTED' },
				call('StartTransaction', session),
				{ messageType: 'CALLRESULT', messageId, payload: { transactionId: since } },
				status('Faulted'),
				status('Available'),
				{ status: 'CONNECTED' },
				call('Heartbeat', {}),
				call('StopTransaction', stop),
			];
			for (const [second, data] of [...said.entries()].reverse()) {
				const id = `whevt_${since}_${assetId}_${second}`;
				const eventType = 'status' in data ? 'asset.connectivity' : 'ocpp.message';
				const event = { id, eventType, createdAt: timestamp(second), payload: { asset, ...data } };
				yield { id, text: JSON.stringify(event) };
			}
		}
	}
}

interface Pages {
	readonly count: number;
	/** Outside of the heap, which is measured. */
	readonly pages: readonly Buffer[];
	/** By the last record of the page before. */
	readonly after: ReadonlyMap<string | undefined, number>;
}

function pagesOf(list: Iterable<Listed>): Pages {
	const pages: Buffer[] = [];
	const after = new Map<string | undefined, number>([[undefined, 0]]);
	let texts: string[] = [];
	let count = 0;
	const turn = (last?: string) => {
		pages.push(Buffer.from(`[${texts.join(',')}]`));
		texts = [];
		if (last !== undefined) after.set(last, pages.length);
	};
	for (const { id, text } of list) {
		count += 1;
		if (texts.push(text) === PAGE_SIZE) turn(id);
	}
	turn();
	return { count, pages, after };
}

/** Another status each time. */
function* statuses(
	assets: readonly Asset[],
	everyMs: number,
	faultEvery: number,
	from: number,
): Generator<Listed> {
	const words = ['Available', 'Preparing', 'Charging'];
	for (let n = 0, at = NOW; at >= from; at -= everyMs) {
		for (const { id: assetId } of assets) {
			n += 1;
			const createdAt = new Date(at).toISOString();
			const status = n % faultEvery === 3 ? 'Faulted' : words[n % words.length];
			const errorCode = status === 'Faulted' ? 'OtherError' : 'NoError';
			const id = `whevt_${String(n).padStart(26, '0')}`;
			const payload = {
				asset: { id: assetId },
				messageType: 'CALL',
				messageId: `message-${n}`,
				action: 'StatusNotification',
				payload: { connectorId: 1 + (n % 8 < 4 ? 0 : 1), errorCode, status, timestamp: createdAt },
			};
			yield { id, text: JSON.stringify({ id, eventType: 'ocpp.message', createdAt, payload }) };
		}
	}
}

/** The service, as far as it is asked. */
async function served(events: Pages, assets: readonly Asset[]) {
	const lists = {
		event: events,
		asset: pagesOf(assets.map((asset) => ({ id: asset.id, text: JSON.stringify(asset) }))),
	};
	const server = createServer((request, response) => {
		const { pathname, searchParams } = new URL(request.url ?? '', 'http://service.test');
		response.setHeader('content-type', 'application/json');
		response.setHeader('date', new Date(NOW).toUTCString());
		if (pathname === '/oauth/token') {
			const token = { access_token: 't', token_type: 'Bearer', expires_in: 3600, scope: 'read' };
			response.end(JSON.stringify(token));
			return;
		}
		const { pages, after } = pathname.endsWith('/assets') ? lists.asset : lists.event;
		const page = after.get(searchParams.get('startingAfter') ?? undefined) ?? pages.length;
		const items = pages[page]?.toString() ?? '[]';
		response.end(`{"data":{"items":${items},"hasMore":${page + 1 < pages.length}}}`);
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	// It listens on a port.
	const { port } = server.address() as AddressInfo;
	const close = () => {
		server.closeAllConnections();
		server.close();
	};
	return { url: `http://127.0.0.1:${port}`, close };
}

/** Once for CPU, and once for blocks and memory. */
async function measured(url: string, scene: Scene, who: string, question: string): Promise<object> {
	const { cpu = 0, items = 0 } = await asked('cpu', url, scene, who, question);
	const seen = await asked('memory', url, scene, who, question);
	const { block = 0, main: heap = 0, all = 0, buffers = 0 } = seen;
	return {
		'CPU, s': cpu.toFixed(1),
		'longest block, ms': block.toFixed(0),
		'peak heap of the main thread, MB': heap.toFixed(0),
		'of all threads, MB': all.toFixed(0),
		'buffers, MB': buffers.toFixed(0),
		items,
	};
}

async function asked(
	what: string,
	url: string,
	{ backMs, lookBackMs }: Scene,
	...question: string[]
): Promise<Readonly<Record<string, number>>> {
	const numbers = [NOW - backMs, lookBackMs, NOW].map(String);
	const program = join(__dirname, 'past', 'ask.ts');
	const child = spawn(
		process.execPath,
		['--import', 'tsx', program, what, url, ...question, ...numbers],
		{ stdio: ['ignore', 'pipe', 'inherit'] },
	);
	return JSON.parse(await textOf(child.stdout)) as Record<string, number>;
}

void main();
