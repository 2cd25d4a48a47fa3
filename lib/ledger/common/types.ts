/** The types of the ledger: a store, a claim, and the states of an entry. */

/**
 * The states of an entry. Each step is atomic:
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
 * A stored entry becomes overdue after its grace. Overdue and failed entries can be claimed like free ones. `begin`
 * without a claim makes an entry begun unless it is running or done. Within the retention, only the run that began an
 * event can give it back, and only a person can reopen it.
 */
export type EntryState =
	| 'free'
	/** Claimed: a delivery is being handed over. */
	| 'pending'
	/** Committed: n8n stored an execution and the service got its 200. */
	| 'stored'
	/** Stored, but no run began within the grace, so n8n may have lost the execution; or a person wants the event to run again. */
	| 'overdue'
	/** A run has begun. Its result is not tracked. */
	| 'begun'
	/** A run has begun under a claim, and the holder is waiting for the execution to end. */
	| 'running'
	/** The execution failed, or the holder died. */
	| 'failed'
	/** An execution succeeded. */
	| 'done';

/** The ledger's record of an event. */
export interface Entry {
	readonly state: EntryState;
	/** The latest run that began it, by the name passed to `begin`; absent if there was none. */
	readonly run?: string;
	/** How many runs have begun it since it was last reopened. */
	readonly attempts: number;
	/** How long ago it failed, in milliseconds; absent in every other state. */
	readonly failedMs?: number;
	/** When a person asked to run it again, in Unix milliseconds; absent once it has begun or is done. */
	readonly reopenedAt?: number;
}

/** How long a stored event may wait for its run to begin before it can be claimed again, in milliseconds. */
export const FIRST_GRACE_MS = 15 * 60_000;
/** Each claim of an overdue event doubles its grace, up to this limit. */
export const LONGEST_GRACE_MS = 4 * 60 * 60_000;

/** Permission to hand over one event until the lease ends. `token` is unique to this claim. */
export interface Claim {
	readonly key: string;
	readonly token: string;
}

export type ClaimAnswer =
	/** The caller holds the event: hand it over, then settle the claim. The other fields are those of `Entry`. */
	| ({ readonly state: 'claimed'; readonly claim: Claim } & Pick<Entry, 'attempts' | 'reopenedAt'>)
	/** Another copy is being handed over, or the execution under a claim is running. */
	| { readonly state: 'pending' }
	/** The event is stored and not overdue, has begun, or is done. */
	| { readonly state: 'committed' };

/**
 * Small texts by key, stored with the events, that processes have to agree on. They are kept until replaced.
 * Both methods reject with `LedgerUnavailableError` when the store cannot be reached or written.
 */
export interface Records {
	readRecord(key: string): Promise<string | undefined>;

	/** Replaces `expected` with `next` atomically (undefined: no record); false if the record is not `expected`. */
	swapRecord(key: string, expected: string | undefined, next: string | undefined): Promise<boolean>;
}

/**
 * The event ledger: one entry per key, atomic between processes.
 *
 * Every method rejects with `LedgerUnavailableError` when the store cannot be reached or written; the state of the
 * entry is then unknown. Keys come from `ledgerKey`; any other text is a caller's mistake (`TypeError`).
 * The results of `commit`, `begin` and `swapRecord` are durable when they return: they survive a power cut.
 */
export interface Ledger extends Records {
	/** Returns the entry of the event; changes nothing. */
	look(key: string): Promise<Entry>;

	/**
	 * Claims the event for `leaseMs` milliseconds if it is free, overdue or failed. `token` names the claim; a holder
	 * that lost it may claim again with the same token.
	 */
	claim(key: string, leaseMs: number, token?: string): Promise<ClaimAnswer>;

	/**
	 * Extends the claim to `leaseMs` milliseconds from now; false if it has expired or belongs to another holder. While
	 * its run is running, an expired lease can be renewed until another holder claims the event.
	 */
	renew(claim: Claim, leaseMs: number): Promise<boolean>;

	/**
	 * Marks the event as stored for `retentionMs` milliseconds, even if another holder has claimed it since, because n8n
	 * has stored the caller's execution. Keeps a longer retention, the begun state, and the grace of a stored entry.
	 * Returns false if the claim was no longer the caller's; sending a commit again returns the same.
	 */
	commit(claim: Claim, retentionMs: number): Promise<boolean>;

	/** Like `commit` for each claim, in order, with one sync or one round trip. */
	commitAll(claims: readonly Claim[], retentionMs: number): Promise<boolean[]>;

	/**
	 * Gives the event back so that its next copy is handed over; false if the claim was no longer the caller's. An event
	 * that is running under the claim becomes failed.
	 */
	release(claim: Claim): Promise<boolean>;

	/**
	 * For claims whose execution ended without an error: marks the events that are running under them as done for `retentionMs`
	 * milliseconds. Returns for each, in order, whether the event is settled: done or begun, by this claim or another.
	 */
	finishAll(claims: readonly Claim[], retentionMs: number): Promise<boolean[]>;

	/**
	 * Returns for each key, in order, whether this run continues with the event. The first run to ask wins, whatever the state of
	 * the entry. The same run may ask again, in case the response was lost; `run` names one attempt, and n8n's execution ID is
	 * not enough, since n8n starts one stored execution twice. The entry is then begun for `retentionMs` milliseconds.
	 *
	 * With the token of a claim for a key, the run continues only if that claim is still held and no other run has begun
	 * under it. The entry is then running as long as the holder renews the claim. A second run that asks under the same
	 * claim ends the claim, because n8n's result of the second must not settle the first.
	 */
	begin(
		keys: readonly string[],
		run: string,
		retentionMs: number,
		tokens?: readonly (string | undefined)[],
	): Promise<boolean[]>;

	/**
	 * Makes events overdue at once that `run` holds and cannot use: its `begin` failed after a write, or n8n never ran
	 * the stored execution. A later commit leaves them overdue. Events that another run has begun, and events that failed
	 * or are done, stay as they are.
	 */
	giveBack(keys: readonly string[], run: string, retentionMs: number): Promise<void>;

	/**
	 * For a person who wants events to run again: makes them overdue at once, whatever their state, and remembers `at`
	 * (Unix milliseconds) until they have begun. Pending and running events stay as they are. Returns the entries as they
	 * were before, in order.
	 */
	reopen(keys: readonly string[], at: number, retentionMs: number): Promise<Entry[]>;

	/** Closes the store; a later call opens it again. */
	close(): Promise<void>;
}

/** When an event counts as delivered: once n8n has stored an execution, or once an execution has succeeded. */
export type Acknowledge = 'stored' | 'succeeded';

/**
 * `unwritten`: not written within 2 s; retried in the background. `lost`: this claim does not settle the event, or,
 * where an execution must succeed, that is not known yet.
 */
export type Committed = 'committed' | 'unwritten' | 'lost';

/** A held claim: renewed until `commit` or `release` settles it. */
export interface Hold {
	/**
	 * Marks the event as stored for `retentionMs` milliseconds, or as done where an execution must succeed: `lost` then
	 * means that its execution did not run under this claim. Never rejects.
	 */
	commit(retentionMs: number): Promise<Committed>;

	/**
	 * Gives the event back, as failed if its execution must succeed and has begun. Never rejects: if the release cannot
	 * be written, the lease expires. After a commit, for an execution that n8n could not store after all, it makes the
	 * event overdue at once and retries that in the background.
	 */
	release(): Promise<void>;
}
