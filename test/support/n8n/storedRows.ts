/** Reads and changes the executions in the SQLite database of an n8n that is stopped. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Stores every execution that waits for its turn a second time, under an id of its own; gives their number. */
export function doubleWaitingRows(userFolder: string): number {
	const database = new DatabaseSync(join(userFolder, '.n8n', 'database.sqlite'));
	try {
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
	} finally {
		database.close();
	}
}
