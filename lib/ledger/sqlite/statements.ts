/**
 * The ledger's SQL: one statement a step, each atomic by itself.
 * Parameters go by their order alone: Node 22.16 does not bind numbered ones (`?1`).
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';

export interface Statements {
	/** key: `{ expires, token }` */
	readonly find: StatementSync;
	/** key, expires, token, now: changes a row when the entry was free. */
	readonly claim: StatementSync;
	/** expires, key, token, now: changes a row when the claim was the caller's. */
	readonly renew: StatementSync;
	/** expires, key, token, now: changes a row when the claim was the caller's. */
	readonly commit: StatementSync;
	/** key, expires: whoever holds the entry. */
	readonly commitAnyway: StatementSync;
	/** key, token, now: changes a row when the claim was the caller's. */
	readonly release: StatementSync;
	/** key: `{ value }` */
	readonly readRecord: StatementSync;
	/** key, value: changes a row when there was none. */
	readonly addRecord: StatementSync;
	/** next, key, expected: changes a row when it held `expected`. */
	readonly replaceRecord: StatementSync;
	/** key, expected: changes a row when it held `expected`. */
	readonly removeRecord: StatementSync;
	/** now, after, limit: `{ last, expired }` of the entries next to `after`. */
	readonly look: StatementSync;
	/** after, last, now */
	readonly remove: StatementSync;
}

export function prepareStatements(db: DatabaseSync): Statements {
	return {
		find: db.prepare('SELECT expires, token FROM entry WHERE key = ?'),
		claim: db.prepare(
			`INSERT INTO entry (key, expires, token) VALUES (?, ?, ?)
			ON CONFLICT (key) DO UPDATE SET expires = excluded.expires, token = excluded.token
			WHERE entry.expires <= ?`,
		),
		renew: db.prepare('UPDATE entry SET expires = ? WHERE key = ? AND token = ? AND expires > ?'),
		commit: db.prepare(
			'UPDATE entry SET expires = ?, token = NULL WHERE key = ? AND token = ? AND expires > ?',
		),
		commitAnyway: db.prepare(
			`INSERT INTO entry (key, expires) VALUES (?, ?)
			ON CONFLICT (key) DO UPDATE SET token = NULL, expires =
			CASE WHEN entry.token IS NULL THEN max(entry.expires, excluded.expires) ELSE excluded.expires END`,
		),
		release: db.prepare('DELETE FROM entry WHERE key = ? AND token = ? AND expires > ?'),
		readRecord: db.prepare('SELECT value FROM record WHERE key = ?'),
		addRecord: db.prepare('INSERT INTO record (key, value) VALUES (?, ?) ON CONFLICT DO NOTHING'),
		replaceRecord: db.prepare('UPDATE record SET value = ? WHERE key = ? AND value = ?'),
		removeRecord: db.prepare('DELETE FROM record WHERE key = ? AND value = ?'),
		look: db.prepare(
			`SELECT max(key) AS last, coalesce(sum(expires <= ?), 0) AS expired
			FROM (SELECT key, expires FROM entry WHERE key > ? ORDER BY key LIMIT ?)`,
		),
		remove: db.prepare('DELETE FROM entry WHERE key > ? AND key <= ? AND expires <= ?'),
	};
}
