import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claimOrWait, ledgerKey, LedgerUnavailableError } from '../../../../lib/ledger';
import { SqliteLedger } from '../../../../lib/ledger/sqlite';
import type { Order } from './child';

const CHILD = join(__dirname, 'child.ts');
const LEASE_MS = 60_000;

describe('the ledger in SQLite, shared by processes', () => {
	let folder: string;
	let path: string;
	let ledger: SqliteLedger;
	let children: ChildProcess[];
	const key = ledgerKey('workflow', 'whevt_1');

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), 'ledger-'));
		path = join(folder, 'ledger.sqlite');
		ledger = new SqliteLedger({ path });
		children = [];
	});

	afterEach(async () => {
		for (const child of children) await kill(child);
		await ledger.close();
		rmSync(folder, { recursive: true });
	});

	async function startChild(): Promise<ChildProcess> {
		const child = fork(CHILD, [path], { execArgv: ['--import', 'tsx'] });
		children.push(child);
		expect(await message(child)).toBe('ready');
		return child;
	}

	async function tell(child: ChildProcess, order: Order): Promise<unknown> {
		const answer = message(child);
		child.send(order);
		return answer;
	}

	it('gives each event to exactly one of the processes that claim it at the same instant', async () => {
		const events = 150;
		const processes = await Promise.all([startChild(), startChild(), startChild(), startChild()]);
		const won = await Promise.all(
			processes.map((child) => tell(child, { order: 'claimAll', events })),
		);
		const all = won.flat().sort((a, b) => Number(a) - Number(b));
		expect(all).toEqual(Array.from({ length: events }, (_unused, n) => n));
		// More than one has won some, or they did not meet.
		expect(won.filter((each) => Array.isArray(each) && each.length > 0).length).toBeGreaterThan(1);
	}, 60_000);

	it('hands the event of a process killed by SIGKILL to the one that waits, when the lease is over', async () => {
		const child = await startChild();
		const leaseMs = 1_500;
		expect(await tell(child, { order: 'hold', event: 'whevt_1', leaseMs })).toBe('claimed');
		const copy = claimOrWait(ledger, key);
		// The holder renews as long as it lives: three leases go by without a take-over.
		const early = await Promise.race([copy, after(3 * leaseMs)]);
		expect(early).toBe('nothing yet');
		await kill(child);
		const killed = performance.now();
		const answer = await copy;
		expect(answer.outcome).toBe('claimed');
		expect(performance.now() - killed).toBeLessThan(leaseMs + 1_000);
		if (answer.outcome === 'claimed') await answer.hold.release();
	}, 60_000);

	it('keeps what a process committed before it was killed', async () => {
		const child = await startChild();
		const order = { order: 'claim', event: 'whevt_1', leaseMs: LEASE_MS, commit: true } as const;
		expect(await tell(child, order)).toBe('claimed');
		await kill(child);
		expect(await ledger.claim(key, LEASE_MS)).toEqual({ state: 'committed' });
	}, 60_000);

	it('gives up after 250 ms while another process keeps the file locked, without holding up the event loop', async () => {
		await ledger.release({ key, token: 'none' });
		const child = await startChild();
		expect(await tell(child, { order: 'lock', ms: 1_500 })).toBe('locked');
		const unlocked = message(child);
		const loop = watchEventLoop();
		const started = performance.now();
		await expect(ledger.claim(key, LEASE_MS)).rejects.toThrow(LedgerUnavailableError);
		const waited = performance.now() - started;
		expect(waited).toBeGreaterThan(200);
		expect(waited).toBeLessThan(1_000);
		expect(loop.turns()).toBeGreaterThan(5);
		await expect(ledger.claim(key, LEASE_MS)).rejects.toThrow(/ledger\.sqlite: another process/);
		await unlocked;
		expect(await ledger.claim(key, LEASE_MS)).toMatchObject({ state: 'claimed' });
	}, 60_000);

	it('waits for a lock that is over in time', async () => {
		await ledger.release({ key, token: 'none' });
		const child = await startChild();
		expect(await tell(child, { order: 'lock', ms: 60 })).toBe('locked');
		expect(await ledger.claim(key, LEASE_MS)).toMatchObject({ state: 'claimed' });
	}, 60_000);

	it('answers a duplicate while another process keeps the file locked', async () => {
		const answer = await ledger.claim(key, LEASE_MS);
		if (answer.state !== 'claimed') throw new Error(`The event is ${answer.state}`);
		await ledger.commit(answer.claim, LEASE_MS);
		const child = await startChild();
		expect(await tell(child, { order: 'lock', ms: 1_000 })).toBe('locked');
		expect(await ledger.claim(key, LEASE_MS)).toEqual({ state: 'committed' });
	}, 60_000);
});

async function message(child: ChildProcess): Promise<unknown> {
	const [answer] = (await once(child, 'message')) as [unknown];
	return answer;
}

async function kill(child: ChildProcess): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return;
	const exited = once(child, 'exit');
	child.kill('SIGKILL');
	await exited;
}

async function after(ms: number): Promise<'nothing yet'> {
	return new Promise((resolve) => {
		setTimeout(() => {
			resolve('nothing yet');
		}, ms);
	});
}

function watchEventLoop(): { turns(): number } {
	let turns = 0;
	const timer = setInterval(() => {
		turns += 1;
	}, 10);
	timer.unref();
	return {
		turns: () => {
			clearInterval(timer);
			return turns;
		},
	};
}
