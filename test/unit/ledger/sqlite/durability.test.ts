/** What SQLite is told to sync, and what becomes of the ledger when it cannot; `test/simulation/disk.ts` has the power cuts. */
import { DatabaseSync } from 'node:sqlite';
import { ledgerKey } from '../../../../lib/ledger';
import type { EventLedger } from '../../../../lib/ledger/eventLedger';
import { LedgerDatabase, loadSqlite } from '../../../../lib/ledger/sqlite/database';
import { SqliteStore } from '../../../../lib/ledger/sqlite/store';
import { BEGINNING, claimed, commit, RETENTION_MS, SqliteWorld } from './world';

const KEY = ledgerKey('workflow', 'whevt_1');
const OTHER_KEY = ledgerKey('workflow', 'whevt_2');
const CHANGING = { keepMs: RETENTION_MS, session: 'mine', isDead: () => false };

describe('what the ledger in SQLite syncs', () => {
	let world: SqliteWorld;
	let ledger: EventLedger;
	/** Pages that were in the log when it was synced, for each sync: a transaction without a write is none. */
	let syncs: number;
	let isFailing: boolean;
	let opened: number;

	/** Commits that sync. */
	class Watched extends DatabaseSync {
		#isSynced = false;
		#changes = 0;

		constructor(path: string) {
			super(path);
			opened += 1;
		}

		override exec(sql: string): void {
			if (sql.startsWith('PRAGMA synchronous')) this.#isSynced = sql.endsWith('FULL');
			if (sql === 'BEGIN IMMEDIATE') this.#changes = this.#total();
			if (sql === 'COMMIT' && this.#isSynced && this.#total() > this.#changes) {
				if (isFailing) throw Object.assign(new Error('disk I/O error'), { errcode: 1_034 });
				syncs += 1;
			}
			super.exec(sql);
		}

		#total(): number {
			return Number(this.prepare('SELECT total_changes() AS n').get()?.['n']);
		}
	}

	const synced = async (call: () => Promise<unknown>) => {
		const before = syncs;
		await call();
		return syncs - before;
	};

	beforeEach(async () => {
		[syncs, isFailing, opened] = [0, false, 0];
		world = new SqliteWorld();
		ledger = world.openWith(Watched);
		await ledger.look(KEY);
	});

	afterEach(async () => {
		await ledger.close();
		await world.remove();
	});

	it('is a commit, a begin, a record, and the end of an event that repeats', async () => {
		const claim = await claimed(ledger, KEY);
		expect(syncs).toBe(0);
		expect(await synced(() => ledger.commit([claim], RETENTION_MS))).toBe(1);
		expect(await synced(() => ledger.begin([KEY], BEGINNING))).toBe(1);
		expect(await synced(() => ledger.end('run', 'succeeded'))).toBe(0);
		const beginning = { ...BEGINNING, acknowledge: 'succeeded' } as const;
		expect(await synced(() => ledger.begin([OTHER_KEY], beginning))).toBe(1);
		expect(await synced(() => ledger.end('run', 'succeeded'))).toBe(1);
		expect(await synced(() => ledger.swapRecord('name', undefined, 'text'))).toBe(1);
		expect(await synced(() => ledger.claim(KEY))).toBe(0);
	});

	it('is one transaction for all that comes while another one is under way', async () => {
		const keys = Array.from({ length: 50 }, (_, n) => ledgerKey('workflow', `at once ${n}`));
		expect(await synced(() => Promise.all(keys.map((key) => commit(ledger, key))))).toBeLessThan(3);
	});

	it.each([
		['a text', 'one', 'two'],
		['no text', 'one', undefined],
		['a new text', undefined, 'two'],
	])('is also a swap that finds its own: %s', async (_what, expected, next) => {
		if (expected !== undefined) await ledger.swapRecord('name', undefined, expected);
		const swap = () => ledger.swapRecord('name', expected, next);
		expect(await synced(swap)).toBe(1);
		const again: boolean[] = [];
		expect(await synced(async () => again.push(await swap()))).toBe(1);
		expect(again).toEqual([true]);
		expect(await ledger.readRecord('name')).toBe(next);
	});

	it('is what cannot be synced refused, seen by nobody, and nothing is claimed until a sync has succeeded', async () => {
		await commit(ledger, OTHER_KEY);
		isFailing = true;
		await expect(ledger.begin([KEY], BEGINNING)).rejects.toThrow(
			/ledger\.sqlite: the disk failed.*\(SQLite error 10\)/,
		);
		expect(await world.ledger.look(KEY)).toMatchObject({ state: 'free' });
		// Nor is a duplicate one that may be missing after a power cut.
		for (const key of [KEY, OTHER_KEY])
			await expect(ledger.claim(key)).rejects.toThrow(/the disk failed/);
		isFailing = false;
		expect(await synced(() => ledger.claim(KEY))).toBe(1);
		isFailing = true;
		// Synced since: a claim needs no sync of its own.
		expect(await ledger.claim(OTHER_KEY)).toEqual({ state: 'committed' });
		await ledger.claim(ledgerKey('workflow', 'whevt_3'));
		isFailing = false;
		expect(await ledger.begin([KEY], BEGINNING)).toEqual([true]);
	});

	it('is tried again on a file that was opened again', async () => {
		isFailing = true;
		const before = opened;
		await expect(ledger.begin([KEY], BEGINNING)).rejects.toThrow();
		isFailing = false;
		expect(await ledger.begin([KEY], BEGINNING)).toEqual([true]);
		expect(opened).toBe(before + 1);
	});

	it('is refused if the file is replaced while it is written, and is in the new one when it is sent again', async () => {
		let isReplaced = false;
		class Replaced extends DatabaseSync {
			override exec(sql: string): void {
				if (sql === 'COMMIT' && !isReplaced) {
					isReplaced = true;
					world.deleteFiles();
				}
				super.exec(sql);
			}
		}
		const sqlite = loadSqlite();
		let replaced = 0;
		const store = new SqliteStore({
			path: world.path,
			openDatabase: (path) =>
				new LedgerDatabase(path, sqlite && { ...sqlite, DatabaseSync: Replaced }),
			onReplaced: () => {
				replaced += 1;
			},
		});
		const write = () =>
			store.change([{ key: KEY }], () => ({ result: 1, text: 'text' }), {
				...CHANGING,
				isDurable: true,
			});
		await expect(write()).rejects.toThrow(/was replaced while it was written/);
		expect(await write()).toEqual([1]);
		expect(world.query('SELECT text FROM entry')).toEqual([{ text: 'text' }]);
		expect(replaced).toBeLessThan(2);
		await store.close();
	});
});
