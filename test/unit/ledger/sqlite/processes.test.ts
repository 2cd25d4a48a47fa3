import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { claimOrWait, ledgerKey, LedgerUnavailableError } from '../../../../lib/ledger';
import { EventLedger } from '../../../../lib/ledger/eventLedger';
import { Session } from '../../../../lib/ledger/session';
import { SqliteStore, hostClock } from '../../../../lib/ledger/sqlite/store';
import { sleep } from '../../../../lib/shared/pace';
import { Children, kill, tell } from './children';
import { commit, openSqlite, SqliteWorld } from './world';

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
		'loses no entry of two processes when the write-ahead log is deleted, in whatever order they notice and close',
		async () => {
			const child = await startChild();
			let replaced = 0;
			const own = openSqlite(path, {
				onReplaced: () => {
					replaced += 1;
				},
			});
			const committed: string[] = [];
			const commitOurs = async (name: string) => {
				for (let n = 0; n < 20; n++) {
					await commit(own, ledgerKey('workflow', `${name} ours ${n}`));
					committed.push(`${name} ours ${n}`);
				}
			};
			const commitTheirs = async (name: string) => {
				for (let n = 0; n < 20; n++) {
					const event = `${name} theirs ${n}`;
					expect(await tell(child, { order: 'commit', event })).toBe('committed');
					committed.push(event);
				}
			};
			for (const round of ['first', 'second', 'third', 'fourth']) {
				await commitOurs(round);
				await commitTheirs(round);
				world.deleteFiles(round === 'third' ? ['-wal', '-shm'] : ['-wal']);
				if (round === 'second') await commitTheirs(`${round} after`);
				else await Promise.all([commitOurs(`${round} after`), commitTheirs(`${round} after`)]);
			}
			await own.look(key);
			expect(replaced).toBe(4);
			await own.close();
			expect(await tell(child, { order: 'close' })).toBe('closed');
			expect(readdirSync(world.folder)).toEqual(['ledger.sqlite']);
			for (const event of committed)
				expect((await ledger.look(ledgerKey('workflow', event))).state).toBe('stored');
			expect(world.query('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
		},
		SLOW_MS,
	);

	it(
		'gives up after 250 ms while another process keeps the file locked, without holding up the event loop',
		async () => {
			await ledger.claim(other);
			const child = await startChild();
			expect(await tell(child, { order: 'lock' })).toBe('locked');
			const started = performance.now();
			const happened: string[] = [];
			setImmediate(() => happened.push('something else'));
			await expect(ledger.claim(key)).rejects.toThrow(LedgerUnavailableError);
			happened.push('refused');
			expect(performance.now() - started).toBeGreaterThan(200);
			expect(happened).toEqual(['something else', 'refused']);
			await expect(ledger.claim(key)).rejects.toThrow(/ledger\.sqlite: another process/);
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
		'reports a duplicate while another process keeps the file locked',
		async () => {
			await commit(ledger, key);
			const child = await startChild();
			expect(await tell(child, { order: 'lock' })).toBe('locked');
			expect(await ledger.claim(key)).toEqual({ state: 'committed' });
		},
		SLOW_MS,
	);
});
