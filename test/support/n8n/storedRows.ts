/** Copies and changes n8n's SQLite database of executions. */
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { withDatabase } from '../sqlite';

export const n8nDatabase = (userFolder: string): string =>
	join(userFolder, '.n8n', 'database.sqlite');

/**
 * Copies the database as it is now, as an operator's backup does, whether n8n is running or not. The returned function
 * restores the copy, as often as it is called; n8n must be stopped then.
 */
export function backUpDatabase(userFolder: string): () => void {
	const file = n8nDatabase(userFolder);
	const backup = `${file}.backup`;
	rmSync(backup, { force: true });
	withDatabase(file, (database) => {
		database.prepare('VACUUM INTO ?').run(backup);
	});
	return () => {
		// The log of the newer database must not be applied to the older one.
		for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
		copyFileSync(backup, file);
	};
}

/** Stores every waiting execution a second time under a new ID; returns their number. */
export function doubleWaitingRows(userFolder: string): number {
	return withDatabase(n8nDatabase(userFolder), (database) => {
		const columns = (table: string, without: string): string =>
			database
				.prepare('SELECT name FROM pragma_table_info(?) WHERE name <> ?')
				.all(table, without)
				.map(({ name }) => `"${String(name)}"`)
				.join(', ');
		const ofRow = columns('execution_entity', 'id');
		const ofData = columns('execution_data', 'executionId');
		const copyRow = database.prepare(
			`INSERT INTO execution_entity (${ofRow}) SELECT ${ofRow} FROM execution_entity WHERE id = ?`,
		);
		const copyData = database.prepare(
			`INSERT INTO execution_data ("executionId", ${ofData})
			SELECT ?, ${ofData} FROM execution_data WHERE "executionId" = ?`,
		);
		const waiting = database.prepare(`SELECT id FROM execution_entity WHERE status = 'new'`).all();
		for (const { id = null } of waiting) copyData.run(copyRow.run(id).lastInsertRowid, id);
		return waiting.length;
	});
}
