/**
 * The life of an event in the ledger, and what the ledger says about it. Its steps are in `steps.ts`, for every store: a store only reads
 * and replaces the text of an entry atomically.
 *
 *     free ──claim──▶ pending ──commit──▶ stored ──begin──▶ running ──end──▶ done | failed | asleep
 *      ▲               │   │                │                 │ ▲
 *      └─ release, or ─┘   │                │                 │ └─ begin wins over free, pending, stored and overdue
 *         holder dead      └────────────────┴──── begin ──────┘
 *
 *     stored,  and its grace is over, or it was given back or reopened: overdue
 *     pending, and its holder is dead: what it was before
 *     running, and its holder is dead: interrupted
 *
 * | state       | claim                                  | begin, by another attempt | reopen  |
 * | ----------- | -------------------------------------- | ------------------------- | ------- |
 * | free        | claimed                                | yes                       | overdue |
 * | pending     | pending                                | yes                       | no      |
 * | stored      | committed                              | yes                       | overdue |
 * | overdue     | claimed                                | yes                       | overdue |
 * | running     | pending if it repeats, else committed  | no                        | no      |
 * | failed      | if it repeats: claimed when due, until | if it repeats and is due  | overdue |
 * | interrupted |   then pending; otherwise committed    |                           |         |
 * | asleep      | committed                              | no                        | overdue |
 * | done, begun | committed                              | no                        | overdue |
 *
 * - An event repeats if the attempt that began it said so ("If the Execution Fails" is "Start Again"): a later change of the setting
 *   starts nothing old. It is due again after a pause that grows with its attempts.
 * - `end` counts for the last attempt that began the event. A success counts for every attempt, unless a user has
 *   reopened the event since: its work is done.
 * - Whether a holder is dead: see `session.ts`. A process that was paused can be taken for dead and come back. What it
 *   held and nobody took is its own again.
 */
import { MINUTE_MS } from '../../shared/time';
import type { Entry } from './entry';

export type EntryState =
	| 'free'
	/** A process is handing it over to n8n. */
	| 'pending'
	/** n8n stored an execution. */
	| 'stored'
	/** Stored, but no execution began within the grace, so n8n may have lost it; or the event was given back or reopened. */
	| 'overdue'
	/** An execution has begun. */
	| 'running'
	/** Its execution sleeps in a Wait node. What comes after that is only known to n8n. */
	| 'asleep'
	/** An execution has begun, and its process died, or n8n could not save its end. */
	| 'interrupted'
	/** Its execution ended with an error, or was stopped. */
	| 'failed'
	/** An execution succeeded. */
	| 'done'
	/** An execution has begun on an n8n that does not report its end. */
	| 'begun';

/** How long a stored event may wait for its execution to begin before it can be claimed again, in milliseconds. */
export const FIRST_GRACE_MS = 15 * MINUTE_MS;
/** Each claim of an overdue event doubles its grace, up to this limit. */
export const LONGEST_GRACE_MS = 240 * MINUTE_MS;
/** How long after the first, second, ... attempt an event is due again. The last one counts for all later attempts. */
const DUE_AFTER_MS = [1, 5, 30, 120, 360].map((minutes) => minutes * MINUTE_MS);
/** A poll starts an event at most this often; a delivery or a user can start it again. */
export const MOST_ATTEMPTS = DUE_AFTER_MS.length + 1;
/** After a stop or a timeout, the last node may still be running. */
const DUE_AFTER_CANCEL_MS = 5 * MINUTE_MS;

/** What a step is decided on, besides the entry. */
export interface StepMoment {
	/** Unix milliseconds, on the clock of the store. */
	readonly now: number;
	/** Whether the holder of a pending or running entry is dead. */
	readonly isHolderDead: boolean;
}

/** The entry without what its dead holder had begun. */
export function withoutDead(
	entry: Entry | undefined,
	{ isHolderDead }: StepMoment,
): Entry | undefined {
	if (entry === undefined || !isHolderDead) return entry;
	if (entry.kind === 'running') return { ...entry, kind: 'interrupted', holder: undefined };
	return entry.kind === 'pending' ? (released(entry) ?? undefined) : entry;
}

/** What a pending entry was before; null if it was free. A stored one was overdue, or it could not have been claimed. */
export function released({ before, ...entry }: Entry): Entry | null {
	if (before === undefined) return null;
	const at = before === 'stored' ? 0 : entry.at;
	return { ...entry, kind: before, at, holder: undefined, claim: undefined };
}

export function stateOf(entry: Entry | undefined, moment: StepMoment): EntryState {
	const left = withoutDead(entry, moment);
	if (left === undefined) return 'free';
	if (left.kind === 'stored') return isOverdue(left, moment) ? 'overdue' : 'stored';
	return left.kind === 'canceled' ? 'failed' : left.kind;
}

function isOverdue({ at, grace }: Entry, { now }: StepMoment): boolean {
	// If the clock was ahead when it was stored, too.
	return at === 0 || Math.abs(now - at) >= grace;
}

/** In how many milliseconds the event is due again, 0 if it is; undefined if it does not start again by itself. */
export function dueInMs(entry: Entry | undefined, moment: StepMoment): number | undefined {
	const left = withoutDead(entry, moment);
	if (!left?.repeats || !ENDED_BADLY.has(left.kind)) return undefined;
	const index = Math.min(Math.max(left.attempts, 1), DUE_AFTER_MS.length) - 1;
	const pauseMs = DUE_AFTER_MS[index] ?? 0;
	const afterMs = left.kind === 'canceled' ? Math.max(pauseMs, DUE_AFTER_CANCEL_MS) : pauseMs;
	// No longer than that if the clock was ahead when it ended.
	return Math.min(afterMs, Math.max(0, left.at + afterMs - moment.now));
}

const ENDED_BADLY: ReadonlySet<Entry['kind']> = new Set(['failed', 'canceled', 'interrupted']);

/** The ledger's record of an event. */
export interface Account {
	readonly state: EntryState;
	/** The latest attempt that began it (`attemptOf`); absent if there was none. */
	readonly run?: string;
	/** How many executions have begun it since it was last reopened. */
	readonly attempts: number;
	/** When its execution ended, in Unix milliseconds; absent unless it is failed or done. */
	readonly endedAt?: number;
	/** In how many milliseconds it is due again, 0 if it is; absent if it does not start again by itself. */
	readonly dueInMs?: number;
	/** For how long it has been running, in milliseconds; absent unless it is. */
	readonly runningMs?: number;
	/** True if it is running and starts again unless that succeeds. */
	readonly repeats?: true;
	/** When a user asked to run it again, in Unix milliseconds; absent once it has succeeded. */
	readonly reopenedAt?: number;
}

export function accountOf(entry: Entry | undefined, moment: StepMoment): Account {
	const state = stateOf(entry, moment);
	if (entry === undefined || state === 'free') return { state: 'free', attempts: 0 };
	const { run, attempts, reopenedAt } = entry;
	const due = dueInMs(entry, moment);
	return {
		state,
		attempts,
		...(run !== undefined && { run }),
		...((state === 'failed' || state === 'done') && { endedAt: entry.at }),
		...(due !== undefined && { dueInMs: due }),
		...(state === 'running' && { runningMs: Math.max(0, moment.now - entry.at) }),
		...(state === 'running' && entry.repeats && { repeats: true }),
		...(reopenedAt !== undefined && { reopenedAt }),
	};
}
