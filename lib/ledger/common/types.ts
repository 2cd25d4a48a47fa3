/** The shapes of the ledger: what a store offers, what a claim is, and the life of an entry. */

/**
 * The life of an entry, each step atomic:
 *
 *     free ──claim──▶ pending ──commit──▶ stored ──begin──▶ begun
 *       ▲               │                   │                 │
 *       └─release, lapse┘                   └─▶ overdue ◀─────┘ giveBack, by the run that began it
 *
 * A stored entry is overdue after its grace, and can then be claimed like a free one. `begin` makes an entry in any
 * state begun. Within the retention only the run that began it takes that back.
 */
export type EntryState =
	| 'free'
	/** Claimed: a delivery is being handed over. */
	| 'pending'
	/** Committed: n8n stored a run, the service got its 200. */
	| 'stored'
	/** Stored, and no run has begun within the grace: n8n may have lost it. */
	| 'overdue'
	/** A run has begun. */
	| 'begun';

/** What is known of an event. */
export interface Entry {
	readonly state: EntryState;
	/** The attempt that began it, by the name that it gave to `begin`; absent in every other state. */
	readonly run?: string;
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
	/** Nobody else holds the event: hand it over, then commit or release. */
	| { readonly state: 'claimed'; readonly claim: Claim }
	/** Another copy is being handed over right now. */
	| { readonly state: 'pending' }
	/** The event is stored and not overdue, or its run has begun. */
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

	/** Takes the event for `leaseMs` milliseconds, unless it is held, stored or begun. An overdue one can be taken. */
	claim(key: string, leaseMs: number): Promise<ClaimAnswer>;

	/** Holds the claim for `leaseMs` milliseconds from now; false when it has run out or is another's. */
	renew(claim: Claim, leaseMs: number): Promise<boolean>;

	/**
	 * Marks the event as stored for `retentionMs` milliseconds, whoever holds it by now: the caller's run is
	 * stored. A longer retention that is there already stays, and so do begun and the grace of a stored one. False when
	 * the claim was no longer the caller's; a commit that is sent again returns the same.
	 */
	commit(claim: Claim, retentionMs: number): Promise<boolean>;

	/** As `commit` for each of them, in their order, at the cost of one sync or one round trip. */
	commitAll(claims: readonly Claim[], retentionMs: number): Promise<boolean[]>;

	/** Gives the event back, so that its next copy is handed over; false when it was no longer the caller's. */
	release(claim: Claim): Promise<boolean>;

	/**
	 * Returns for each key, in order, whether this run continues with the event: the first run to ask wins, whatever
	 * the entry was. The same run may ask again, for a response that was lost; `run` names one attempt, and n8n's
	 * execution ID is not enough, since n8n starts one stored execution twice. The entry is begun from then on, for
	 * `retentionMs` milliseconds.
	 */
	begin(keys: readonly string[], run: string, retentionMs: number): Promise<boolean[]>;

	/**
	 * Makes events overdue at once that `run` holds and cannot use: its `begin` failed after a write, or n8n never ran
	 * what was stored. A commit that comes later leaves them overdue. Events that another run has begun stay begun.
	 */
	giveBack(keys: readonly string[], run: string, retentionMs: number): Promise<void>;

	/** Closes the store; a later call opens it again. */
	close(): Promise<void>;
}

/** A claim that is held: renewed until it is settled, by `commit` or by `release`. */
export interface Hold {
	/**
	 * Marks the event as stored for `retentionMs` milliseconds. Never rejects: answers `unwritten` when the commit
	 * could not be written within 2 s; it is then tried again in the background.
	 */
	commit(retentionMs: number): Promise<'committed' | 'unwritten'>;

	/**
	 * Gives the event back. Never rejects: what cannot be written is left to the lease. After a commit, for a run that
	 * n8n could not store after all, it makes the event overdue at once; that is retried in the background.
	 */
	release(): Promise<void>;
}
