/** The ledger's SQL: one statement per step, each atomic by itself. Times are in Unix milliseconds. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { FIRST_GRACE_MS, LONGEST_GRACE_MS } from '../common/types';

/** The values of `entry.state`. */
const PENDING = 0;
export const STORED = 1;
export const BEGUN = 2;
export const RUNNING = 3;
export const FAILED = 4;
export const DONE = 5;

export interface Statements {
	/** $key: `{ state, expires, due, run, attempts, reopened }` */
	readonly find: StatementSync;
	/** $key, $token, $now, $leaseEnd: `{ attempts, reopened }` if the event could be claimed. */
	readonly claim: StatementSync;
	/** $key, $token, $now, $leaseEnd: changes a row if the claim was the caller's, as do the next five. */
	readonly renew: StatementSync;
	/** $key, $token, $now, $until */
	readonly commit: StatementSync;
	/** $key, $token, $now: gives back an event that was neither stored nor begun before. */
	readonly releaseNew: StatementSync;
	/** $key, $token, $now: an event that was stored before becomes overdue again, one that has begun becomes failed. */
	readonly releaseKnown: StatementSync;
	/** $key, $token, $now, $until */
	readonly finish: StatementSync;
	/** $key, $token, $run, $now, $until: changes a row if the run continues under the claim. */
	readonly beginClaimed: StatementSync;
	/** $key, $token, $now: for another run under the same claim, which ends the claim. */
	readonly endClaim: StatementSync;
	/** $key, $now, $until: commits regardless of the holder, unless the entry has begun. */
	readonly commitAnyway: StatementSync;
	/** $key, $run, $now, $until: changes a row if the run continues. */
	readonly begin: StatementSync;
	/** $key, $run, $now, $until: makes the entry overdue unless another run has begun it. */
	readonly giveBack: StatementSync;
	/** $key, $at, $now, $until: makes the entry overdue unless it is held. */
	readonly reopen: StatementSync;
	/** $key: `{ value }` */
	readonly readRecord: StatementSync;
	/** $key, $next: changes a row if there was none. */
	readonly addRecord: StatementSync;
	/** $key, $expected, $next: changes a row if it held `expected`. */
	readonly replaceRecord: StatementSync;
	/** $key, $expected: changes a row if it held `expected`. */
	readonly removeRecord: StatementSync;
	/** $after, $now, $limit: `{ last, expired }` of the next entries after `after`. */
	readonly inspect: StatementSync;
	/** $after, $last, $now */
	readonly remove: StatementSync;
}

const THEIRS = 'key = $key AND holder = $token AND expires > $now';
const HELD = `(state = ${PENDING} AND due > $now)`;
const LIVES = 'entry.expires > $now';
/** A grace other than 0 means that the event was stored before and its retention is still running. */
const WAS_STORED = `entry.grace > 0 AND ${LIVES}`;
/** The entry has data that outlives a claim. */
const IS_KNOWN = `(entry.grace > 0 OR entry.attempts > 0) AND ${LIVES}`;
const GRACE = `CASE WHEN ${WAS_STORED} THEN entry.grace ELSE ${FIRST_GRACE_MS} END`;
/** A commit after the first keeps the grace: the event may have been given back in between. */
const DUE = `CASE WHEN entry.state = ${STORED} AND ${LIVES} THEN entry.due ELSE $now + ${GRACE} END`;
const STORE = `state = ${STORED}, grace = ${GRACE}, due = ${DUE}`;
const ATTEMPTS = `CASE WHEN ${LIVES} THEN entry.attempts ELSE 0 END`;
const RUN = `CASE WHEN ${LIVES} THEN entry.run END`;
const REOPENED = `CASE WHEN ${LIVES} THEN entry.reopened END`;
const KEPT_UNTIL = (end: string, known = WAS_STORED): string =>
	`CASE WHEN ${known} THEN max(entry.expires, ${end}) ELSE ${end} END`;
/** The lease or the grace has ended. */
const OVER = `(entry.state NOT IN (${BEGUN}, ${DONE}) AND entry.due <= $now)`;
const IS_THIS_RUN = 'coalesce(entry.run, entry.holder) = $run';

