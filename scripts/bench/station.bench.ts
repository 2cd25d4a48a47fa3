/**
 * CPU, the longest block of the event loop, and the writes of the station trigger's polls, for 10,000 stations with 9 events
 * per second, and a storm of 500 stations that are offline at once: `npx tsx scripts/bench/station.bench.ts [kind]`, with
 * `--field` for stations as they are in the field. The clock is a number; the ledger is SQLite. The list is computed beforehand, so
 * only reading it counts.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ledgerKey, newAttempt } from '../../lib/ledger';
import { EventLedger } from '../../lib/ledger/eventLedger';
import { hostClock } from '../../lib/ledger/sqlite/hostClock';
import { SqliteStore } from '../../lib/ledger/sqlite/store';
import { walkPages } from '../../lib/service/paging';
import { isRecord } from '../../lib/shared/values';
import { RETENTION_MS } from '../../lib/start';
import { type Kind, pollStations, type StationPollOptions } from '../../lib/station';
import { readStationSettings } from '../../n8n/polling/station/settings';
import { activated, type Asset, generateAssets } from '../../simulator/data/assets';
import { fieldHistory } from '../../simulator/data/field/habits/history';
import { ComputedNetwork } from '../../simulator/data/network/network';
import type { DeliveredEvent } from '../../simulator/shared/types';
import { cacheFolder } from '../../test/support/cache';
import { watchLoop } from './blocks';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.UTC(2026, 0, 10, 12);
const STATIONS = 10_000;
const PER_SECOND = 9;
/** The field sends that many events with heartbeats twice an hour. */
const FIELD_PACE = { upMs: 24 * HOUR, quietMs: 12 * HOUR, heartbeatMs: HOUR / 2 };
/** All stations begin at the same time: what happens at them is spread evenly that much later. */
const FIELD_BEGINS_MS = 24 * HOUR;
const CATCH_UP_HOURS = 6;
/** Whole hours, since some polls look back, the longest once an hour. Looking for blocks costs CPU, so those polls are others. */
const CPU_POLLS = 120;
const BLOCK_POLLS = 60;
const STEADY_POLLS = CPU_POLLS + BLOCK_POLLS;
const STORM = 500;
const STORM_AT = START + (STEADY_POLLS + 5) * MINUTE + 30_000;
const STORM_MS = 10 * MINUTE;
const STORM_POLLS = 24;
/** From the catch-up of the first poll to the last poll. */
const FROM = START - (CATCH_UP_HOURS + 1) * HOUR;
const TO = START + (STEADY_POLLS + STORM_POLLS + 1) * MINUTE;
const KINDS: readonly Kind[] = [
	'stationOffline',
	'connectorStatus',
	'connectorFault',
	'sessionEnded',
];

interface Listed {
	readonly id: string;
	readonly at: number;
	/** As the service sends it. */
	readonly text: string;
}

async function main(): Promise<void> {
	const options = { field: { type: 'boolean', default: false } } as const;
	const { positionals, values } = parseArgs({ options, allowPositionals: true });
	const [only] = positionals;
	const assets = generateAssets(STATIONS).map(activated);
	const steady = values.field ? fieldEventsOf(assets) : eventsOf(assets);
	const list = [...steady, ...stormOf(assets)].sort((a, b) => a.at - b.at);
	const perSecond = (steady.length * 1000) / (TO - FROM);
	console.log(`${STATIONS} stations, ${perSecond.toFixed(1)} events/s, a poll per minute`);
	const rows: Record<string, object> = {};
	for (const kind of KINDS) {
		if (only !== undefined && only !== kind) continue;
		const world = await createWorld(kind, assets, kind === 'stationOffline' ? list : steady);
		try {
			rows[`${kind}: first poll, ${CATCH_UP_HOURS} hours`] = shown([await world.poll(true)]);
			const polls: Polled[] = [];
			for (let n = 0; n < STEADY_POLLS; n++) {
				world.clock.now += MINUTE;
				polls.push(await world.poll(n < CPU_POLLS));
			}
			rows[`${kind}: ${STEADY_POLLS} steady polls`] = shown(polls);
			if (kind === 'stationOffline') rows['storm of 500 stations'] = await storm(world);
		} finally {
			await world.close();
		}
	}
	console.table(rows);
}

type World = Awaited<ReturnType<typeof createWorld>>;

