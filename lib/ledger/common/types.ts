/** The shapes of the ledger: what a store offers, what a claim is, and the life of an entry. */

/**
 * The life of an entry, each step atomic:
 *
 *     free ──claim──▶ pending ──commit──▶ stored ──begin──▶ begun
 *       ▲               │ │                 │                 │
 *       └─release, lapse┘ │                 └─▶ overdue ◀─────┘ giveBack, by the run that began it; reopen
 *                         │ begin under the claim (an event that counts once an execution has succeeded)
 *                         ▼
 *                      running ──finish──▶ done ──reopen──▶ overdue
 *                         │
 *                         └─release, lapse──▶ failed ──claim──▶ pending
 *
 * A stored entry is overdue after its grace. Overdue and failed entries can be claimed like free ones. `begin` without
 * a claim makes an entry begun unless it is running or done. Within the retention, only the run that began an event
 * gives it back, and only a person reopens it.
 */
export type EntryState =
	| 'free'
	/** Claimed: a delivery is being handed over. */
	| 'pending'
	/** Committed: n8n stored a run, the service got its 200. */
	| 'stored'
	/** Stored, and no run has begun within the grace, so n8n may have lost it; or a person wants it to run again. */
	| 'overdue'
	/** A run has begun; how it ends is not followed. */
	| 'begun'
	/** A run has begun under a claim, whose holder waits for the end of the execution. */
	| 'running'
	/** The execution has failed, or its holder has died. */
	| 'failed'
	/** An execution has succeeded. */
	| 'done';

/** What is known of an event. */
export interface Entry {
	readonly state: EntryState;
	/** The latest attempt that began it, by the name that it gave to `begin`; absent if there was none. */
	readonly run?: string;
	/** How many attempts have begun it, since it was last reopened. */
	readonly attempts: number;
	/** How long ago it failed, in milliseconds; absent in every other state. */
	readonly failedMs?: number;
	/** When a person asked to run it again, in milliseconds of unix time; absent once it has begun or is done. */
	readonly reopenedAt?: number;
}

/** How long a stored event may wait for its run to begin before it can be claimed again, in milliseconds. */
export const FIRST_GRACE_MS = 15 * 60_000;
/** Each claim of an overdue event doubles its grace, up to this. */
export const LONGEST_GRACE_MS = 4 * 60 * 60_000;

/** Permission to hand one event over, until the lease ends; `token` tells this claim from every other one. */
export interface Claim {
	readonly key: string;
	readonly token: string;
}

export type ClaimAnswer =
	/** Nobody else holds the event: hand it over, then settle the claim. The rest is as in `Entry`. */
	| ({ readonly state: 'claimed'; readonly claim: Claim } & Pick<Entry, 'attempts' | 'reopenedAt'>)
	/** Another copy is being handed over right now, or an execution that is waited for runs. */
	| { readonly state: 'pending' }
	/** The event is stored and not overdue, has begun, or is done. */
	| { readonly state: 'committed' };

/**
 * Small texts by key beside the events, for what processes have to agree on: kept until they are replaced.
 * Both methods reject with `LedgerUnavailableError` when the store cannot be reached or written.
 */
export interface Records {
	readRecord(key: string): Promise<string | undefined>;

	/** Replaces `expected` by `next` in one step (undefined: no record); false when something else is there. */
	swapRecord(key: string, expected: string | undefined, next: string | undefined): Promise<boolean>;
}

/**
 * Which events were seen: one entry a key, atomic between processes.
 *
 * Every method rejects with `LedgerUnavailableError` when the store cannot be reached or written; nothing is
 * then known about the entry. Keys come from `ledgerKey`; another text is the caller's mistake (`TypeError`).
 * What `commit`, `begin` and `swapRecord` answer is durable by then: it survives a power cut.
 */
export interface Ledger extends Records {
	/** What is known of the event; changes nothing. */
	look(key: string): Promise<Entry>;

