/**
 * Requests, CPU and the longest block of the event loop of the poll trigger's polls, for services that list 3, 9 and 50 events
 * per second, steady and after an outage: `npx tsx scripts/bench/polls.bench.ts`. The clock is a number; the ledger is SQLite, or with
 * `--memory` an object.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { ledgerKey, newAttempt } from '../../lib/ledger';
import { EventLedger } from '../../lib/ledger/eventLedger';
import { SqliteStore } from '../../lib/ledger/sqlite';
import { poll, type PollOptions } from '../../lib/poll';
import { walkPages } from '../../lib/service/lists/paging';
import { cacheFolder } from '../../test/support/cache';
import { MemoryStore } from '../../test/unit/ledger/memoryStore';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const OUTAGE = 2 * HOUR;
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

async function main(): Promise<void> {
	const only = process.argv.slice(2).map(Number).filter(Number.isFinite);
	const rows = [];
	for (const network of NETWORKS) {
		if (only.length === 0 || only.includes(network.perSecond)) rows.push(await measure(network));
	}
	console.table(Object.fromEntries(rows));
}

async function measure({ perSecond, pageSize, batchSize }: Network) {
	const parent = cacheFolder();
	mkdirSync(parent, { recursive: true });
	const folder = mkdtempSync(join(parent, 'polls-bench-'));
	const isInMemory = process.argv.includes('--memory');
	const store = isInMemory
		? new MemoryStore()
		: new SqliteStore({ path: join(folder, 'l.sqlite') });
	const ledger = new EventLedger({ store });
	const workflowId = `polls-${perSecond}`;
	const clock = { now: START, ms: 0 };
	const seen = { requests: 0, started: 0, twice: 0 };
	const startedAt = new Uint8Array(Math.ceil((24 * HOUR * perSecond) / 1_000));
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
	const pollOnce = async () => {
		const { started, failure } = await poll({
			ledger,
			workflowId,
			nodeId: 'node',
			client: { list },
			startFrom: 'now' as const,
			pageSize,
			batchSize,
			isWanted: () => true,
			handOver,
			memory: { read: () => undefined, write: () => undefined },
			warn: (message) => {
				console.error(message);
			},
			budgetMs: MINUTE / 2,
			now: () => clock.now,
			clock: () => clock.ms,
		});
		if (failure) throw failure;
		await started;
	};
	try {
		clock.now += 3 * HOUR;
		await pollOnce();
		const first = newest();
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
		const missedFrom = newest();
		clock.now += OUTAGE;
		const missedTo = newest();
		const isCaughtUp = () => {
			for (let n = missedFrom + 1; n <= missedTo; n++) if (!startedAt[n]) return false;
			return true;
		};
		seen.requests = 0;
		let polls = 0;
		const cpu = process.cpuUsage();
		delay.reset();
		delay.enable();
		while (!isCaughtUp() && polls < MOST_POLLS) {
			await pollOnce();
			polls += 1;
			clock.now += MINUTE;
		}
		delay.disable();
		const { user, system } = process.cpuUsage(cpu);
		const missedPages = Math.ceil((missedTo - missedFrom) / pageSize);
		let missing = 0;
		for (let n = first + 1; n <= missedTo; n++) if (!startedAt[n]) missing += 1;
		const newPages = MINUTE / everyMs / pageSize;
		return [
			`${perSecond} events/s, pages of ${pageSize}, executions of ${batchSize}`,
			{
				'requests per steady poll': (steady.requests / STEADY_POLLS).toFixed(1),
				'new pages': newPages.toFixed(1),
				'CPU, ms': (steady.cpuMs / STEADY_POLLS).toFixed(0),
				'longest block, ms': steady.longestMs.toFixed(0),
				'missed pages': missedPages,
				'polls to catch up': isCaughtUp() ? polls : `more than ${polls}`,
				'requests to catch up': seen.requests,
				'CPU to catch up, s': ((user + system) / 1e6).toFixed(1),
				'longest block then, ms': (delay.max / 1e6).toFixed(0),
				'never started': missing,
				'started twice': seen.twice,
			},
		] as const;
	} finally {
		await ledger.close();
		rmSync(folder, { recursive: true });
	}
}

void main();
