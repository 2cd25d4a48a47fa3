/** Time that an event in the SQLite ledger takes on n8n's main thread, with a real disk. Waiting for other threads does not count. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { type Claim, ledgerKey } from '../../lib/ledger';
import { SqliteLedger } from '../../lib/ledger/sqlite';
import { cacheFolder } from '../../test/support/cache';
import { median } from './median';
import { inTurns, ratioTo } from './turns';

const ROUNDS = 25;
const WARM_UP_ROUNDS = 5;
const EVENTS_PER_ROUND = 200;
/** Number of events in a burst. */
const BURST = 20;
const RETENTION_MS = 30 * 24 * 60 * 60 * 1_000;
/** Disks in memory (tmpfs, ramfs) by their magic numbers, see statfs(2). */
const IN_MEMORY: readonly number[] = [0x01021994, 0x858458f6];

type Work = (ledger: SqliteLedger, claims: readonly Claim[]) => Promise<void>;

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
	const ledger = new SqliteLedger({ path: join(folder, 'ledger.sqlite') });
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
		'commit, then begin': inTurn(settle),
		'commit and begin together': inTurn(settleAtOnce),
		'begin and finish under the claim': inTurn(succeed),
	},
	{
		'claim, commit and begin': inTurn(claimAndSettle),
		'claim, begin and finish': inTurn(claimAndSucceed),
	},
	{
		[`commit and begin, ${BURST} at once`]: inBursts(settle),
		[`begin and finish, ${BURST} at once`]: inBursts(succeed),
	},
	{
		[`claim, commit and begin, ${BURST} at once`]: inBursts(claimAndSettle),
		[`claim, begin and finish, ${BURST} at once`]: inBursts(claimAndSucceed),
	},
];

async function measureGroup(
	ledger: SqliteLedger,
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
async function measure(ledger: SqliteLedger, work: Work): Promise<{ active: number; cpu: number }> {
	const claims = await claimSome(ledger);
	const loopBefore = performance.eventLoopUtilization();
	const cpuBefore = process.threadCpuUsage();
	await work(ledger, claims);
	const used = process.threadCpuUsage(cpuBefore);
	const loop = performance.eventLoopUtilization(loopBefore);
	return {
		active: (loop.active * 1_000) / EVENTS_PER_ROUND,
		cpu: (used.user + used.system) / EVENTS_PER_ROUND,
	};
}

type Step = (ledger: SqliteLedger, claim: Claim) => Promise<void>;

function inTurn(step: Step): Work {
	return async (ledger, claims) => {
		for (const claim of claims) await step(ledger, claim);
	};
}

function inBursts(step: Step): Work {
	return async (ledger, claims) => {
		for (let n = 0; n < claims.length; n += BURST) {
			await Promise.all(claims.slice(n, n + BURST).map((claim) => step(ledger, claim)));
		}
	};
}

async function settle(ledger: SqliteLedger, claim: Claim): Promise<void> {
	await ledger.commit(claim, RETENTION_MS);
	await ledger.begin([claim.key], '1234', RETENTION_MS);
}

/** Both at the same time, so that one sync serves both. */
async function settleAtOnce(ledger: SqliteLedger, claim: Claim): Promise<void> {
	await Promise.all([
		ledger.commit(claim, RETENTION_MS),
		ledger.begin([claim.key], '1234', RETENTION_MS),
	]);
}

/** An event that counts once its execution has succeeded: n8n holds the response until the execution ends. */
async function succeed(ledger: SqliteLedger, claim: Claim): Promise<void> {
	const [continues] = await ledger.begin([claim.key], '1234', RETENTION_MS, [claim.token]);
	const [isSettled] = await ledger.finishAll([claim], RETENTION_MS);
	if (continues !== true || isSettled !== true) throw new Error('The claim was lost');
}

/** A separate event: the given claim was made for `settle` or `succeed`. */
async function claimAndSettle(ledger: SqliteLedger): Promise<void> {
	await settle(ledger, await claimOne(ledger));
}

async function claimAndSucceed(ledger: SqliteLedger): Promise<void> {
	await succeed(ledger, await claimOne(ledger));
}

async function claimSome(ledger: SqliteLedger): Promise<Claim[]> {
	const claims: Claim[] = [];
	while (claims.length < EVENTS_PER_ROUND) claims.push(await claimOne(ledger));
	return claims;
}

async function claimOne(ledger: SqliteLedger): Promise<Claim> {
	const answer = await ledger.claim(ledgerKey('workflow', randomBytes(12).toString('hex')), 60_000);
	if (answer.state !== 'claimed')
		throw new Error(`An event that nobody has seen is ${answer.state}`);
	return answer.claim;
}
