/** Time that an event in the SQLite ledger takes on n8n's main thread, with a real disk. Waiting for other threads does not count. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { type Claim, type Ledger, ledgerKey, newAttempt } from '../../lib/ledger';
import { cacheFolder } from '../../test/support/cache';
import { compileLedger } from '../../test/support/compiledLedger';
import { median } from './median';
import { inTurns, ratioTo } from './turns';

const ROUNDS = 25;
const WARM_UP_ROUNDS = 5;
const EVENTS_PER_ROUND = 200;
/** Numbers of events in a burst. */
const BURSTS = [20, 50];
const RETENTION_MS = 30 * 24 * 60 * 60 * 1_000;
/** Disks in memory (tmpfs, ramfs) by their magic numbers, see statfs(2). */
const IN_MEMORY: readonly number[] = [0x01021994, 0x858458f6];

type Work = (ledger: Ledger) => Promise<void>;

/** Prints the median of the rounds, in microseconds per event. */
export async function printMainThread(): Promise<void> {
	const parent = cacheFolder();
	mkdirSync(parent, { recursive: true });
	if (IN_MEMORY.includes(statfsSync(parent).type)) {
		console.log(
			`\nSQLite, main thread: skipped, ${parent} is a disk in memory (set ASSET_SERVICE_CACHE)`,
		);
		return;
	}
	const folder = mkdtempSync(join(parent, 'ledger-bench-'));
	// Not from its sources, where it has no thread.
	const { EventLedger, SqliteStore } = compileLedger(join(folder, 'compiled'));
	const store = new SqliteStore({ path: join(folder, 'ledger.sqlite') });
	const ledger = new EventLedger({ store });
	try {
		const rows = [];
		for (const group of GROUPS) rows.push(...(await measureGroup(ledger, group)));
		console.log(
			`\nSQLite: time of the main thread, µs per event, median of ${ROUNDS} rounds, in ${parent}`,
		);
		console.table(rows);
	} finally {
		await ledger.close();
		rmSync(folder, { recursive: true });
	}
}

/** The tasks of a group are measured in turn and compared with the first one. */
const GROUPS: readonly Readonly<Record<string, Work>>[] = [
	{
		claim: inTurn(claimOne),
		'claim, commit and begin': inTurn(begin),
		'claim, commit, begin and end': inTurn(end),
		'claim, begin and end, once succeeded': inTurn(succeed),
		duplicate: inTurn(duplicate),
	},
	...BURSTS.map((burst) => ({
		[`claim, ${burst} at once`]: inBursts(claimOne, burst),
		[`claim, commit and begin, ${burst} at once`]: inBursts(begin, burst),
		[`claim, commit, begin and end, ${burst} at once`]: inBursts(end, burst),
		[`claim, begin and end, once succeeded, ${burst} at once`]: inBursts(succeed, burst),
		[`duplicate, ${burst} at once`]: inBursts(duplicate, burst),
	})),
];

async function measureGroup(
	ledger: Ledger,
	group: Readonly<Record<string, Work>>,
): Promise<object[]> {
	const measureOne = ([, work]: [string, Work]) => measure(ledger, work);
	// Until the code is compiled, an event takes several times as long.
	await inTurns(Object.entries(group), WARM_UP_ROUNDS, measureOne);
	const rows = (await inTurns(Object.entries(group), ROUNDS, measureOne)).map(
		({ one: [what], values }) => ({
			what,
			active: values.map(({ active }) => active),
			cpu: values.map(({ cpu }) => cpu),
		}),
	);
	return rows.map(({ what, active, cpu }) => ({
		what,
		'in the loop': Math.round(median(active)),
		ratio: ratioTo(rows[0]?.active ?? [], active).toFixed(2),
		'of the CPU': Math.round(median(cpu)),
		'ratio of the CPU': ratioTo(rows[0]?.cpu ?? [], cpu).toFixed(2),
	}));
}

/** Microseconds per event. */
async function measure(ledger: Ledger, work: Work): Promise<{ active: number; cpu: number }> {
	const loopBefore = performance.eventLoopUtilization();
	const cpuBefore = process.threadCpuUsage();
	await work(ledger);
	const used = process.threadCpuUsage(cpuBefore);
	const loop = performance.eventLoopUtilization(loopBefore);
	return {
		active: (loop.active * 1_000) / EVENTS_PER_ROUND,
		cpu: (used.user + used.system) / EVENTS_PER_ROUND,
	};
}

type Step = (ledger: Ledger) => Promise<unknown>;

function inTurn(step: Step): Work {
	return async (ledger) => {
		for (let n = 0; n < EVENTS_PER_ROUND; n++) await step(ledger);
	};
}

function inBursts(step: Step, burst: number): Work {
	return async (ledger) => {
		for (let n = 0; n < EVENTS_PER_ROUND; n += burst) {
			await Promise.all(Array.from({ length: burst }, () => step(ledger)));
		}
	};
}

const KNOWN = ledgerKey('workflow', 'known');

async function duplicate(ledger: Ledger): Promise<void> {
	const { state, ...answer } = await ledger.claim(KNOWN);
	// The first one.
	if (state === 'claimed' && 'claim' in answer) await ledger.commit([answer.claim], RETENTION_MS);
}

let executions = 0;

async function claimOne(ledger: Ledger): Promise<Claim> {
	const answer = await ledger.claim(ledgerKey('workflow', randomBytes(12).toString('hex')));
	if (answer.state !== 'claimed')
		throw new Error(`An event that nobody has seen is ${answer.state}`);
	return answer.claim;
}

async function begin(ledger: Ledger): Promise<string> {
	const claim = await claimOne(ledger);
	await ledger.commit([claim], RETENTION_MS);
	return await beginOne(ledger, claim, 'stored');
}

async function beginOne(
	ledger: Ledger,
	{ key }: Claim,
	acknowledge: 'stored' | 'succeeded',
): Promise<string> {
	const run = newAttempt(String(++executions));
	const beginning = { run, acknowledge, retentionMs: RETENTION_MS };
	const [continues] = await ledger.begin([key], beginning);
	if (continues !== true) throw new Error('An event that nobody has begun has begun');
	return run;
}

async function end(ledger: Ledger): Promise<void> {
	await ledger.end(await begin(ledger), 'succeeded');
}

/** An event that counts once its execution has succeeded: n8n holds the response until the execution ends. */
async function succeed(ledger: Ledger): Promise<void> {
	const run = await beginOne(ledger, await claimOne(ledger), 'succeeded');
	await ledger.end(run, 'succeeded');
}
