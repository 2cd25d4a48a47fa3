import { DatabaseSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';
import * as thread from '../../../../lib/ledger/sqlite/checkpoint';
import { LedgerDatabase, loadSqlite } from '../../../../lib/ledger/sqlite/database';
import { isBusy, openSyncedFile } from '../../../../lib/ledger/sqlite/files';
import { SCHEMA_VERSION } from '../../../../lib/ledger/sqlite/schema';
import { waitFor } from '../../../support/wait';
import { SqliteWorld } from './world';

const WRITES_PER_CHECKPOINT = 1_000;

describe('the open file of the ledger in SQLite', () => {
	let world: SqliteWorld;
	let path: string;
	let database: LedgerDatabase;

	beforeEach(() => {
		world = new SqliteWorld();
		({ path } = world);
		database = new LedgerDatabase(path, loadSqlite());
	});

	afterEach(async () => {
		jest.restoreAllMocks();
		await database.close().catch(() => undefined);
		await world.remove();
	});

	function add(key: string): void {
		database.statements.addRecord.run({ key, next: 'value' });
	}

	function keys(): unknown[] {
		const db = new DatabaseSync(path, { readOnly: true });
		const rows = db.prepare('SELECT key FROM record').all();
		db.close();
		return rows.map(({ key }) => key);
	}

	function begin(writes: number): void {
		for (let n = 0; n < writes; n++) database.beforeWrite();
	}

	/** As for a lock. */
	function isRefused(): boolean {
		try {
			begin(1);
			return false;
		} catch (error) {
			if (!isBusy(error)) throw error;
			return true;
		}
	}

	describe('a transaction', () => {
		it('that fails leaves nothing, and the next one works', () => {
			const failing = () => {
				add('a');
				throw new Error('The work failed');
			};
			expect(() => database.transaction(failing)).toThrow('The work failed');
			database.transaction(() => {
				add('b');
			});
			expect(keys()).toEqual(['b']);
		});

		it('that SQLite has rolled back itself fails with the original error', () => {
			world.change(
				"CREATE TRIGGER refuse BEFORE INSERT ON record BEGIN SELECT RAISE(ROLLBACK, 'the disk is full'); END",
			);
			expect(() => {
				database.transaction(() => {
					add('a');
				});
			}).toThrow('the disk is full');
		});
	});

	describe('a checkpoint', () => {
		let end: () => void;

		/** Each checkpoint ends when it is told to. */
		function holdUp() {
			return jest.spyOn(thread, 'checkpoint').mockImplementation(
				() =>
					new Promise((resolve) => {
						end = resolve;
					}),
			);
		}

		it('begins with every thousandth write, and never while one is under way', async () => {
			const begun = holdUp();
			begin(WRITES_PER_CHECKPOINT - 1);
			expect(begun).not.toHaveBeenCalled();
			begin(1);
			expect(begun).toHaveBeenCalledTimes(1);
			end();
			await turn();
			begin(WRITES_PER_CHECKPOINT - 1);
			expect(begun).toHaveBeenCalledTimes(1);
			begin(1 + 2 * WRITES_PER_CHECKPOINT);
			expect(begun).toHaveBeenCalledTimes(2);
			end();
			await turn();
			begin(1);
			expect(begun).toHaveBeenCalledTimes(3);
			end();
		});

		it('is waited for when the file is closed', async () => {
			holdUp();
			begin(WRITES_PER_CHECKPOINT);
			let isClosed = false;
			const closed = database.close().then(() => {
				isClosed = true;
			});
			await turn();
			expect(isClosed).toBe(false);
			end();
			await closed;
		});

		it('lets no write begin near its end, until it is over', async () => {
			add('a');
			// While another connection reads from the log, it cannot start over.
			const reader = new DatabaseSync(path);
			reader.exec('BEGIN');
			reader.prepare('SELECT * FROM record').all();
			begin(WRITES_PER_CHECKPOINT);
			await waitFor(() => (isRefused() ? true : undefined), {
				what: 'a write that is refused',
				everyMs: 1,
			});
			reader.close();
			await waitFor(() => (isRefused() ? undefined : true), { what: 'a write that is not' });
		});
	});

	describe('when it is closed', () => {
		let logs: number;
		let fail: () => void;

		function openWith(datasync: () => Promise<void>): void {
			logs = 0;
			database = new LedgerDatabase(path, loadSqlite(), (file) => {
				const log = openSyncedFile(file);
				logs += 1;
				return {
					...log,
					datasync: () => datasync().then(() => log.datasync()),
					close: () => {
						log.close();
						logs -= 1;
					},
				};
			});
			expect(logs).toBe(1);
		}

		beforeEach(() => database.close());

		it('syncs for those who wait all the same', async () => {
			openWith(() => Promise.resolve());
			add('a');
			const durable = database.durable();
			await Promise.all([database.close(), durable]);
			expect(logs).toBe(0);
			expect(keys()).toEqual(['a']);
		});

		it('closes the log as well when its last sync fails', async () => {
			const sync = new Promise<void>((_resolve, reject) => {
				fail = () => {
					reject(new Error('The disk failed'));
				};
			});
			openWith(() => sync);
			const failed = expect(database.durable()).rejects.toThrow('The disk failed');
			await turn();
			const closed = database.close();
			await turn();
			expect(logs).toBe(1);
			fail();
			await Promise.all([failed, closed]);
			expect(logs).toBe(0);
		});

		it('closes the log as well when SQLite fails', async () => {
			openWith(() => Promise.resolve());
			jest.spyOn(DatabaseSync.prototype, 'close').mockImplementationOnce(() => {
				throw new Error('The file cannot be closed');
			});
			await expect(database.close()).rejects.toThrow('The file cannot be closed');
			expect(logs).toBe(0);
		});
	});

	it('is closed again if it is rejected', () => {
		world.change(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
		const close = jest.spyOn(DatabaseSync.prototype, 'close');
		expect(() => new LedgerDatabase(path, loadSqlite())).toThrow(/newer version/);
		expect(close).toHaveBeenCalledTimes(1);
	});

	it('that has no log to open can be read and closed, and the first sync reports the error', async () => {
		await database.close();
		let broken = true;
		const open = () =>
			new LedgerDatabase(path, loadSqlite(), (log) => {
				if (broken) throw new Error('Too many open files');
				return openSyncedFile(log);
			});
		const unsynced = open();
		expect(unsynced.statements.readRecord.get({ key: 'a' })).toBeUndefined();
		await unsynced.close();
		database = open();
		await expect(database.durable()).rejects.toThrow('Too many open files');
		broken = false;
		await database.durable();
	});
});