	/**
	 * Takes the event for `leaseMs` milliseconds if it is free, overdue or failed. `token` names the claim; a holder
	 * that lost it may take it again under the same one.
	 */
	claim(key: string, leaseMs: number, token?: string): Promise<ClaimAnswer>;

	/**
	 * Holds the claim for `leaseMs` milliseconds from now; false when it has run out or is another's. While its run is
	 * running, a lease that has run out can be renewed until somebody else takes the event.
	 */
	renew(claim: Claim, leaseMs: number): Promise<boolean>;

	/**
	 * Marks the event as stored for `retentionMs` milliseconds, whoever holds it by now: the caller's run is
	 * stored. A longer retention that is there already stays, and so do begun and the grace of a stored one. False when
	 * the claim was no longer the caller's; a commit that is sent again returns the same.
	 */
	commit(claim: Claim, retentionMs: number): Promise<boolean>;

	/** As `commit` for each of them, in their order, at the cost of one sync or one round trip. */
	commitAll(claims: readonly Claim[], retentionMs: number): Promise<boolean[]>;

	/**
	 * Gives the event back, so that its next copy is handed over; false when it was no longer the caller's. One that is
	 * running under the claim has failed then.
	 */
	release(claim: Claim): Promise<boolean>;

	/**
	 * For claims whose execution has ended without an error: events that are running under them are done, for
	 * `retentionMs` milliseconds. Returns for each, in order, whether the event is settled: done or begun, by this
	 * claim or another.
	 */
	finishAll(claims: readonly Claim[], retentionMs: number): Promise<boolean[]>;

	/**
	 * Returns for each key, in order, whether this run continues with the event: the first run to ask wins, whatever
	 * the entry was. The same run may ask again, for a response that was lost; `run` names one attempt, and n8n's
	 * execution ID is not enough, since n8n starts one stored execution twice. The entry is begun from then on, for
	 * `retentionMs` milliseconds.
	 *
	 * With the token of a claim for a key, the run continues only if that claim is still held and no other run has begun
	 * under it; the entry is running then, as long as the holder renews the claim. A second run that asks under the same
	 * claim ends the claim: what n8n reports of that one must not settle the first.
	 */
	begin(
		keys: readonly string[],
		run: string,
		retentionMs: number,
		tokens?: readonly (string | undefined)[],
	): Promise<boolean[]>;

	/**
	 * Makes events overdue at once that `run` holds and cannot use: its `begin` failed after a write, or n8n never ran
	 * what was stored. A commit that comes later leaves them overdue. Events that another run has begun stay as they are,
	 * and so do those that failed or are done.
	 */
	giveBack(keys: readonly string[], run: string, retentionMs: number): Promise<void>;

	/**
	 * For a person who wants events to run again: makes them overdue at once, whatever became of them, and remembers `at`
	 * (milliseconds of unix time) until they have begun. Those that are pending or running stay as they are. Returns what
	 * each was before, in order.
	 */
	reopen(keys: readonly string[], at: number, retentionMs: number): Promise<Entry[]>;

	/** Closes the store; a later call opens it again. */
	close(): Promise<void>;
}

/** When an event counts as delivered: once n8n has stored an execution, or once an execution has succeeded. */
export type Acknowledge = 'stored' | 'succeeded';

/**
 * `unwritten`: not within 2 s, and tried again in the background. `lost`: the event is not settled by this claim, or, where
 * an execution must succeed, that is not known yet.
 */
export type Committed = 'committed' | 'unwritten' | 'lost';

/** A claim that is held: renewed until it is settled, by `commit` or by `release`. */
export interface Hold {
	/**
	 * Marks the event for `retentionMs` milliseconds as stored, or as done where an execution must succeed: `lost` then
	 * says that its execution did not run under this claim. Never rejects.
	 */
	commit(retentionMs: number): Promise<Committed>;

	/**
	 * Gives the event back, as failed if its execution must succeed and has begun. Never rejects: what cannot be written
	 * is left to the lease. After a commit, for a run that n8n could not store after all, it makes the event overdue at
	 * once; that is retried in the background.
	 */
	release(): Promise<void>;
}
