/**
 * Requests, CPU and the longest block of the event loop of both polling triggers, for services that list 3, 9 and 50 events
 * per second: steady, after two hours without a poll, and with another hour without one in the middle of that catch-up:
 * `npx tsx scripts/bench/polls.bench.ts [events per second]`. The clock is a number; the ledger is SQLite, or with `--memory` an
 * object.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { positionShape, unreadFrom } from '../../lib/follow/position';
import { ledgerKey, newAttempt } from '../../lib/ledger';
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
const OUTAGE = 2 * HOUR;
const SECOND_OUTAGE = HOUR;
const STEADY_POLLS = 30;
const MOST_POLLS = 130;
const START = Date.UTC(2026, 0, 10);
/** The time that a request takes. */
const REQUEST_MS = 150;
const RETENTION_MS = 35 * 24 * HOUR;

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
	const only = process.argv.slice(2).map(Number).filter(Number.isFinite);
	const rows: Record<string, object> = {};
	for (const network of NETWORKS) {
		if (only.length > 0 && !only.includes(network.perSecond)) continue;
		for (const trigger of TRIGGERS) {
			rows[`${trigger}, ${network.perSecond} events/s`] = await measure(trigger, network);
		}
	}
	console.table(rows);
}

async function measure(trigger: Trigger, { perSecond, pageSize, batchSize }: Network) {
	const parent = cacheFolder();
	mkdirSync(parent, { recursive: true });
	const folder = mkdtempSync(join(parent, 'polls-bench-'));
	const isInMemory = process.argv.includes('--memory');
	const store = isInMemory
		? new MemoryStore()
		: new SqliteStore({ path: join(folder, 'l.sqlite') });
	const ledger = new EventLedger({ store });
	const workflowId = `polls-${perSecond}`;
	const nodeId = 'node';
	const clock = { now: START, ms: 0 };
	const seen = { requests: 0, started: 0, twice: 0 };
	const startedAt = new Uint8Array(Math.ceil((48 * HOUR * perSecond) / 1_000));
	const everyMs = 1_000 / perSecond;
	const newest = () => Math.floor((clock.now - START) / everyMs);
	const idOf = (n: number) => `whevt_${n}`;
	const list: PollOptions['client']['list'] = (_resource, options) =>
		walkPages(
			async (limit, after) => {
				seen.requests += 1;
				clock.ms += REQUEST_MS;
				const first = after === undefined ? newest() : Number(after.slice(6)) - 1;
				const count = Math.max(0, Math.min(limit, first + 1));
				return {
					items: Array.from({ length: count }, (_unused, n) => ({
						id: idOf(first - n),
						eventType: 'ocpp.message',
						assetId: `asset_${n}`,
						createdAt: new Date(START + (first - n) * everyMs).toISOString(),
						payload: {
							messageType: 'MeterValues',
							connectorId: 1,
							transactionId: first,
							padding: 'x'.repeat(300),
						},
					})),
					hasMore: first - count >= 0,
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
	const delay = monitorEventLoopDelay({ resolution: 1 });
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
