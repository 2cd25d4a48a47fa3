/**
 * Cost of an event in the ledger, by the number of IDs in it: `npx tsx scripts/bench/ledger.bench.ts [--up-to 10000000]`;
 * with `--up-to 0`, only the time of the main thread. Measures SQLite, and Redis if redis-server is installed.
 */
import { createHash, randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { type Ledger, ledgerKey, newAttempt } from '../../lib/ledger';
import { EventLedger } from '../../lib/ledger/eventLedger';
import { encode } from '../../lib/ledger/life/entry';
import { readRedisSettings } from '../../lib/ledger/redis/settings';
import { RedisStore } from '../../lib/ledger/redis/store';
import { SqliteStore } from '../../lib/ledger/sqlite/store';
import { Redis } from '../../lib/vendor/ioredis';
import { type RedisServer, redisServer, startRedis } from '../../test/support/redis';
import { printMainThread } from './mainThread';
import { median } from './median';

const SIZES = [1_000, 100_000, 1_000_000, 10_000_000];
const ROUNDS = 15;
const EVENTS_PER_ROUND = 500;
const WARM_UP_EVENTS = 900;
const RETENTION_MS = 30 * 24 * 60 * 60 * 1_000;
const FILL_CHUNK = 50_000;
/** As in a file in daily use, where expired entries stay until their turn to be removed. */
const EXPIRED_SHARE = 1 / 8;

interface Measured {
	/** Per event, in the fastest round: other work on the machine can only add to it. */
	readonly microseconds: number;
	/** Compared with a ledger of some thousand IDs at the same time; median of the rounds. */
	readonly ratio: number;
	readonly slowestMs: number;
}

interface Row extends Measured {
	readonly ids: number;
	readonly bytesPerId: number;
}

async function main(): Promise<void> {
	const { values } = parseArgs({ options: { 'up-to': { type: 'string', default: '10000000' } } });
	const sizes = SIZES.filter((size) => size <= Number(values['up-to']));
	await printMainThread();
	if (sizes.length === 0) return;
	print('SQLite', await measureSqlite(sizes));
	if (redisServer() === undefined) console.log('Redis: skipped, redis-server is not installed');
	else print('Redis', await measureRedis(sizes));
}

async function measureSqlite(sizes: readonly number[]): Promise<Row[]> {
	const folder = mkdtempSync(join(tmpdir(), 'ledger-bench-'));
	const path = join(folder, 'ledger.sqlite');
	const ledger = openSqlite(path);
	const referencePath = join(folder, 'reference.sqlite');
	const reference = openSqlite(referencePath);
	const rows: Row[] = [];
	try {
		await warmUp(ledger);
		await warmUp(reference);
		fillSqlite(referencePath, 1_000);
		for (const ids of sizes) {
			await ledger.close();
			fillSqlite(path, ids);
			const bytesPerId = statSync(path).size / ids;
			rows.push({ ...(await measure(ledger, reference)), ids, bytesPerId });
		}
	} finally {
		await ledger.close();
		await reference.close();
		rmSync(folder, { recursive: true });
	}
	return rows;
}

function openSqlite(path: string): EventLedger {
	return new EventLedger({ store: new SqliteStore({ path }) });
}

/** An event whose execution has succeeded. */
function entry(): string {
	return encode({
		kind: 'done',
		at: Date.now(),
		grace: 0,
		attempts: 1,
		repeats: false,
		reopenings: 0,
		run: newAttempt('12345'),
	});
}

/** Inserts the rows that this many events would leave, in the same order of keys, without waiting for the disk. */
function fillSqlite(path: string, upTo: number): void {
	const db = new DatabaseSync(path);
	db.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000');
	const insert = db.prepare('INSERT INTO entry (key, text, expires) VALUES (?, ?, ?)');
	let ids = Number(db.prepare('SELECT count(*) AS ids FROM entry').get()?.['ids']);
	while (ids < upTo) {
		db.exec('BEGIN');
		const chunk = Math.min(FILL_CHUNK, upTo - ids);
		for (let n = 0; n < chunk; n++) insert.run(randomBytes(32), entry(), expiry());
		db.exec('COMMIT');
		ids += chunk;
	}
	db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
	db.close();
	// Otherwise the first measured checkpoint would include these rows.
	const file = openSync(path, 'r+');
	fsyncSync(file);
	closeSync(file);
}

function expiry(): number {
	return Date.now() + (Math.random() < EXPIRED_SHARE ? -1_000 : Math.random() * RETENTION_MS);
}

async function measureRedis(sizes: readonly number[]): Promise<Row[]> {
	const server = await startRedis();
	const referenceServer = await startRedis();
	const ledger = openRedis(server);
	const reference = openRedis(referenceServer);
	const client = new Redis(server.url);
	const rows: Row[] = [];
	try {
		const empty = await usedMemory(client);
		await warmUp(ledger);
		await client.flushall();
		await warmUp(reference);
		for (const ids of sizes) {
			await fillRedis(client, ids);
			const bytesPerId = ((await usedMemory(client)) - empty) / (await client.dbsize());
			rows.push({ ...(await measure(ledger, reference)), ids, bytesPerId });
		}
	} finally {
		client.disconnect();
		await ledger.close();
		await reference.close();
		await server.remove();
		await referenceServer.remove();
	}
	return rows;
}

function openRedis({ url }: RedisServer): EventLedger {
	const settings = readRedisSettings({ ASSET_SERVICE_LEDGER_REDIS_URL: url });
	return new EventLedger({ store: new RedisStore({ settings }) });
}

async function fillRedis(client: Redis, upTo: number): Promise<void> {
	for (let ids = await client.dbsize(); ids < upTo;) {
		const chunk = Math.min(FILL_CHUNK, upTo - ids);
		const pipeline = client.pipeline();
		for (let n = 0; n < chunk; n++) {
			const key = createHash('sha256')
				.update(`${ids + n}`)
				.digest('base64url');
			pipeline.set(`asset-service:ledger:${key}`, entry(), 'PX', RETENTION_MS);
		}
		await pipeline.exec();
		ids += chunk;
	}
}

async function usedMemory(client: Redis): Promise<number> {
	return Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1]);
}

