/** The schema of the SQLite file, and how a foreign file is detected. */
import type { DatabaseSync } from 'node:sqlite';
import { printable } from '../../shared/text';
import { number, parse } from '../../vendor/zod';
import { LedgerUnavailableError } from '../common/errors';
import { transaction } from './transaction';

/** "ASvc": marks the file as a ledger (PRAGMA application_id). */
const APPLICATION_ID = 0x41537663;
export const SCHEMA_VERSION = 3;

/**
 * `text` is an entry (`life/entry.ts`), kept until `expires`, in Unix milliseconds. Without a rowid and without a second
 * index, an event touches one page, whatever the size of the file.
 */
const TABLE = `CREATE TABLE entry (
	key BLOB NOT NULL PRIMARY KEY,
	text TEXT NOT NULL,
	expires INTEGER NOT NULL
) WITHOUT ROWID`;

/** `renewed`: when it was renewed or closed, in milliseconds of the monotonic clock of the host since `boot`. `closed`: 0 or 1. */
const SESSION_TABLE = `CREATE TABLE session (
	name TEXT NOT NULL PRIMARY KEY,
	boot TEXT NOT NULL,
	renewed INTEGER NOT NULL,
	closed INTEGER NOT NULL
) WITHOUT ROWID`;

/**
 * Other data that the processes have to agree on, kept until `expires` (null: until replaced). That comes before the value, which may
 * be long, so that looking for expired records reads no values.
 */
const RECORD_TABLE = `CREATE TABLE record (
	key TEXT NOT NULL PRIMARY KEY,
	expires INTEGER,
	value TEXT NOT NULL
) WITHOUT ROWID`;

/** Creates the tables in an empty file. Throws `LedgerUnavailableError` for another schema and for a foreign file. */
export function prepareSchema(db: DatabaseSync, path: string): void {
	if (isOurs(db) && version(db) === SCHEMA_VERSION) return;
	transaction(db, () => {
		// Checked again where no other process can change it.
		if (isOurs(db)) {
			refuseOther(version(db), path);
		} else {
			refuseForeign(db, path);
			db.exec(TABLE);
			db.exec(SESSION_TABLE);
			db.exec(RECORD_TABLE);
			db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
		}
		db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
	});
}

function refuseOther(found: number, path: string): void {
	if (found === SCHEMA_VERSION) return;
	const advice =
		found > SCHEMA_VERSION
			? 'a newer version of this package'
			: 'a version that was never released';
	throw new LedgerUnavailableError(
		`The event ledger is not available. ${printable(path, 500)} was written by ${advice} (schema ${found}, supported here: ${SCHEMA_VERSION}): ${found > SCHEMA_VERSION ? 'update the package' : 'move the file to another folder'}, or set ASSET_SERVICE_LEDGER_SQLITE_PATH to another file.`,
	);
}

function refuseForeign(db: DatabaseSync, path: string): void {
	const tables = readNumber(db, 'SELECT count(*) FROM sqlite_schema');
	if (readNumber(db, 'PRAGMA application_id') === 0 && tables === 0) return;
	throw new LedgerUnavailableError(
		`The event ledger is not available. ${printable(path, 500)} is the database of another application: set ASSET_SERVICE_LEDGER_SQLITE_PATH to a file of its own.`,
	);
}

function isOurs(db: DatabaseSync): boolean {
	return readNumber(db, 'PRAGMA application_id') === APPLICATION_ID;
}

function version(db: DatabaseSync): number {
	return readNumber(db, 'PRAGMA user_version');
}

function readNumber(db: DatabaseSync, sql: string): number {
	return parse(number(), Object.values(db.prepare(sql).get() ?? {})[0]);
}
