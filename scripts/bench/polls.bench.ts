/**
 * Requests, CPU and the longest block of the event loop of both polling triggers, for services that list 3, 9 and 50 events
 * per second: steady, after two hours without a poll, and with another hour without one in the middle of that catch-up:
 * `npx tsx scripts/bench/polls.bench.ts [events per second]`. The clock is a number; the ledger is SQLite, or with `--memory` an
 * object. Then, or only that with `--day`, the requests for each page of new events over a day at 9 events per second, looks back
 * included, in lists of either order; there, the ledger is an object.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { positionShape, unreadFrom } from '../../lib/follow/position';
import { type Ledger, ledgerKey, newAttempt } from '../../lib/ledger';
import { EventLedger } from '../../lib/ledger/eventLedger';
import { SqliteStore } from '../../lib/ledger/sqlite/store';
import { poll, type PollOptions } from '../../lib/poll';
import { walkPages } from '../../lib/service/paging';
import { pollStations } from '../../lib/station';
import { object, parse } from '../../lib/vendor/zod';
import { readStationSettings } from '../../n8n/polling/station/settings';
import { cacheFolder } from '../../test/support/cache';
import { recordIn } from '../../test/support/records';
import { MemoryStore } from '../../test/unit/ledger/memoryStore';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const OUTAGE = 2 * HOUR;
const SECOND_OUTAGE = HOUR;
const STEADY_POLLS = 30;
const MOST_POLLS = 130;
const START = Date.UTC(2026, 0, 10);
/** The time that a request takes. */
const REQUEST_MS = 150;
const RETENTION_MS = 35 * DAY;
/** No run is longer. */
const LONGEST = 2 * DAY;

interface Network {
	readonly perSecond: number;
	readonly pageSize: number;
	readonly batchSize: number;
}

const NETWORKS: readonly Network[] = [
	{ perSecond: 3, pageSize: 100, batchSize: 100 },
	{ perSecond: 9, pageSize: 100, batchSize: 100 },
	{ perSecond: 50, pageSize: 100, batchSize: 1_000 },
];
const TRIGGERS = ['Poll Trigger', 'Station Trigger'] as const;
type Trigger = (typeof TRIGGERS)[number];

async function main(): Promise<void> {
	const args = process.argv.slice(2);
	const only = args.map(Number).filter(Number.isFinite);
	const rows: Record<string, object> = {};
	for (const network of NETWORKS) {
		if (args.includes('--day') || (only.length > 0 && !only.includes(network.perSecond))) continue;
		for (const trigger of TRIGGERS) {
			rows[`${trigger}, ${network.perSecond} events/s`] = await measure(trigger, network);
		}
	}
	if (Object.keys(rows).length > 0) console.table(rows);
	if (only.length > 0) return;
	const days: Record<string, object> = {};
	for (const trigger of TRIGGERS) {
		for (const order of ['newest', 'oldest'] as const) {
			days[`${trigger}, ${order} first`] = await measureDay(trigger, order === 'oldest');
		}
	}
	console.table(days);
}

