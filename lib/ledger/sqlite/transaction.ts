/** Runs work as one SQLite transaction. */
import type { DatabaseSync } from 'node:sqlite';

/** Returns the result of `work`; nothing has changed if it throws. In a transaction, it is a part of that one. */
export function transaction<T>(db: DatabaseSync, work: () => T): T {
	if (db.isTransaction) return work();
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
