import { DatabaseSync } from 'node:sqlite';
import { LedgerUnavailableError } from '../../../../lib/ledger';
import { prepareSchema, SCHEMA_VERSION } from '../../../../lib/ledger/sqlite/schema';
import { SqliteWorld } from './world';

describe('the schema of the ledger in SQLite', () => {
	let world: SqliteWorld;
	let path: string;
	let opened: DatabaseSync[];

	beforeEach(() => {
		world = new SqliteWorld();
		({ path } = world);
		opened = [];
	});

	afterEach(async () => {
		for (const db of opened) db.close();
		await world.remove();
	});

	/** The file, with something that happens instead of the SQL that begins like this. */
	function open(sql = 'nothing', instead: (exec: () => void) => void = () => undefined) {
		class Watched extends DatabaseSync {
			override exec(text: string): void {
				const exec = () => {
					super.exec(text);
				};
				if (text.startsWith(sql)) instead(exec);
				else exec();
			}
		}
		const db = new Watched(path);
		opened.push(db);
		return db;
	}

	function tables(db: DatabaseSync): unknown[] {
		return db
			.prepare('SELECT name FROM sqlite_schema ORDER BY name')
			.all()
			.map(({ name }) => name);
	}

	it('is made as a whole or not at all', () => {
		const db = open('CREATE TABLE record', () => {
			throw new Error('The disk failed');
		});
		expect(() => {
			prepareSchema(db, path);
		}).toThrow('The disk failed');
		expect(tables(db)).toEqual([]);
		prepareSchema(open(), path);
		expect(tables(db)).toEqual(['clock', 'entry', 'record', 'session']);
	});

	it('may be made by another process meanwhile', () => {
		const db = open('BEGIN', (exec) => {
			prepareSchema(open(), path);
			exec();
		});
		prepareSchema(db, path);
		expect(tables(db)).toEqual(['clock', 'entry', 'record', 'session']);
		expect(db.isTransaction).toBe(false);
	});

	it('costs no lock where it is there', () => {
		prepareSchema(open(), path);
		open().exec('BEGIN IMMEDIATE');
		prepareSchema(open(), path);
	});

	it.each([
		[
			SCHEMA_VERSION + 1,
			`was written by a newer version of this package (schema ${SCHEMA_VERSION + 1}, supported here: ${SCHEMA_VERSION}): update the package, or set ASSET_SERVICE_LEDGER_SQLITE_PATH to another file.`,
		],
		[
			SCHEMA_VERSION - 1,
			`was written by a version that was never released (schema ${SCHEMA_VERSION - 1}, supported here: ${SCHEMA_VERSION}): move the file to another folder, or set ASSET_SERVICE_LEDGER_SQLITE_PATH to another file.`,
		],
		[0, 'was written by a version that was never released (schema 0, '],
	])('of version %d is rejected with what to do, and stays as it is', (version, words) => {
		const db = open();
		prepareSchema(db, path);
		db.exec(`PRAGMA user_version = ${version}`);
		const late = open();
		expect(() => {
			prepareSchema(late, path);
		}).toThrow(words);
		expect(late.isTransaction).toBe(false);
		expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: version });
	});

	it.each([
		[
			'with the same version',
			`CREATE TABLE other (id INTEGER); PRAGMA user_version = ${SCHEMA_VERSION}`,
		],
		['that is still empty', 'PRAGMA application_id = 1'],
	])('is not made in a database of another application %s', (_which, sql) => {
		const db = open();
		db.exec(sql);
		const before = tables(db);
		expect(() => {
			prepareSchema(db, path);
		}).toThrow(LedgerUnavailableError);
		expect(tables(db)).toEqual(before);
		expect(db.isTransaction).toBe(false);
	});
});