/** A trigger and a service, on a clock that the caller moves. */
function worldOf(
	trigger: Trigger,
	{ perSecond, pageSize, batchSize }: Network,
	{ ledger, isOldestFirst = false }: { ledger: Ledger; isOldestFirst?: boolean },
) {
	const workflowId = `polls-${perSecond}`;
	const nodeId = 'node';
	const clock = { now: START, ms: 0 };
	const seen = { requests: 0, started: 0, twice: 0 };
	const startedAt = new Uint8Array(Math.ceil((LONGEST * perSecond) / 1_000));
	const everyMs = 1_000 / perSecond;
	const newest = () => Math.floor((clock.now - START) / everyMs);
	const idOf = (n: number) => `whevt_${n}`;
	const list: PollOptions['client']['list'] = (resource, options) =>
		walkPages(
			async (limit, after) => {
				// The asset list is no part of what is measured.
				if (resource !== 'event') return { items: [], hasMore: false };
				seen.requests += 1;
				clock.ms += REQUEST_MS;
				const step = isOldestFirst ? 1 : -1;
				const head = isOldestFirst ? 0 : newest();
				const first = after === undefined ? head : Number(after.slice(6)) + step;
				const left = isOldestFirst ? newest() - first + 1 : first + 1;
				const count = Math.max(0, Math.min(limit, left));
				return {
					items: Array.from({ length: count }, (_unused, n) => ({
						id: idOf(first + n * step),
						eventType: 'ocpp.message',
						assetId: `asset_${n}`,
						createdAt: new Date(START + (first + n * step) * everyMs).toISOString(),
						payload: {
							messageType: 'MeterValues',
							connectorId: 1,
							transactionId: first,
							padding: 'x'.repeat(300),
						},
					})),
					hasMore: left > count,
				};
			},
			{ ...options, pageSize: options.pageSize ?? pageSize },
			() => undefined,
		);
	const handOver: PollOptions['handOver'] = async (items) => {
		const run = newAttempt('1');
		const ids = items.map(({ record }) => String(record['id']));
		const keys = ids.map((id) => ledgerKey(workflowId, id));
		for (let from = 0; from < keys.length; from += 100) {
			await ledger.begin(keys.slice(from, from + 100), {
				run,
				acknowledge: 'stored',
				retentionMs: RETENTION_MS,
			});
		}
		for (const id of ids) {
			const n = Number(id.slice(6));
			if (startedAt[n]) seen.twice += 1;
			startedAt[n] = 1;
			seen.started += 1;
		}
		return true;
	};
	const options = {
		...{ ledger, workflowId, nodeId, client: { list }, batchSize, handOver },
		memory: { read: () => undefined, write: () => undefined },
		warn: (message: string) => {
			console.error(message);
		},
		budgetMs: MINUTE / 2,
		now: () => clock.now,
		clock: () => clock.ms,
	};
	const settings = readStationSettings((_name, fallback) => fallback).station;
	const startOnce = async () =>
		trigger === 'Station Trigger'
			? await pollStations({ ...options, settings })
			: await poll({ ...options, startFrom: 'now', wanted: '', pageSize, isWanted: () => true });
	const stateKey =
		trigger === 'Station Trigger'
			? `station:${workflowId}:${nodeId}:head`
			: `poll:${workflowId}:${nodeId}`;
	const pollOnce = async () => {
		const { started, failure } = await startOnce();
		if (failure) throw failure;
		await started;
	};
	const isReadUntil = async (time: number) => {
		const text = await ledger.readRecord(stateKey);
		const { position } = parse(object({ position: positionShape }), recordIn(text));
		return unreadFrom(position) === Infinity && position.newestAt >= time;
	};
	return { clock, seen, startedAt, everyMs, newest, pollOnce, isReadUntil };
}

/** Requests for each page of new events: of the hour after the first poll on, since the longer look back comes a day after it. */
async function measureDay(trigger: Trigger, isOldestFirst: boolean) {
	const network = { perSecond: 9, pageSize: 100, batchSize: 100 };
	const ledger = new EventLedger({ store: new MemoryStore() });
	const world = worldOf(trigger, network, { ledger, isOldestFirst });
	const { clock, seen, pollOnce } = world;
	const polls = async (count: number) => {
		for (let n = 0; n < count; n++) {
			await pollOnce();
			clock.now += MINUTE;
		}
	};
	clock.now += HOUR;
	await polls(61);
	seen.requests = 0;
	const cpu = process.cpuUsage();
	await polls(DAY / MINUTE);
	const { user, system } = process.cpuUsage(cpu);
	await ledger.close();
	const pages = (DAY * network.perSecond) / 1_000 / network.pageSize;
	return {
		requests: seen.requests,
		'for each new page': (seen.requests / pages).toFixed(2),
		'CPU per poll, ms': ((user + system) / 1_000 / (DAY / MINUTE)).toFixed(0),
	};
}

