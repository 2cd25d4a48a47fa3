import { once } from 'node:events';
import { claimOrWait, ledgerKey, LedgerUnavailableError } from '../../../../lib/ledger';
import { EventLedger } from '../../../../lib/ledger/eventLedger';
import { Session } from '../../../../lib/ledger/session';
import { hostClock } from '../../../../lib/ledger/sqlite/hostClock';
import { SqliteStore } from '../../../../lib/ledger/sqlite/store';
import { sleep } from '../../../../lib/shared/pace';
import { Children, kill, tell } from './children';
import { commit, SqliteWorld } from './world';

const SLOW_MS = 180_000;
const LESS_THAN_A_LAPSE_MS = 40_000;
/** So that each of them checkpoints, too. */
const EVENTS_EACH = 400;

describe('the ledger in SQLite, shared by processes', () => {
	let world: SqliteWorld;
	let path: string;
	let ledger: SqliteWorld['ledger'];
	let children: Children;
	const key = ledgerKey('workflow', 'whevt_1');
	const other = ledgerKey('workflow', 'whevt_2');

	beforeEach(() => {
		world = new SqliteWorld();
		({ path, ledger } = world);
		children = new Children();
	});

	afterEach(async () => {
		await children.stop();
		await world.remove();
	});

	const startChild = () => children.start(path);

	it(
		'gives each event to one of four processes that claim it at the same instant, and lets all write as fast as they can',
		async () => {
			const events = 150;
			const processes = await Promise.all([startChild(), startChild(), startChild(), startChild()]);
			const won = await Promise.all(
				processes.map((child) => tell(child, { order: 'claimAll', events })),
			);
			const all = won.flat().sort((a, b) => Number(a) - Number(b));
			expect(all).toEqual(Array.from({ length: events }, (_unused, n) => n));
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
		'hands the event of a process killed by SIGKILL to the one that waits, when its session has lapsed',
		async () => {
			let aheadMs = 0;
			const clock = hostClock();
			const store = new SqliteStore({
				path,
				clock: { ...clock, monotonic: () => clock.monotonic() + aheadMs },
			});
			const session = new Session(store, {
				onLost: () => undefined,
				clock: () => performance.now() + aheadMs,
			});
			const late = new EventLedger({ store, session });
			const child = await startChild();
			expect(await tell(child, { order: 'claim', event: 'whevt_1' })).toBe('claimed');
			expect(await late.claim(key)).toEqual({ state: 'pending' });
			const copy = claimOrWait(late, key, SLOW_MS);
			await kill(child);
			expect((await late.look(key)).state).toBe('pending');
			aheadMs = 58_000;
			await session.open();
			expect((await late.look(key)).state).toBe('pending');
			aheadMs = 2 * 58_000;
			await session.open();
			expect(await copy).toMatchObject({ state: 'claimed' });
			await late.close();
		},
		SLOW_MS,
	);

	it(
		'hands the event of a process that ends in order to the one that waits, at once',
		async () => {
			const child = await startChild();
			expect(await tell(child, { order: 'claim', event: 'whevt_1' })).toBe('claimed');
			const copy = claimOrWait(ledger, key, LESS_THAN_A_LAPSE_MS);
			const exited = once(child, 'exit');
			expect(await tell(child, { order: 'exit' })).toBe('exiting');
			await exited;
			expect(await copy).toMatchObject({ state: 'claimed' });
		},
		SLOW_MS,
	);

	it(
		'leaves the events of a process that ends in order while its execution runs, until its session has lapsed',
		async () => {
			const child = await startChild();
			expect(await tell(child, { order: 'begin', event: 'whevt_1' })).toEqual([true]);
			const exited = once(child, 'exit');
			await tell(child, { order: 'exit' });
			await exited;
			expect((await ledger.look(key)).state).toBe('running');
		},
		SLOW_MS,
	);

	it(
		'refuses new events once after 250 ms while another process keeps the file locked, and meanwhile reports duplicates at once',
		async () => {
			await commit(ledger, other);
			const child = await startChild();
			expect(await tell(child, { order: 'lock' })).toBe('locked');
			const started = performance.now();
			const elapsed = () => performance.now() - started;
			const claims = Array.from({ length: 50 }, async (_, n) => {
				await expect(ledger.claim(ledgerKey('workflow', `new ${n}`))).rejects.toThrow(
					/ledger\.sqlite: another process/,
				);
				return elapsed();
			});
			const duplicates: number[] = [];
			for (let n = 0; n < 20; n++) {
				const before = performance.now();
				expect(await ledger.claim(other)).toEqual({ state: 'committed' });
				duplicates.push(performance.now() - before);
			}
			duplicates.sort((a, b) => a - b);
			expect(duplicates[10]).toBeLessThan(20);
			const refused = await Promise.all(claims);
			expect(Math.min(...refused)).toBeGreaterThan(240);
			expect(Math.max(...refused)).toBeLessThan(1_000);
			await expect(ledger.claim(key)).rejects.toThrow(LedgerUnavailableError);
			expect(await tell(child, { order: 'unlock' })).toBe('unlocked');
			expect(await ledger.claim(key)).toMatchObject({ state: 'claimed' });
		},
		SLOW_MS,
	);

	it(
		'waits for other processes that keep writing, each for a moment',
		async () => {
			const child = await startChild();
			await ledger.claim(other);
			expect(await tell(child, { order: 'hog', writes: 8 })).toBe('begun');
			// It has the lock before the first claim is tried, and nearly always until it has written eight times.
			await sleep(50);
			const keys = Array.from({ length: 8 }, (_, n) => ledgerKey('workflow', `new ${n}`));
			for (const each of keys) expect(await ledger.claim(each)).toMatchObject({ state: 'claimed' });
		},
		SLOW_MS,
	);

	it(
		'writes what waited for a lock as soon as it is free',
		async () => {
			await commit(ledger, other);
			const child = await startChild();
			expect(await tell(child, { order: 'lock' })).toBe('locked');
			const claim = ledger.claim(key);
			await ledger.look(other);
			const unlocked = tell(child, { order: 'unlock' });
			expect(await claim).toMatchObject({ state: 'claimed' });
			expect(await unlocked).toBe('unlocked');
		},
		SLOW_MS,
	);
});
