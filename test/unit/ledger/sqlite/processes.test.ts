import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { claimOrWait, ledgerKey, LedgerUnavailableError } from '../../../../lib/ledger';
import { waitFor } from '../../../support/wait';
import type { Order } from './child';
import { LEASE_MS, SqliteWorld } from './world';

const CHILD = join(__dirname, 'child.ts');
const SLOW_MS = 180_000;
/** So that each of them checkpoints, too. */
const EVENTS_EACH = 400;

describe('the ledger in SQLite, shared by processes', () => {
	let world: SqliteWorld;
	let path: string;
	let ledger: SqliteWorld['ledger'];
	let children: ChildProcess[];
	const key = ledgerKey('workflow', 'whevt_1');

	beforeEach(() => {
		world = new SqliteWorld();
		({ path, ledger } = world);
		children = [];
	});

	afterEach(async () => {
		for (const child of children) await kill(child);
		await world.remove();
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

	/** When the claim on the one event that there is runs out. */
	function leaseEnd(): number {
		const db = new DatabaseSync(path, { readOnly: true });
		const end = Number(db.prepare('SELECT due FROM entry').get()?.['due']);
		db.close();
		return end;
	}

	it(
		'gives each event to exactly one of the processes that claim it at the same instant',
		async () => {
			const events = 150;
			const processes = await Promise.all([startChild(), startChild(), startChild(), startChild()]);
			const won = await Promise.all(
				processes.map((child) => tell(child, { order: 'claimAll', events })),
			);
			const all = won.flat().sort((a, b) => Number(a) - Number(b));
			expect(all).toEqual(Array.from({ length: events }, (_unused, n) => n));
		},
		SLOW_MS,
	);

	it(
		'lets four processes write as fast as they can, and none fails',
		async () => {
			const processes = await Promise.all([startChild(), startChild(), startChild(), startChild()]);
			const written = await Promise.all(
				processes.map((child, n) =>
					tell(child, { order: 'write', name: `process ${n}`, events: EVENTS_EACH }),
				),
			);
			expect(written).toEqual(processes.map(() => EVENTS_EACH));
		},
		SLOW_MS,
	);

	it(
		'hands the event of a process killed by SIGKILL to the one that waits, when the lease is over',
		async () => {
			const child = await startChild();
			const leaseMs = 4_000;
			expect(await tell(child, { order: 'hold', event: 'whevt_1', leaseMs })).toBe('claimed');
			const copy = claimOrWait(ledger, key, { waitMs: SLOW_MS });
			// The holder renews while it lives: its lease passes without a take-over.
			const firstEnd = leaseEnd();
			await waitFor(() => (leaseEnd() > firstEnd + leaseMs ? true : undefined), {
				what: 'the claim to be renewed beyond its first lease',
			});
			expect(await Promise.race([copy, turn()])).toBe('nothing yet');
			await kill(child);
			const answer = await copy;
			expect(answer.outcome).toBe('claimed');
			if (answer.outcome === 'claimed') await answer.hold.release();
		},
		SLOW_MS,
	);

	it(
		'keeps events that a process committed before it was killed',
		async () => {
			const child = await startChild();
			const order = { order: 'claim', event: 'whevt_1', leaseMs: LEASE_MS, commit: true } as const;
			expect(await tell(child, order)).toBe('claimed');
			await kill(child);
			expect(await ledger.claim(key, LEASE_MS)).toEqual({ state: 'committed' });
		},
		SLOW_MS,
	);

	it(
		'gives up after 250 ms while another process keeps the file locked, without holding up the event loop',
		async () => {
			await ledger.release({ key, token: 'none' });
			const child = await startChild();
			expect(await tell(child, { order: 'lock' })).toBe('locked');
			const started = performance.now();
			const happened: string[] = [];
			setImmediate(() => happened.push('something else'));
			await expect(ledger.claim(key, LEASE_MS)).rejects.toThrow(LedgerUnavailableError);
			happened.push('refused');
			expect(performance.now() - started).toBeGreaterThan(200);
			expect(happened).toEqual(['something else', 'refused']);
			await expect(ledger.claim(key, LEASE_MS)).rejects.toThrow(/ledger\.sqlite: another process/);
			expect(await tell(child, { order: 'unlock' })).toBe('unlocked');
			expect(await ledger.claim(key, LEASE_MS)).toMatchObject({ state: 'claimed' });
		},
		SLOW_MS,
	);

	it('waits for a lock that is over in time', async () => {
		await ledger.release({ key, token: 'none' });
		const locker = new DatabaseSync(path);
		locker.exec('BEGIN IMMEDIATE');
		const claim = ledger.claim(key, LEASE_MS);
		locker.exec('COMMIT');
		locker.close();
		expect(await claim).toMatchObject({ state: 'claimed' });
	});

	it(
		'reports a duplicate while another process keeps the file locked',
		async () => {
			const answer = await ledger.claim(key, LEASE_MS);
			if (answer.state !== 'claimed') throw new Error(`The event is ${answer.state}`);
			await ledger.commit(answer.claim, LEASE_MS);
			const child = await startChild();
			expect(await tell(child, { order: 'lock' })).toBe('locked');
			expect(await ledger.claim(key, LEASE_MS)).toEqual({ state: 'committed' });
		},
		SLOW_MS,
	);
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

async function turn(): Promise<'nothing yet'> {
	return new Promise((resolve) => {
		setImmediate(() => {
			resolve('nothing yet');
		});
	});
}