async function measure(trigger: Trigger, network: Network) {
	const { perSecond, pageSize } = network;
	const parent = cacheFolder();
	mkdirSync(parent, { recursive: true });
	const folder = mkdtempSync(join(parent, 'polls-bench-'));
	const isInMemory = process.argv.includes('--memory');
	const store = isInMemory
		? new MemoryStore()
		: new SqliteStore({ path: join(folder, 'l.sqlite') });
	const ledger = new EventLedger({ store });
	const world = worldOf(trigger, network, { ledger });
	const { clock, seen, startedAt, everyMs, newest, pollOnce, isReadUntil } = world;
	const delay = monitorEventLoopDelay({ resolution: 1 });
	/** Polls each minute until the list is read up to now, or as often as that. */
	const catchUp = async (most = MOST_POLLS) => {
		const until = START + newest() * everyMs;
		seen.requests = 0;
		let polls = 0;
		const cpu = process.cpuUsage();
		delay.reset();
		delay.enable();
		while (polls < most && !(await isReadUntil(until))) {
			await pollOnce();
			polls += 1;
			clock.now += MINUTE;
		}
		delay.disable();
		const { user, system } = process.cpuUsage(cpu);
		const isDone = await isReadUntil(until);
		return { polls, isDone, requests: seen.requests, seconds: (user + system) / 1e6 };
	};
	try {
		clock.now += 3 * HOUR;
		await pollOnce();
		const first = newest();
		// The past, which the Station Trigger reads for the state before its publication.
		clock.now += MINUTE;
		await catchUp();
		const steady = { requests: 0, cpuMs: 0, longestMs: 0 };
		for (let n = 0; n < STEADY_POLLS + 2; n++) {
			clock.now += MINUTE;
			if (n === 2) seen.requests = 0;
			const before = process.cpuUsage();
			delay.reset();
			delay.enable();
			await pollOnce();
			delay.disable();
			const { user, system } = process.cpuUsage(before);
			if (n < 2) continue;
			steady.cpuMs += (user + system) / 1_000;
			steady.longestMs = Math.max(steady.longestMs, delay.max / 1e6);
		}
		steady.requests = seen.requests;
		clock.now += OUTAGE;
		const missedPages = Math.ceil((OUTAGE * perSecond) / 1_000 / pageSize);
		const once = await catchUp();
		const longestMs = delay.max / 1e6;
		clock.now += OUTAGE;
		await catchUp(Math.max(1, Math.floor(once.polls / 2)));
		clock.now += SECOND_OUTAGE;
		const twice = await catchUp();
		const last = newest();
		await catchUp();
		let missing = 0;
		for (let n = first + 1; n <= last; n++) if (!startedAt[n]) missing += 1;
		const pollsOf = ({ polls, isDone }: typeof once) => (isDone ? polls : `more than ${polls}`);
		const isStation = trigger === 'Station Trigger';
		return {
			'requests per steady poll': (steady.requests / STEADY_POLLS).toFixed(1),
			'new pages': (MINUTE / everyMs / pageSize).toFixed(1),
			'CPU, ms': (steady.cpuMs / STEADY_POLLS).toFixed(0),
			'longest block, ms': steady.longestMs.toFixed(0),
			'missed pages': missedPages,
			'polls to catch up': pollsOf(once),
			'requests to catch up': once.requests,
			'CPU to catch up, s': once.seconds.toFixed(1),
			'longest block then, ms': longestMs.toFixed(0),
			'polls after a second gap': pollsOf(twice),
			'requests after it': twice.requests,
			'never started': isStation ? '-' : missing,
			'started twice': isStation ? '-' : seen.twice,
		};
	} finally {
		await ledger.close();
		rmSync(folder, { recursive: true });
	}
}

void main();
