/** The schema of the SQLite file, and how a foreign file is detected. */
import type { DatabaseSync } from 'node:sqlite';
import { printable } from '../../shared/printable';
import { number, parse } from '../../vendor/zod';
import { LedgerUnavailableError } from '../common/errors';

/** "ASvc": marks the file as a ledger (PRAGMA application_id). */
const APPLICATION_ID = 0x41537663;
export const SCHEMA_VERSION = 2;

/**
 * `state` is one of those in `statements.ts`, `holder` the token of the claim, `run` the latest run that began the
 * event. `expires` is the end of the entry, `due` the end of the lease or of the grace, or the time of the failure, in
 * Unix milliseconds; `grace`, in milliseconds, is 0 until the event is stored. `attempts` and `reopened` are as in
 * `Entry`. Without a rowid and without a second index, an event touches one page, whatever the size of the file.
 */
const TABLE = `CREATE TABLE entry (
	key BLOB NOT NULL PRIMARY KEY,
	state INTEGER NOT NULL,
	expires INTEGER NOT NULL,
	due INTEGER NOT NULL,
	grace INTEGER NOT NULL,
	holder TEXT,
	run TEXT,
	attempts INTEGER NOT NULL DEFAULT 0,
	reopened INTEGER
) WITHOUT ROWID`;

/** Version 1 stored the run of a begun entry in `holder`, which is still supported. Changes no row, however many there are. */
const FROM_VERSION_1 = `ALTER TABLE entry ADD COLUMN run TEXT;
ALTER TABLE entry ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE entry ADD COLUMN reopened INTEGER`;

/** Other data that the processes have to agree on: a handful of rows. */
const RECORD_TABLE = `CREATE TABLE record (
	key TEXT NOT NULL PRIMARY KEY,
	value TEXT NOT NULL
) WITHOUT ROWID`;

/** Creates the tables in an empty file. Throws `LedgerUnavailableError` for a newer schema and for a foreign file. */
export function prepareSchema(db: DatabaseSync, path: string): void {
	if (isOurs(db) && version(db) === SCHEMA_VERSION) return;
	// Checked again where no other process can change it.
	db.exec('BEGIN IMMEDIATE');
	try {
		if (isOurs(db)) {
			refuseNewer(version(db), path);
			if (version(db) === 1) db.exec(FROM_VERSION_1);
		} else {
			refuseForeign(db, path);
			db.exec(TABLE);
			db.exec(RECORD_TABLE);
			db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
		}
		db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
		db.exec('COMMIT');
	} catch (error) {
		// A full disk has already rolled it back; an error about that would hide the real one.
		if (db.isTransaction) db.exec('ROLLBACK');
		throw error;
	}
}

function refuseNewer(found: number, path: string): void {
	if (found <= SCHEMA_VERSION) return;
	throw new LedgerUnavailableError(
		`The event ledger is not available. ${printable(path, 500)} was written by a newer version of this package (schema ${found}, supported here: ${SCHEMA_VERSION}): update the package, or set ASSET_SERVICE_LEDGER_SQLITE_PATH to another file.`,
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
