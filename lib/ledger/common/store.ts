/** What the ledger needs of a store: texts by key that are replaced atomically, and the sessions of processes; and the error when it fails. */
import { PackageError } from '../../shared/errors';
import { printable } from '../../shared/text';
import { DAY_MS, MINUTE_MS } from '../../shared/time';

/** Whether a session lives: `gone` if it was not renewed in time, or the store has never had it. */
export type Vital = 'alive' | 'closed' | 'gone';

/** An entry as it is read, for a step. */
interface Seen {
	readonly text: string | undefined;
	/** Unix milliseconds on the clock of the store. */
	readonly now: number;
	/** Whether the holder in the text is dead. */
	readonly isHolderDead: boolean;
}

/** The result of a step. `text` is the entry after it: absent if nothing changes, null to remove it. */
interface Change<R> {
	readonly result: R;
	readonly text?: string | null;
}

/** Has no effects: it runs again if the entry was changed in between. */
export type Update<K, R> = (seen: Seen, key: K) => Change<R>;

export interface ChangeOptions {
	/** How long a changed entry is kept from now on, in milliseconds; a longer time is never shortened. */
	readonly keepMs: number;
	/** Whether the results wait until the changes survive a power cut. */
	readonly isDurable: boolean;
	/** The session of the caller, which is not dead. */
	readonly session: string;
	/** Whether the process of another session is dead. */
	readonly isDead: (vital: Vital) => boolean;
	/** The texts that the entries probably have (undefined: none), for a store where reading costs a round trip. */
	readonly guess?: readonly (string | undefined)[];
}

/**
 * Small texts by key, stored with the events, that processes have to agree on.
 * Both methods reject with `LedgerUnavailableError` when the store cannot be reached or written.
 */
export interface Records {
	readRecord(key: string): Promise<string | undefined>;

	/**
	 * Replaces `expected` with `next` atomically and durably (undefined: no record); false if the record is not `expected`.
	 * It is kept at least `keepMs` milliseconds from now on; if that is undefined, as long as before, and a new one for good.
	 */
	swapRecord(
		key: string,
		expected: string | undefined,
		next: string | undefined,
		keepMs?: number,
	): Promise<boolean>;
}

/** Every method rejects with `LedgerUnavailableError` when the store cannot be reached or written. */
export interface Store extends Records {
	/** Applies the step to the entry of each key; returns the results in order. Each is atomic, not all together: if it rejects, some may have changed. */
	change<K extends { readonly key: string }, R>(
		keys: readonly K[],
		update: Update<K, R>,
		options: ChangeOptions,
	): Promise<R[]>;

	/** Renews the session for `SESSION_MS`, or opens it; whether it was alive. */
	renewSession(session: string): Promise<boolean>;

	/** Marks the session as closed, so that it is dead for everybody. At the exit of a process this has to take effect at once. */
	closeSession(session: string): Promise<void>;

	/** Releases files and connections; a later call opens them again. */
	close(): Promise<void>;
}

/** Before the name of a record, in its key. The key of an entry has no colon. */
export const RECORD = 'record:';

export interface Swap {
	readonly key: string;
	/** What was read; undefined: no text. */
	readonly expected: string | undefined;
	/** Undefined: none. */
	readonly next: string | undefined;
	/** How long the text is kept at least from now on, in milliseconds; undefined: as long as before, and a new one for good. */
	readonly keepMs: number | undefined;
	/** Whether the result waits until the change survives a power cut. */
	readonly isDurable: boolean;
}

/** True if the text is now the next one, also if it was already: the swap may have been sent again. Otherwise the text that it is. */
export type Swapped = true | string | undefined;

/** How long a session lives without being renewed, in milliseconds. */
export const SESSION_MS = MINUTE_MS;
/** How long a closed session is remembered: later, the holder counts as gone, which is the same but for young processes. */
export const CLOSED_MS = DAY_MS;

/**
 * The store cannot be reached, opened or written, so it is unknown whether the event was seen.
 * The message is for operators: it names the path, address or variable and what to do, never a credential.
 */
export class LedgerUnavailableError extends PackageError {
	override readonly name = 'LedgerUnavailableError';

	/** The message becomes one line of at most 1,000 characters, whatever path, address or code it contains. */
	constructor(message: string, { cause }: ErrorOptions = {}) {
		super(printable(message, 1000), { cause });
	}
}

const MOST_TRIES = 20;

/**
 * Replaces the text of the record with the result of `next`, which may be called several times; undefined leaves the text
 * unchanged. If two processes write the same text, it counts as one change, since a swap that is sent again finds its own text:
 * where each change counts, the texts must differ. `keepMs` is as in `swapRecord`. Rejects like `Records`, and when others keep changing the record.
 */
export async function changeRecord(
	records: Records,
	key: string,
	next: (text: string | undefined) => string | undefined | Promise<string | undefined>,
	keepMs?: number,
): Promise<void> {
	for (let tries = 1; tries <= MOST_TRIES; tries++) {
		const text = await records.readRecord(key);
		const after = await next(text);
		if (after === undefined || (await records.swapRecord(key, text, after, keepMs))) return;
	}
	throw new Error(
		'A record of the event ledger could not be written: other processes keep changing it',
	);
}