/** Alternates with a ledger of some thousand IDs, since the load of the machine changes from second to second. */
async function measure(ledger: Ledger, reference: Ledger): Promise<Measured> {
	const times: number[] = [];
	const ratios: number[] = [];
	let slowestMs = 0;
	for (let round = 0; round < ROUNDS; round++) {
		const smallest = await timeRound(reference);
		const own = await timeRound(ledger);
		times.push(own.microseconds);
		ratios.push(own.microseconds / smallest.microseconds);
		slowestMs = Math.max(slowestMs, own.slowestMs);
	}
	return { microseconds: Math.min(...times), ratio: median(ratios), slowestMs };
}

async function timeRound(ledger: Ledger): Promise<{ microseconds: number; slowestMs: number }> {
	const started = performance.now();
	let slowestMs = 0;
	for (let n = 0; n < EVENTS_PER_ROUND; n++) {
		const before = performance.now();
		await oneEvent(ledger);
		slowestMs = Math.max(slowestMs, performance.now() - before);
	}
	return { microseconds: ((performance.now() - started) * 1_000) / EVENTS_PER_ROUND, slowestMs };
}

/** Until the code is compiled, an event takes several times as long. */
async function warmUp(ledger: Ledger): Promise<void> {
	for (let n = 0; n < WARM_UP_EVENTS; n++) await oneEvent(ledger);
}

async function oneEvent(ledger: Ledger): Promise<void> {
	const key = ledgerKey('workflow', randomBytes(12).toString('hex'));
	const answer = await ledger.claim(key);
	if (answer.state !== 'claimed')
		throw new Error(`An event that nobody has seen is ${answer.state}`);
	await ledger.commit([answer.claim], RETENTION_MS);
	const run = newAttempt('12345');
	await ledger.begin([key], { run, acknowledge: 'stored', retentionMs: RETENTION_MS });
	await ledger.end(run, 'succeeded');
}

function print(store: string, rows: readonly Row[]): void {
	console.log(`\n${store}: claim, commit, begin and end of one event`);
	console.table(
		rows.map((row) => ({
			ids: row.ids.toLocaleString('en'),
			'µs per event': Math.round(row.microseconds),
			'ratio to some thousand IDs': row.ratio.toFixed(2),
			'slowest event (ms)': row.slowestMs.toFixed(1),
			'bytes per ID': Math.round(row.bytesPerId),
		})),
	);
}

void main();
