/** What an event in the SQLite ledger takes of n8n's main thread, on a real disk: what it waits for elsewhere is not counted. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { type Claim, ledgerKey } from '../../lib/ledger';
import { SqliteLedger } from '../../lib/ledger/sqlite';
import { cacheFolder } from '../../test/support/cache';
import { median } from './median';

const ROUNDS = 25;
const EVENTS_PER_ROUND = 200;
/** What a burst hands over at once. */
const BURST = 20;
const RETENTION_MS = 30 * 24 * 60 * 60 * 1_000;
/** Disks in memory (tmpfs, ramfs) by their magic numbers, see statfs(2). */
const IN_MEMORY: readonly number[] = [0x01021994, 0x858458f6];

type Work = (ledger: SqliteLedger, claims: readonly Claim[]) => Promise<void>;

/** Prints the median of the rounds, in microseconds an event. */
export async function printMainThread(): Promise<void> {
	const parent = cacheFolder();
	mkdirSync(parent, { recursive: true });
	if (IN_MEMORY.includes(statfsSync(parent).type)) {
		console.log(
			`\nSQLite, main thread: left out, ${parent} is a disk in memory (set ASSET_SERVICE_CACHE)`,
		);
		return;
	}
	const folder = mkdtempSync(join(parent, 'ledger-bench-'));
	const ledger = new SqliteLedger({ path: join(folder, 'ledger.sqlite') });
	try {
		const rows = [];
		for (const [what, work] of Object.entries(WORKS))
			rows.push({ what, ...(await measure(ledger, work)) });
		console.log(
			`\nSQLite: time of the main thread, µs an event, median of ${ROUNDS} rounds, in ${parent}`,
		);
		console.table(rows);
	} finally {
		await ledger.close();
		rmSync(folder, { recursive: true });
	}
}

const WORKS: Readonly<Record<string, Work>> = {
	'commit and begin together': inTurn(settleAtOnce),
	'commit, then begin': inTurn(settle),
	'claim, commit and begin': inTurn(claimAndSettle),
	[`commit and begin, ${BURST} at once`]: inBursts(settle),
	[`claim, commit and begin, ${BURST} at once`]: inBursts(claimAndSettle),
};

/** One round more than is counted comes first: until the code is compiled, an event costs several times as much. */
async function measure(
	ledger: SqliteLedger,
	work: Work,
): Promise<{ 'in the loop': number; 'of the CPU': number }> {
	const active: number[] = [];
	const cpu: number[] = [];
	for (let round = -5; round < ROUNDS; round++) {
		const claims = await claimSome(ledger);
		const loopBefore = performance.eventLoopUtilization();
		const cpuBefore = process.threadCpuUsage();
		await work(ledger, claims);
		const used = process.threadCpuUsage(cpuBefore);
		const loop = performance.eventLoopUtilization(loopBefore);
		if (round < 0) continue;
		active.push((loop.active * 1_000) / EVENTS_PER_ROUND);
		cpu.push((used.user + used.system) / EVENTS_PER_ROUND);
	}
	return { 'in the loop': Math.round(median(active)), 'of the CPU': Math.round(median(cpu)) };
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

/** Both under way at once: one sync serves them. */
async function settleAtOnce(ledger: SqliteLedger, claim: Claim): Promise<void> {
	await Promise.all([
		ledger.commit(claim, RETENTION_MS),
		ledger.begin([claim.key], '1234', RETENTION_MS),
	]);
}

/** An event of its own: the claim that is given was made for `settle`. */
async function claimAndSettle(ledger: SqliteLedger): Promise<void> {
	await settle(ledger, await claimOne(ledger));
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
