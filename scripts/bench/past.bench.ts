/**
 * CPU, memory, the longest block of the event loop and the requests of questions about the past: 30 days of 100 stations, 6 hours
 * of 10,000 stations, a million events, and a station that never rests. `npx tsx --expose-gc scripts/bench/past.bench.ts [scene]`.
 * The list is computed beforehand. Next to it, a script that reads the same pages, keeps the events, and only adds up the time
 * offline.
 */
import { walkPages } from '../../lib/service/paging';
import { isRecord } from '../../lib/shared/values';
import {
	type Asked,
	DEFAULT_CONNECTION,
	directoryNow,
	pastIncidents,
	pastSessions,
	pastUptime,
	readPast,
	split,
	stationStatus,
	type StationSettings,
	type Wants,
} from '../../lib/station';
import { readStationSettings } from '../../n8n/polling/station/settings';
import { activated, type Asset, generateAssets } from '../../simulator/data/assets';
import { ComputedNetwork } from '../../simulator/data/network/network';
import { watchLoop } from './blocks';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 0, 31, 12);
const OWNER = { workflowId: 'bench', nodeId: 'node' };

interface Scene {
	readonly name: string;
	readonly stations: number;
	/** Of a simulated network; without, of stations that lose the connection, have a fault and a session all the time. */
	readonly perSecond?: number;
	readonly backMs: number;
	readonly lookBackMs: number;
}

const SCENES: readonly Scene[] = [
	{
		...{ name: '30 days of 100 stations', stations: 100, perSecond: 0.09 },
		...{ backMs: 29 * DAY, lookBackMs: 23 * HOUR },
	},
	{
		...{ name: '6 hours of 10,000 stations', stations: 10_000, perSecond: 9 },
		...{ backMs: 5 * HOUR, lookBackMs: HOUR },
	},
	{
		...{ name: '30 days of 430 stations', stations: 430, perSecond: 0.387 },
		...{ backMs: 29 * DAY, lookBackMs: 23 * HOUR },
	},
	{ name: '2 days of a restless station', stations: 1, backMs: 47 * HOUR, lookBackMs: HOUR },
];
/** How often each of these does everything. */
const RESTLESS_MS = 20_000;
const PAGE_SIZE = 100;

interface Listed {
	readonly id: string;
	readonly text: string;
}

type Client = Parameters<typeof readPast>[0]['client'];

interface Seen {
	requests: number;
	heap: number;
}

const settingsOf = (given: Readonly<Record<string, unknown>>): StationSettings =>
	readStationSettings((name, fallback) => given[name] ?? fallback).station;

const QUESTIONS: Readonly<
	Record<string, readonly [Wants, (asked: Asked) => Promise<readonly unknown[]>]>
> = {
	'Get Incidents': [
		{ connections: true },
		(asked) => pastIncidents(asked, settingsOf({ triggerOn: 'stationOffline' })),
	],
	'Get Incidents, each fault': [
		{ states: true },
		(asked) =>
			pastIncidents(
				asked,
				settingsOf({ triggerOn: 'connectorFault', forMinutes: 0, resolveAfterMinutes: 0 }),
			),
	],
	'Get Sessions': [
		{ sessions: true },
		(asked) => pastSessions(asked, settingsOf({ triggerOn: 'sessionEnded' }), true),
	],
	'Get Uptime': [
		{ connections: true, states: true },
		(asked) =>
			pastUptime(asked, {
				...{ per: 'connector', countUnavailable: true, unknownAs: 'leftOut', exclusions: [] },
				...{ words: DEFAULT_CONNECTION, parts: split(asked.past, 'day', 'Europe/Berlin') },
			}),
	],
	'Get Status': [
		{ connections: true, states: true, sessions: true },
		(asked) => stationStatus(asked, DEFAULT_CONNECTION),
	],
};

