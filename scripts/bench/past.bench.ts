/**
 * CPU, memory, the longest block of the event loop and the requests of questions about the past: 30 days of 100 stations with
 * 0.09 events per second, and 6 hours of 10,000 stations with 9. `npx tsx --expose-gc scripts/bench/past.bench.ts`. The list is
 * computed beforehand. Next to it, a script that reads the same pages, keeps the events, and only adds up the time offline.
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
const SCENES = [
	{ name: '30 days of 100 stations', stations: 100, perSecond: 0.09, backMs: 29 * DAY },
	{ name: '6 hours of 10,000 stations', stations: 10_000, perSecond: 9, backMs: 5 * HOUR },
];

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
	for (const { name, stations, perSecond, backMs } of SCENES) {
		const assets = generateAssets(stations).map(activated);
		const list = eventsOf(assets, perSecond, NOW - backMs - HOUR);
		console.log(`${name}: ${list.length.toLocaleString('en')} events`);
		const rows: Record<string, object> = {};
		for (const [question, [wants, ask]] of Object.entries(QUESTIONS)) {
			rows[question] = await measured(list, assets, async (client, isForMemory) => {
				const past = await readPast({
					...{ client, wants, words: DEFAULT_CONNECTION, maxEvents: 1_000_000, now: NOW },
					...{ from: NOW - backMs, lookBackMs: HOUR },
				});
				const kept = heapIf(isForMemory);
				const directory = await directoryNow(client);
				const items = await ask({ past, directory, owner: OWNER, assetIds: undefined });
				return { items: items.length, kept };
			});
		}
		rows['script that keeps the events'] = await measured(list, assets, naive);
		console.table(rows);
	}
}

/** Newest first. */
function eventsOf(assets: readonly Asset[], perSecond: number, from: number): Listed[] {
	const network = new ComputedNetwork(assets, perSecond);
	const events: Listed[] = [];
	for (let slot = network.slotAt(NOW); slot >= network.slotAt(from); slot--) {
		const event = network.eventAt(slot);
		if (event === undefined) continue;
		const { id, type: eventType, createdAt, data: payload } = event;
		events.push({ id, text: JSON.stringify({ id, eventType, createdAt, payload }) });
	}
	return events;
}

/** What a Code node after n8n's HTTP Request node would do. */
async function naive(
	client: Client,
	isForMemory: boolean,
): Promise<{ items: number; kept: number }> {
	const events: Record<string, unknown>[] = [];
	for await (const record of client.list('event', { pageSize: 100 })) events.push(record);
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
async function measured(
	list: readonly Listed[],
	assets: readonly Asset[],
	ask: Ask,
): Promise<object> {
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
function clientOf(list: readonly Listed[], assets: readonly Asset[], seen: Seen): Client {
	const listOf = (all: readonly Listed[]) => ({
		all,
		placeOf: new Map(all.map(({ id }, index) => [id, index])),
	});
	const lists = {
		event: listOf(list),
		asset: listOf(assets.map((asset) => ({ id: asset.id, text: JSON.stringify(asset) }))),
	};
	return {
		list: (resource, options) => {
			const { all, placeOf } = resource === 'asset' ? lists.asset : lists.event;
			return walkPages(
				async (limit, after) => {
					seen.requests += 1;
					seen.heap = Math.max(seen.heap, process.memoryUsage().heapUsed / 2 ** 20);
					options.onDate?.(NOW);
					const from = after === undefined ? 0 : (placeOf.get(after) ?? 0) + 1;
					await new Promise((resolve) => setTimeout(resolve, 0));
					const texts = all.slice(from, from + limit).map(({ text }) => text);
					const items: unknown = JSON.parse(`[${texts.join(',')}]`);
					return {
						items: Array.isArray(items) ? items.filter(isRecord) : [],
						hasMore: from + limit < all.length,
					};
				},
				{ ...options, pageSize: options.pageSize ?? 100 },
				() => undefined,
			);
		},
	};
}

void main();