/** The first execution fails, so it is started again; the polls look for blocks, and so cost more CPU than usual. */
async function storm(world: World): Promise<object> {
	world.executions.length = 0;
	world.fate.failing = 1;
	const polls: Polled[] = [];
	for (let n = 0; n < STORM_POLLS; n++) {
		world.clock.now += MINUTE;
		polls.push(await world.poll(false));
	}
	const large = world.executions.filter(({ length }) => length >= STORM / 2);
	console.log(
		'executions in the storm, by items:',
		world.executions.map((items) => items.length).join(' '),
	);
	const states = large.map((items) => items.filter((state) => state === 'opened').length);
	console.log('of which opened in the large ones:', states.join(' '));
	return shown(polls);
}

/** Of all stations. */
function eventsOf(assets: readonly Asset[]): Listed[] {
	const network = new ComputedNetwork(assets, PER_SECOND);
	const events: Listed[] = [];
	for (let slot = network.slotAt(FROM); slot <= network.slotAt(TO); slot++) {
		const event = network.eventAt(slot);
		if (event !== undefined) events.push(listed(event));
	}
	return events;
}

function fieldEventsOf(assets: readonly Asset[]): Listed[] {
	const fromMs = FROM - FIELD_BEGINS_MS;
	const time = { fromMs, lengthMs: TO - fromMs, pace: FIELD_PACE };
	const { events } = fieldHistory({ seed: 1, assets, habits: 'mixed', ...time });
	return events.map(listed).filter(({ at }) => at >= FROM);
}

/** Stations that lose their connection at the same time, and get it back. */
function stormOf(assets: readonly Asset[]): Listed[] {
	return assets.slice(0, STORM).flatMap(({ id }) =>
		(['DISCONNECTED', 'CONNECTED'] as const).map((status, n) =>
			listed({
				id: `whevt_storm_${id}_${n}`,
				type: 'asset.connectivity',
				createdAt: new Date(STORM_AT + n * STORM_MS).toISOString(),
				data: { asset: { id }, status },
			}),
		),
	);
}

function listed({ id, type: eventType, createdAt, data: payload }: DeliveredEvent): Listed {
	const text = JSON.stringify({ id, eventType, createdAt, payload });
	// Some services write no zone.
	return { id, at: Date.parse(createdAt.replace(/Z?$/, 'Z')), text };
}

interface Polled {
	/** Of all threads; undefined if the poll looked for blocks. */
	readonly cpuMs: number | undefined;
	/** The most CPU of the main thread without a break. */
	readonly blockMs: number | undefined;
	readonly requests: number;
	readonly writes: number;
	readonly bytes: number;
	readonly items: number;
}

async function createWorld(kind: Kind, assets: readonly Asset[], list: readonly Listed[]) {
	const parent = cacheFolder();
	mkdirSync(parent, { recursive: true });
	const folder = mkdtempSync(join(parent, 'station-bench-'));
	const clock = { now: START };
	const store = new SqliteStore({
		path: join(folder, 'ledger.sqlite'),
		clock: { ...hostClock(), now: () => clock.now },
	});
	const ledger = new EventLedger({ store });
	const seen = { requests: 0, writes: 0, bytes: 0, items: 0 };
	const swap = store.swapRecord.bind(store);
	store.swapRecord = async (key, expected, next, keepMs) => {
		seen.writes += 1;
		seen.bytes += Buffer.byteLength(next ?? '');
		return await swap(key, expected, next, keepMs);
	};
	const workflowId = `station-${kind}`;
	const { station, batchSize, acknowledge } = readStationSettings((name, fallback) => {
		if (name === 'options') return { catchUpHours: CATCH_UP_HOURS };
		return { triggerOn: kind, acknowledge: 'succeeded' }[name] ?? fallback;
	});
	const executions: unknown[][] = [];
	const fate = { failing: 0 };
	const handOver: StationPollOptions['handOver'] = async (items) => {
		const run = newAttempt('1');
		const keys = items.map(({ record }) => ledgerKey(workflowId, String(record['id'])));
		await ledger.begin(keys, { run, acknowledge, retentionMs: RETENTION_MS });
		executions.push(items.map(({ record }) => record['state']));
		seen.items += items.length;
		await ledger.end(run, items.length >= STORM / 2 && fate.failing-- > 0 ? 'failed' : 'succeeded');
		return true;
	};
	const options = {
		ledger,
		workflowId,
		nodeId: 'node',
		settings: station,
		batchSize,
		handOver,
		client: clientOf(list, assets, clock, seen),
		memory: { read: () => undefined, write: () => undefined },
		warn: (message: string) => {
			console.error(`${kind}: ${message}`);
		},
		now: () => clock.now,
		clock: () => clock.now,
		budgetMs: Infinity,
	};
	return {
		clock,
		executions,
		fate,
		poll: (isForCpu: boolean) => measured(options, isForCpu, seen),
		close: async () => {
			await ledger.close();
			rmSync(folder, { recursive: true });
		},
	};
}