async function main(): Promise<void> {
	const [, , wanted = ''] = process.argv;
	for (const { name, stations, perSecond, backMs, lookBackMs } of SCENES) {
		if (!name.includes(wanted)) continue;
		const assets = generateAssets(stations).map(activated);
		const from = NOW - backMs - lookBackMs;
		const list = pagesOf(
			perSecond === undefined ? restless(assets, from) : eventsOf(assets, perSecond, from),
		);
		console.log(`${name}: ${list.count.toLocaleString('en')} events`);
		const rows: Record<string, object> = {};
		for (const [question, [wants, ask]] of Object.entries(QUESTIONS)) {
			rows[question] = await measured(list, assets, async (client, isForMemory) => {
				const past = await readPast({
					...{ client, wants, words: DEFAULT_CONNECTION, maxEvents: 2_000_000, now: NOW },
					...{ from: NOW - backMs, lookBackMs },
				});
				const kept = heapIf(isForMemory);
				const directory = await directoryNow(client);
				const items = await ask({ past, directory, owner: OWNER, assetIds: undefined });
				return { items: items.length, kept };
			});
			console.error(question, rows[question]);
		}
		rows['script that keeps the events'] = await measured(list, assets, naive);
		console.table(rows);
	}
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

/** What a Code node after n8n's HTTP Request node would do. */
async function naive(
	client: Client,
	isForMemory: boolean,
): Promise<{ items: number; kept: number }> {
	const events: Record<string, unknown>[] = [];
	for await (const { listed } of client.list('event', { pageSize: PAGE_SIZE })) {
		for (const { record } of listed) events.push(record);
	}
	const kept = heapIf(isForMemory);
	const offline = new Map<string, { since: number | undefined; ms: number }>();
	for (const { eventType, createdAt, payload } of events.reverse()) {
		if (eventType !== 'asset.connectivity' || !isRecord(payload)) continue;
		const id = isRecord(payload['asset']) ? String(payload['asset']['id']) : '';
		const known = offline.get(id) ?? { since: undefined, ms: 0 };
		offline.set(id, known);
		const at = Date.parse(String(createdAt));
		if (payload['status'] === 'DISCONNECTED') known.since ??= at;
		else if (known.since !== undefined) {
			known.ms += at - known.since;
			known.since = undefined;
		}
	}
	return { items: offline.size, kept };
}

/** The heap without garbage, in MB. Collecting it would count as a block. */
function heapIf(isForMemory: boolean): number {
	if (isForMemory) globalThis.gc?.();
	return process.memoryUsage().heapUsed / 2 ** 20;
}

type Ask = (
	client: Client,
	isForMemory: boolean,
) => Promise<{ readonly items: number; readonly kept: number }>;

/** Once for CPU and blocks, and once for memory. */
async function measured(list: Pages, assets: readonly Asset[], ask: Ask): Promise<object> {
	const seen: Seen = { requests: 0, heap: 0 };
	const client = clientOf(list, assets, seen);
	const before = heapIf(true);
	const { kept } = await ask(client, true);
	const peak = seen.heap - before;
	heapIf(true);
	seen.requests = 0;
	const watch = watchLoop();
	const cpu = process.cpuUsage();
	const { items } = await ask(client, false);
	const { user, system } = process.cpuUsage(cpu);
	return {
		'CPU, s': ((user + system) / 1e6).toFixed(1),
		'longest block, ms': watch().toFixed(0),
		'kept, MB': (kept - before).toFixed(0),
		'peak with garbage, MB': peak.toFixed(0),
		...{ requests: seen.requests, items },
	};
}

/** Pages of text, as from a socket. */
function clientOf(events: Pages, assets: readonly Asset[], seen: Seen): Client {
	const lists = {
		event: events,
		asset: pagesOf(assets.map((asset) => ({ id: asset.id, text: JSON.stringify(asset) }))),
	};
	return {
		list: (resource, options) => {
			const { pages, after } = resource === 'asset' ? lists.asset : lists.event;
			return walkPages(
				async (_limit, last) => {
					seen.requests += 1;
					seen.heap = Math.max(seen.heap, process.memoryUsage().heapUsed / 2 ** 20);
					options.onDate?.(NOW);
					const page = after.get(last) ?? pages.length;
					await new Promise((resolve) => setTimeout(resolve, 0));
					const items: unknown = JSON.parse(pages[page]?.toString() ?? '[]');
					return {
						items: Array.isArray(items) ? items.filter(isRecord) : [],
						hasMore: page + 1 < pages.length,
					};
				},
				{ ...options, pageSize: PAGE_SIZE },
				() => undefined,
			);
		},
	};
}

void main();
