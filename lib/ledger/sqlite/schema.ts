/** The SQL of the ledger: its schema, how a foreign file is detected, its statements, and transactions. */
import type { DatabaseSync } from 'node:sqlite';
import { printable } from '../../shared/text';
import { LedgerUnavailableError } from '../common/store';

/** "ASvc": marks the file as a ledger (PRAGMA application_id). */
const APPLICATION_ID = 0x41537663;
export const SCHEMA_VERSION = 5;

/**
 * `text` is an entry (`life/entry.ts`), kept until `expires`, in the time of `clock`. Without a rowid and without a second
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

/**
 * One row: what the wall clock of the host said last, and the time by which entries and records expire then. Both in milliseconds. That
 * time only counts what has passed while the ledger was used, and at most a day of each pause in between: a clock that was wrong by
 * weeks, when the ledger was written or when it is opened, lets nothing expire too early.
 */
const CLOCK_TABLE = `CREATE TABLE clock (
	id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
	wall INTEGER NOT NULL,
	time INTEGER NOT NULL
)`;

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
			db.exec(CLOCK_TABLE);
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
	// By hand: the thread need not load a validator.
	return Number(Object.values(db.prepare(sql).get() ?? {})[0]);
}

export type Statements = ReturnType<typeof prepareStatements>;

/** Times are in milliseconds: of the time of `clock` in `entry` and `record`, of the host's monotonic clock in `session`. */
export function prepareStatements(db: DatabaseSync) {
	return {
		/** $key: `{ text, expires }` */
		readEntry: db.prepare('SELECT text, expires FROM entry WHERE key = $key'),
		/** $key, $text, $expires */
		writeEntry: db.prepare(
			`INSERT INTO entry (key, text, expires) VALUES ($key, $text, $expires)
			ON CONFLICT (key) DO UPDATE SET text = $text, expires = $expires`,
		),
		/** $key */
		removeEntry: db.prepare('DELETE FROM entry WHERE key = $key'),
		/** The same for records; `expires` is null for one that is kept for good. */
		readRecord: db.prepare('SELECT value AS text, expires FROM record WHERE key = $key'),
		writeRecord: db.prepare(
			`INSERT INTO record (key, expires, value) VALUES ($key, $expires, $text)
			ON CONFLICT (key) DO UPDATE SET value = $text, expires = $expires`,
		),
		removeRecord: db.prepare('DELETE FROM record WHERE key = $key'),
		/** $name: `{ boot, renewed, closed }` */
		readSession: db.prepare('SELECT boot, renewed, closed FROM session WHERE name = $name'),
		/** $name, $boot, $renewed, $closed. One that is closed stays closed. */
		writeSession: db.prepare(
			`INSERT INTO session (name, boot, renewed, closed) VALUES ($name, $boot, $renewed, $closed)
			ON CONFLICT (name) DO UPDATE SET boot = $boot, renewed = $renewed, closed = max(closed, $closed)`,
		),
		/** $boot, $before, $now: removes the sessions that were not renewed or closed since `before`, or under another boot. */
		removeSessions: db.prepare(
			'DELETE FROM session WHERE boot <> $boot OR renewed NOT BETWEEN $before AND $now',
		),
		/** `{ wall, time }`; no row in a new file. */
		readClock: db.prepare('SELECT wall, time FROM clock'),
		/** $wall, $time: another process may have come further. */
		writeClock: db.prepare(
			`INSERT INTO clock (id, wall, time) VALUES (1, $wall, $time)
			ON CONFLICT (id) DO UPDATE SET wall = $wall, time = max(time, $time)`,
		),
		/** `{ data_version }`: another number after each commit of another connection. */
		readOthersVersion: db.prepare('PRAGMA data_version'),
		/** $now: removes some expired records. */
		sweepRecords: db.prepare(
			'DELETE FROM record WHERE key IN (SELECT key FROM record WHERE expires <= $now LIMIT 8)',
		),
		/** $after, $now, $limit: `{ last, expired }` of the next entries after `after`. */
		inspect: db.prepare(
			`SELECT max(key) AS last, coalesce(sum(expires <= $now), 0) AS expired
			FROM (SELECT key, expires FROM entry WHERE key > $after ORDER BY key LIMIT $limit)`,
		),
		/** $after, $last, $now */
		sweep: db.prepare('DELETE FROM entry WHERE key > $after AND key <= $last AND expires <= $now'),
	};
}

/** Returns the result of `work`; nothing has changed if it throws. */
export function transaction<T>(db: DatabaseSync, work: () => T): T {
	db.exec('BEGIN IMMEDIATE');
	try {
		const result = work();
		db.exec('COMMIT');
		return result;
	} catch (error) {
		rollBack(db);
		throw error;
	}
}

/** A full disk has already rolled it back; an error about that would hide the real one. */
function rollBack(db: DatabaseSync): void {
	if (db.isTransaction) db.exec('ROLLBACK');
}
