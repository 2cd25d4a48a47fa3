/** The ledger's SQL. Times are in milliseconds: of the Unix epoch in `entry`, of the host's monotonic clock in `session`. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';

export interface Statements {
	/** $key: `{ text, expires }` */
	readonly read: StatementSync;
	/** $key, $text, $now, $until: changes a row if the entry was missing or expired. */
	readonly add: StatementSync;
	/** $key, $seen, $text, $now, $until: changes a row if its text was `seen`, and had not expired. */
	readonly replace: StatementSync;
	/** $key, $seen: changes a row if its text was `seen`. */
	readonly remove: StatementSync;
	/** $name: `{ boot, renewed, closed }` */
	readonly readSession: StatementSync;
	/** $name, $boot, $renewed, $closed */
	readonly writeSession: StatementSync;
	/** $boot, $before, $now: removes the sessions that were not renewed or closed since `before`, or under another boot. */
	readonly removeSessions: StatementSync;
	/** $key, $now: `{ value }` */
	readonly readRecord: StatementSync;
	/** $key, $next, $until (null: for good), $now: changes a row if the record was missing or expired. */
	readonly addRecord: StatementSync;
	/** $key, $expected, $next, $until (null: as before), $now: changes a row if it held `expected`, and had not expired. */
	readonly replaceRecord: StatementSync;
	/** $key, $expected, $now: the same. */
	readonly removeRecord: StatementSync;
	/** $now: removes some expired records. */
	readonly sweepRecords: StatementSync;
	/** $after, $now, $limit: `{ last, expired }` of the next entries after `after`. */
	readonly inspect: StatementSync;
	/** $after, $last, $now */
	readonly sweep: StatementSync;
}

export function prepareStatements(db: DatabaseSync): Statements {
	return {
		read: db.prepare('SELECT text, expires FROM entry WHERE key = $key'),
		add: db.prepare(
			`INSERT INTO entry (key, text, expires) VALUES ($key, $text, $until)
			ON CONFLICT (key) DO UPDATE SET text = $text, expires = $until WHERE expires <= $now`,
		),
		replace: db.prepare(
			`UPDATE entry SET text = $text, expires = max(expires, $until)
			WHERE key = $key AND text = $seen AND expires > $now`,
		),
		remove: db.prepare('DELETE FROM entry WHERE key = $key AND text = $seen'),
		readSession: db.prepare('SELECT boot, renewed, closed FROM session WHERE name = $name'),
		writeSession: db.prepare(
			`INSERT INTO session (name, boot, renewed, closed) VALUES ($name, $boot, $renewed, $closed)
			ON CONFLICT (name) DO UPDATE SET boot = $boot, renewed = $renewed, closed = $closed`,
		),
		removeSessions: db.prepare(
			'DELETE FROM session WHERE boot <> $boot OR renewed NOT BETWEEN $before AND $now',
		),
		readRecord: db.prepare(
			'SELECT value FROM record WHERE key = $key AND (expires IS NULL OR expires > $now)',
		),
		addRecord: db.prepare(
			`INSERT INTO record (key, expires, value) VALUES ($key, $until, $next)
			ON CONFLICT (key) DO UPDATE SET value = $next, expires = $until WHERE expires <= $now`,
		),
		replaceRecord: db.prepare(
			`UPDATE record SET value = $next, expires = coalesce(max(coalesce(expires, 0), $until), expires)
			WHERE key = $key AND value = $expected AND (expires IS NULL OR expires > $now)`,
		),
		removeRecord: db.prepare(
			`DELETE FROM record
			WHERE key = $key AND value = $expected AND (expires IS NULL OR expires > $now)`,
		),
		sweepRecords: db.prepare(
			'DELETE FROM record WHERE key IN (SELECT key FROM record WHERE expires <= $now LIMIT 8)',
		),
		inspect: db.prepare(
			`SELECT max(key) AS last, coalesce(sum(expires <= $now), 0) AS expired
			FROM (SELECT key, expires FROM entry WHERE key > $after ORDER BY key LIMIT $limit)`,
		),
		sweep: db.prepare('DELETE FROM entry WHERE key > $after AND key <= $last AND expires <= $now'),
	};
}
