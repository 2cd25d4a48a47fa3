/** The ledger's SQL: one statement a step, each atomic by itself. Moments are milliseconds of unix time. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { FIRST_GRACE_MS, LONGEST_GRACE_MS } from '../common/types';

/** What `entry.state` holds. */
const PENDING = 0;
export const STORED = 1;
export const BEGUN = 2;

export interface Statements {
	/** $key: `{ state, expires, due, holder }` */
	readonly find: StatementSync;
	/** $key, $token, $now, $leaseEnd: changes a row when the event could be claimed. */
	readonly claim: StatementSync;
	/** $key, $token, $now, $leaseEnd: changes a row when the claim was the caller's, as the next three do. */
	readonly renew: StatementSync;
	/** $key, $token, $now, $until */
	readonly commit: StatementSync;
	/** $key, $token, $now: gives back an event that was never stored. */
	readonly releaseNew: StatementSync;
	/** $key, $token, $now: makes an event that was stored before overdue again. */
	readonly releaseStored: StatementSync;
	/** $key, $now, $until: whoever holds the entry, unless it has begun. */
	readonly commitAnyway: StatementSync;
	/** $key, $run, $now, $until: changes a row when the run goes on. */
	readonly begin: StatementSync;
	/** $key, $run, $now, $until: the entry is overdue then, unless another run has begun it. */
	readonly giveBack: StatementSync;
	/** $key: `{ value }` */
	readonly readRecord: StatementSync;
	/** $key, $next: changes a row when there was none. */
	readonly addRecord: StatementSync;
	/** $key, $expected, $next: changes a row when it held `expected`. */
	readonly replaceRecord: StatementSync;
	/** $key, $expected: changes a row when it held `expected`. */
	readonly removeRecord: StatementSync;
	/** $after, $now, $limit: `{ last, expired }` of the entries next to `after`. */
	readonly inspect: StatementSync;
	/** $after, $last, $now */
	readonly remove: StatementSync;
}

const THEIRS = `key = $key AND holder = $token AND state = ${PENDING} AND due > $now`;
/** A grace other than 0 says that the event was stored before, and its retention goes on. */
const WAS_STORED = 'entry.grace > 0 AND entry.expires > $now';
const GRACE = `CASE WHEN ${WAS_STORED} THEN entry.grace ELSE ${FIRST_GRACE_MS} END`;
/** A commit after the first leaves the grace alone: the event may have been given back in between. */
const DUE = `CASE WHEN entry.state = ${STORED} AND entry.expires > $now THEN entry.due ELSE $now + ${GRACE} END`;
const STORE = `state = ${STORED}, grace = ${GRACE}, due = ${DUE},
	expires = CASE WHEN ${WAS_STORED} THEN max(entry.expires, $until) ELSE $until END`;

export function prepareStatements(db: DatabaseSync): Statements {
	return {
		find: db.prepare('SELECT state, expires, due, holder FROM entry WHERE key = $key'),
		claim: db.prepare(
			`INSERT INTO entry (key, state, expires, due, grace, holder)
			VALUES ($key, ${PENDING}, $leaseEnd, $leaseEnd, 0, $token)
			ON CONFLICT (key) DO UPDATE SET state = ${PENDING}, due = $leaseEnd, holder = $token,
			grace = CASE WHEN ${WAS_STORED} THEN min(2 * entry.grace, ${LONGEST_GRACE_MS}) ELSE 0 END,
			expires = CASE WHEN ${WAS_STORED} THEN max(entry.expires, $leaseEnd) ELSE $leaseEnd END
			WHERE entry.expires <= $now OR (entry.state <> ${BEGUN} AND entry.due <= $now)`,
		),
		renew: db.prepare(
			`UPDATE entry SET due = $leaseEnd,
			expires = CASE WHEN grace > 0 THEN max(expires, $leaseEnd) ELSE $leaseEnd END
			WHERE ${THEIRS}`,
		),
		// The holder stays, so that a commit that is sent again finds its own.
		commit: db.prepare(
			`UPDATE entry SET ${STORE} WHERE key = $key AND holder = $token AND expires > $now
			AND (state = ${STORED} OR (state = ${PENDING} AND due > $now))`,
		),
		releaseNew: db.prepare(`DELETE FROM entry WHERE ${THEIRS} AND grace = 0`),
		releaseStored: db.prepare(
			`UPDATE entry SET state = ${STORED}, holder = NULL, due = $now WHERE ${THEIRS}`,
		),
		commitAnyway: db.prepare(
			`INSERT INTO entry (key, state, expires, due, grace, holder)
			VALUES ($key, ${STORED}, $until, $now + ${FIRST_GRACE_MS}, ${FIRST_GRACE_MS}, NULL)
			ON CONFLICT (key) DO UPDATE SET ${STORE}, holder = NULL
			WHERE entry.state <> ${BEGUN} OR entry.expires <= $now`,
		),
		begin: db.prepare(
			`INSERT INTO entry (key, state, expires, due, grace, holder)
			VALUES ($key, ${BEGUN}, $until, 0, 0, $run)
			ON CONFLICT (key) DO UPDATE SET state = ${BEGUN}, expires = $until, due = 0, grace = 0, holder = $run
			WHERE entry.state <> ${BEGUN} OR entry.expires <= $now OR entry.holder = $run`,
		),
		giveBack: db.prepare(
			`INSERT INTO entry (key, state, expires, due, grace, holder)
			VALUES ($key, ${STORED}, $until, $now, ${FIRST_GRACE_MS}, NULL)
			ON CONFLICT (key) DO UPDATE SET state = ${STORED}, holder = NULL, due = $now, grace = ${GRACE},
			expires = CASE WHEN ${WAS_STORED} THEN max(entry.expires, $until) ELSE $until END
			WHERE entry.state <> ${BEGUN} OR entry.expires <= $now OR entry.holder = $run`,
		),
		readRecord: db.prepare('SELECT value FROM record WHERE key = $key'),
		addRecord: db.prepare(
			'INSERT INTO record (key, value) VALUES ($key, $next) ON CONFLICT DO NOTHING',
		),
		replaceRecord: db.prepare(
			'UPDATE record SET value = $next WHERE key = $key AND value = $expected',
		),
		removeRecord: db.prepare('DELETE FROM record WHERE key = $key AND value = $expected'),
		inspect: db.prepare(
			`SELECT max(key) AS last, coalesce(sum(expires <= $now), 0) AS expired
			FROM (SELECT key, expires FROM entry WHERE key > $after ORDER BY key LIMIT $limit)`,
		),
		remove: db.prepare('DELETE FROM entry WHERE key > $after AND key <= $last AND expires <= $now'),
	};
}
