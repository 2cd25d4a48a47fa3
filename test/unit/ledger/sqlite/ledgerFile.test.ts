import { DatabaseSync } from 'node:sqlite';
import { ledgerKey } from '../../../../lib/ledger';
import { LedgerDatabase, loadSqlite } from '../../../../lib/ledger/sqlite/database';
import { hostClock } from '../../../../lib/ledger/sqlite/hostClock';
import { LedgerFile, type LedgerRequest } from '../../../../lib/ledger/sqlite/ledgerFile';
import { lockDatabase } from '../../../support/sqlite';
import { SqliteWorld } from './world';

describe('the file of the ledger in SQLite, as its thread works on it', () => {
	let world: SqliteWorld;
	let file: LedgerFile;
	/** How often it was opened, and what was executed. */
	let opened: number;
	let executed: string[];

	class Watched extends DatabaseSync {
		override exec(sql: string): void {
			executed.push(sql);
			super.exec(sql);
		}
	}

	beforeEach(() => {
		world = new SqliteWorld();
		[opened, executed] = [0, []];
		file = new LedgerFile({
			path: world.path,
			clock: hostClock(),
			openDatabase: (path) => {
				opened += 1;
				const sqlite = loadSqlite();
				return new LedgerDatabase(path, sqlite && { ...sqlite, DatabaseSync: Watched });
			},
		});
		file.run([]);
		executed = [];
	});

	afterEach(async () => {
		jest.restoreAllMocks();
		file.run([{ op: 'close' }]);
		await world.remove();
	});

	const key = (n: number) => ledgerKey('workflow', `whevt_${n}`);
	const swap = (n: number, expected?: string, next?: string, isDurable = false): LedgerRequest => ({
		...{ op: 'swap', key: key(n), expected, next, keepMs: 1_000_000, isDurable },
	});
	const read = (n: number): LedgerRequest => ({ op: 'read', key: key(n) });
	const ask = (...requests: LedgerRequest[]) =>
		file.run(requests).results.map((each) => ('value' in each ? each.value : each));
	const transactions = () => executed.filter((sql) => sql === 'BEGIN IMMEDIATE').length;
	const busy = {
		isBusy: true,
		error: expect.stringMatching(/another process keeps it locked for over 250 ms/) as unknown,
	};

	it('writes what came at once in one transaction, each after the ones before it', () => {
		const values = ask(
			...[swap(1, undefined, 'a'), swap(1, undefined, 'b'), swap(2, undefined, 'c')],
			...[{ op: 'renew', session: 'mine' } as const, swap(3, 'x', 'y')],
		);
		expect(values).toEqual([true, 'a', true, false, undefined]);
		expect(transactions()).toBe(1);
		expect(executed.filter((sql) => sql.startsWith('PRAGMA synchronous'))).toEqual([
			'PRAGMA synchronous = NORMAL',
		]);
		expect(ask(read(1), read(2), read(3), { op: 'vitalOf', session: 'mine' })).toEqual([
			...['a', 'c', undefined, 'alive'],
		]);
		expect(transactions()).toBe(1);
	});

	it('syncs all of them if one has to be durable', () => {
		ask(swap(1, undefined, 'a'), swap(2, undefined, 'b', true));
		expect(executed.slice(0, 2)).toEqual(['PRAGMA synchronous = FULL', 'BEGIN IMMEDIATE']);
		ask(swap(3, undefined, 'c'));
		expect(executed.slice(3)).toEqual([
			...['PRAGMA synchronous = NORMAL', 'BEGIN IMMEDIATE', 'COMMIT'],
		]);
	});

	it('answers what needs no lock while another process has it, and says at once what does', () => {
		ask(swap(1, undefined, 'a'));
		const unlock = lockDatabase(world.path);
		const startedAt = performance.now();
		const answers = ask(read(1), swap(1, undefined, 'b', true), swap(2, undefined, 'c'), {
			op: 'renew',
			session: 'mine',
		});
		expect(answers).toEqual(['a', 'a', busy, busy]);
		expect(performance.now() - startedAt).toBeLessThan(100);
		unlock();
		expect(ask(swap(2, undefined, 'c'), { op: 'renew', session: 'mine' })).toEqual([true, false]);
		expect(opened).toBe(1);
	});

	it('says that the file is locked also when it cannot be opened', () => {
		file.run([{ op: 'close' }]);
		world.deleteFiles();
		const locker = new DatabaseSync(world.path);
		locker.exec('BEGIN EXCLUSIVE');
		expect(ask(read(1))).toEqual([busy]);
		locker.close();
		expect(ask(read(1))).toEqual([undefined]);
	});

	it('gives the error of one to all that are written with it, to none that is only read, and opens the file again', () => {
		ask(swap(1, undefined, 'a'));
		world.refuse(
			`INSERT ON entry WHEN NEW.text = 'refused'`,
			`DELETE ON entry WHEN OLD.text = 'x'`,
		);
		const failed = {
			isBusy: false,
			error: expect.stringMatching(/ledger\.sqlite: SQLite failed.*\(SQLite error 19\)/) as unknown,
		};
		expect(ask(read(1), swap(2, undefined, 'b'), swap(3, undefined, 'refused'))).toEqual([
			...['a', failed, failed],
		]);
		expect(opened).toBe(1);
		expect(ask(read(2), swap(2, undefined, 'b'))).toEqual([undefined, true]);
		expect(opened).toBe(2);
	});

	it('is dropped when it fails to close', () => {
		jest.spyOn(LedgerDatabase.prototype, 'close').mockImplementationOnce(() => {
			throw new Error('Not closed');
		});
		file.run([{ op: 'close' }]);
		expect(ask(swap(1, undefined, 'a'))).toEqual([true]);
		expect(opened).toBe(2);
	});
});