/** Lists newest first, as pages of text. */
function clientOf(
	list: readonly Listed[],
	assets: readonly Asset[],
	clock: { readonly now: number },
	seen: { requests: number },
): StationPollOptions['client'] {
	const indexOf = new Map(list.map(({ id }, index) => [id, index]));
	const stations = assets.map((asset) => ({ id: asset.id, text: JSON.stringify(asset) }));
	const placeOf = new Map(stations.map(({ id }, index) => [id, index]));
	const eventsAfter = (after: string | undefined, limit: number) => {
		const end = after === undefined ? countUntil(list, clock.now) : (indexOf.get(after) ?? 0);
		const texts = list.slice(Math.max(0, end - limit), end).map(({ text }) => text);
		return { texts: texts.reverse(), hasMore: end > limit };
	};
	const assetsAfter = (after: string | undefined, limit: number) => {
		const from = after === undefined ? 0 : (placeOf.get(after) ?? 0) + 1;
		const texts = stations.slice(from, from + limit).map(({ text }) => text);
		return { texts, hasMore: from + limit < stations.length };
	};
	return {
		list: (resource, options) =>
			walkPages(
				async (limit, after) => {
					seen.requests += 1;
					options.onDate?.(Math.floor(clock.now / 1000) * 1000);
					const pageAfter = resource === 'asset' ? assetsAfter : eventsAfter;
					const { texts, hasMore } = pageAfter(after, limit);
					// As from a socket.
					await new Promise((resolve) => setTimeout(resolve, 0));
					const items: unknown = JSON.parse(`[${texts.join(',')}]`);
					return { items: Array.isArray(items) ? items.filter(isRecord) : [], hasMore };
				},
				{ ...options, pageSize: options.pageSize ?? 100 },
				() => undefined,
			),
	};
}

/** The number of events created by then. */
function countUntil(list: readonly Listed[], until: number): number {
	let [low, high] = [0, list.length];
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((list[middle]?.at ?? Infinity) <= until) low = middle + 1;
		else high = middle;
	}
	return low;
}

async function measured(
	options: StationPollOptions,
	isForCpu: boolean,
	seen: { requests: number; writes: number; bytes: number; items: number },
): Promise<Polled> {
	Object.assign(seen, { requests: 0, writes: 0, bytes: 0, items: 0 });
	const watch = isForCpu ? undefined : watchLoop();
	const before = process.cpuUsage();
	const { failure, started } = await pollStations(options);
	if (failure) throw failure;
	await started;
	const { user, system } = process.cpuUsage(before);
	const cpuMs = isForCpu ? (user + system) / 1_000 : undefined;
	return { cpuMs, blockMs: watch?.(), ...seen };
}

function shown(polls: readonly Polled[]): object {
	const of = (pick: (polled: Polled) => number | undefined) =>
		polls.map(pick).filter((value) => value !== undefined);
	const mean = (values: readonly number[], digits = 0) =>
		(values.reduce((sum, value) => sum + value, 0) / values.length).toFixed(digits);
	const most = (values: readonly number[]) => Math.max(...values).toFixed(0);
	const cpu = of(({ cpuMs }) => cpuMs);
	const blocks = of(({ blockMs }) => blockMs);
	return {
		requests: mean(of(({ requests }) => requests)),
		'CPU, ms': cpu.length > 0 ? mean(cpu) : '-',
		'most CPU, ms': cpu.length > 0 ? most(cpu) : '-',
		'longest block, ms': blocks.length > 0 ? most(blocks) : '-',
		writes: mean(
			of(({ writes }) => writes),
			1,
		),
		'most writes': most(of(({ writes }) => writes)),
		'kB written': mean(of(({ bytes }) => bytes / 1024)),
		'most kB': most(of(({ bytes }) => bytes / 1024)),
		items: most(of(({ items }) => items)),
	};
}

void main();
