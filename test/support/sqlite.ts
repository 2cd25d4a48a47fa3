/** SQLite databases that n8n or a ledger also has open. */
import { DatabaseSync } from 'node:sqlite';

const BUSY_MS = 10_000;

export function withDatabase<T>(file: string, work: (database: DatabaseSync) => T): T {
	const database = new DatabaseSync(file, { timeout: BUSY_MS });
	try {
		return work(database);
	} finally {
		database.close();
	}
}

/** Prevents all other writes until the returned function is called. */
export function lockDatabase(file: string): () => void {
	const database = new DatabaseSync(file, { timeout: BUSY_MS });
	database.exec('BEGIN IMMEDIATE');
	return () => {
		database.exec('ROLLBACK');
		database.close();
	};
}

/** Keeps the write-ahead log on disk, as another process with the database open does, until the returned function is called. */
export function holdLog(file: string): () => void {
	const database = new DatabaseSync(file, { readOnly: true });
	database.prepare('SELECT count(*) FROM sqlite_master').get();
	return () => {
		database.close();
	};
}