export function prepareStatements(db: DatabaseSync): Statements {
	return {
		find: db.prepare(
			`SELECT state, expires, due, attempts, reopened,
			CASE WHEN state = ${BEGUN} THEN coalesce(run, holder) ELSE run END AS run
			FROM entry WHERE key = $key`,
		),
		claim: db.prepare(
			`INSERT INTO entry (key, state, expires, due, grace, holder)
			VALUES ($key, ${PENDING}, $leaseEnd, $leaseEnd, 0, $token)
			ON CONFLICT (key) DO UPDATE SET state = ${PENDING}, due = $leaseEnd, holder = $token,
			grace = CASE WHEN ${WAS_STORED} THEN min(2 * entry.grace, ${LONGEST_GRACE_MS}) ELSE 0 END,
			attempts = ${ATTEMPTS}, reopened = ${REOPENED}, run = ${RUN},
			expires = ${KEPT_UNTIL('$leaseEnd', IS_KNOWN)}
			WHERE entry.expires <= $now OR entry.state = ${FAILED} OR ${OVER}
			RETURNING attempts, reopened`,
		),
		renew: db.prepare(
			`UPDATE entry SET due = $leaseEnd, expires = ${KEPT_UNTIL('$leaseEnd', IS_KNOWN)}
			WHERE ${THEIRS} AND (${HELD} OR state = ${RUNNING})`,
		),
		// The holder is kept, so that a commit that is sent again finds its own entry.
		commit: db.prepare(
			`UPDATE entry SET ${STORE}, expires = ${KEPT_UNTIL('$until')}
			WHERE ${THEIRS} AND (${HELD} OR state = ${STORED})`,
		),
		releaseNew: db.prepare(
			`DELETE FROM entry WHERE ${THEIRS} AND ${HELD} AND grace = 0 AND attempts = 0`,
		),
		releaseKnown: db.prepare(
			`UPDATE entry SET state = CASE WHEN attempts > 0 THEN ${FAILED} ELSE ${STORED} END, holder = NULL, due = $now
			WHERE ${THEIRS} AND (${HELD} OR state = ${RUNNING})`,
		),
		finish: db.prepare(
			`UPDATE entry SET state = ${DONE}, expires = $until, due = 0, grace = 0, holder = NULL, reopened = NULL
			WHERE ${THEIRS} AND state = ${RUNNING}`,
		),
		beginClaimed: db.prepare(
			`UPDATE entry SET attempts = attempts + (state = ${PENDING}), state = ${RUNNING}, run = $run,
			expires = CASE state WHEN ${PENDING} THEN max(expires, $until) ELSE expires END
			WHERE ${THEIRS} AND (${HELD} OR (state = ${RUNNING} AND run = $run))`,
		),
		endClaim: db.prepare(`UPDATE entry SET holder = NULL WHERE ${THEIRS} AND state = ${RUNNING}`),
		commitAnyway: db.prepare(
			`INSERT INTO entry (key, state, expires, due, grace)
			VALUES ($key, ${STORED}, $until, $now + ${FIRST_GRACE_MS}, ${FIRST_GRACE_MS})
			ON CONFLICT (key) DO UPDATE SET ${STORE}, holder = NULL, expires = ${KEPT_UNTIL('$until')},
			attempts = ${ATTEMPTS}, reopened = ${REOPENED}, run = ${RUN}
			WHERE entry.expires <= $now OR entry.state IN (${PENDING}, ${STORED}, ${FAILED})`,
		),
		begin: db.prepare(
			`INSERT INTO entry (key, state, expires, due, grace, run, attempts)
			VALUES ($key, ${BEGUN}, $until, 0, 0, $run, 1)
			ON CONFLICT (key) DO UPDATE SET state = ${BEGUN}, expires = $until, due = 0, grace = 0,
			holder = NULL, run = $run, reopened = NULL,
			attempts = ${ATTEMPTS} + (entry.state <> ${BEGUN} OR entry.expires <= $now)
			WHERE entry.expires <= $now OR entry.state IN (${PENDING}, ${STORED}, ${FAILED}) OR ${OVER}
			OR (entry.state = ${BEGUN} AND ${IS_THIS_RUN})`,
		),
		giveBack: db.prepare(
			`INSERT INTO entry (key, state, expires, due, grace)
			VALUES ($key, ${STORED}, $until, $now, ${FIRST_GRACE_MS})
			ON CONFLICT (key) DO UPDATE SET state = ${STORED}, holder = NULL, run = NULL, due = $now, grace = ${GRACE},
			expires = ${KEPT_UNTIL('$until')}, reopened = ${REOPENED},
			attempts = ${ATTEMPTS} - (${LIVES} AND entry.attempts > 0 AND entry.state IN (${BEGUN}, ${RUNNING}))
			WHERE entry.expires <= $now OR entry.state IN (${PENDING}, ${STORED})
			OR (entry.state IN (${BEGUN}, ${RUNNING}) AND ${IS_THIS_RUN})`,
		),
		reopen: db.prepare(
			`INSERT INTO entry (key, state, expires, due, grace, reopened)
			VALUES ($key, ${STORED}, $until, $now, ${FIRST_GRACE_MS}, $at)
			ON CONFLICT (key) DO UPDATE SET state = ${STORED}, holder = NULL, run = NULL, due = $now,
			grace = ${FIRST_GRACE_MS}, expires = max(entry.expires, $until), attempts = 0, reopened = $at
			WHERE entry.expires <= $now OR entry.state IN (${STORED}, ${BEGUN}, ${FAILED}, ${DONE}) OR ${OVER}`,
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
