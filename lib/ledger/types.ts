/** The interface of the ledger, and the keys of its events. */
import { createHash } from 'node:crypto';
import type { Records } from './common/store';
import type { Account } from './life/states';
import type { ClaimResult, Outcome } from './life/steps';

/** When an event counts as delivered: once n8n has stored an execution, or once an execution has succeeded. */
export type Acknowledge = 'stored' | 'succeeded';

/** Permission to hand over one event, as long as this process lives. */
export interface Claim {
	readonly key: string;
	readonly number: number;
	/** The session that holds it. */
	readonly session: string;
}

type ClaimResponse =
	| ({ readonly claim: Claim } & Extract<ClaimResult, { state: 'claimed' }>)
	| Exclude<ClaimResult, { state: 'claimed' }>;

export interface Beginning {
	/** Names one attempt (`newAttempt`). */
	readonly run: string;
	readonly acknowledge: Acknowledge;
	/** How long the ledger remembers the event from now on, in milliseconds. */
	readonly retentionMs: number;
	/** Whether n8n will report the end of the execution; true by default. */
	readonly reportsEnd?: boolean;
	/** A user retries the execution: takes every event that is neither done nor running. False by default. */
	readonly isRetry?: boolean;
}

/**
 * The event ledger: one entry per key, atomic between processes. `life/states.ts` has the states and what each step does.
 *
 * Every method rejects with `LedgerUnavailableError` when the store cannot be reached or written; the state of the
 * entry is then unknown. Keys come from `ledgerKey`; any other text is a caller's mistake (`TypeError`).
 * Sending a step again changes nothing.
 */
export interface Ledger extends Records {
	/** Changes nothing. */
	look(key: string): Promise<Account>;

	/** A claim whose response was lost is released in the background. */
	claim(key: string): Promise<ClaimResponse>;

	/** n8n stored executions for these claims. Durable when it returns. Remembers the events for `retentionMs` milliseconds. */
	commit(claims: readonly Claim[], retentionMs: number): Promise<void>;

	/** n8n stored no execution for these claims. */
	release(claims: readonly Claim[]): Promise<void>;

	/** Returns for each key, in order, whether this attempt continues with the event. Durable when it returns. */
	begin(keys: readonly string[], beginning: Beginning): Promise<boolean[]>;

	/**
	 * The execution of an attempt ended. Does nothing for an attempt that began no event here. Durable when it returns if the
	 * events repeat, or if it is asleep.
	 */
	end(run: string, outcome: Outcome): Promise<void>;

	/**
	 * Makes the events overdue at once, because this attempt cannot run them. Durable when it returns. Returns for each key, in
	 * order, false if the event is still being handed over: then ask again. See `life/steps.ts`.
	 */
	giveBack(keys: readonly string[], run: string, isRunningOnly?: boolean): Promise<boolean[]>;

	/**
	 * A user wants the events to run again, at `at` (Unix milliseconds). Pending and running events stay as they are. Returns what
	 * was known of each before, in order. Durable when it returns.
	 */
	reopen(keys: readonly string[], at: number, retentionMs: number): Promise<Account[]>;

	/** Resolves when an attempt has begun the event, or something else has ended its claim; after `ms` milliseconds or when it is aborted at the latest. */
	untilBegun(claim: Claim, ms: number, signal?: AbortSignal): Promise<void>;

	/** Closes the session and the store; a later call opens them again. */
	close(): Promise<void>;
}

/**
 * The key of an event within a scope (the workflow ID): SHA-256 as 43 characters of base64url.
 * Each part is preceded by its length, so that no two pairs give the same input.
 */
export function ledgerKey(scope: string, eventId: string): string {
	const hash = createHash('sha256');
	for (const part of [scope, eventId]) {
		const bytes = Buffer.from(part, 'utf16le');
		hash.update(`${bytes.length}:`).update(bytes);
	}
	return hash.digest('base64url');
}
