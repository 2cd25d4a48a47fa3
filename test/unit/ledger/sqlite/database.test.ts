import { DatabaseSync } from 'node:sqlite';
import { LedgerDatabase, loadSqlite } from '../../../../lib/ledger/sqlite/database';
import { SCHEMA_VERSION } from '../../../../lib/ledger/sqlite/schema';
import { SqliteWorld } from './world';

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
		database.close();
		await world.remove();
	});

	const add = (key: string) => {
		database.statements.writeRecord.run({ key, text: 'value', expires: null });
	};
	const keys = () => world.query('SELECT key FROM record');

	describe('a transaction', () => {
		it('that fails leaves nothing, and the next one works', () => {
			const failing = () => {
				add('a');
				throw new Error('The work failed');
			};
			expect(() => database.transaction(failing, true)).toThrow('The work failed');
			database.transaction(() => {
				add('b');
			}, true);
			expect(keys()).toEqual([{ key: 'b' }]);
		});

		it('that SQLite has rolled back itself fails with the original error', () => {
			world.change(
				"CREATE TRIGGER refuse BEFORE INSERT ON record BEGIN SELECT RAISE(ROLLBACK, 'the disk is full'); END",
			);
			expect(() => {
				database.transaction(() => {
					add('a');
				}, false);
			}).toThrow('the disk is full');
		});
	});

	it('is closed again if it is rejected', () => {
		world.change(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
		const close = jest.spyOn(DatabaseSync.prototype, 'close');
		expect(() => new LedgerDatabase(path, loadSqlite())).toThrow(/newer version/);
		expect(close).toHaveBeenCalledTimes(1);
	});

	it('finds no SQLite in a Node that is too old to look for it', () => {
		const name = 'getBuiltinModule';
		const own = Object.getOwnPropertyDescriptor(process, name) ?? {};
		Object.defineProperty(process, name, { ...own, value: undefined });
		try {
			expect(loadSqlite()).toBeUndefined();
		} finally {
			Object.defineProperty(process, name, own);
		}
	});
});
