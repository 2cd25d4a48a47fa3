/** What stores and their callers agree on: records, swaps of texts, how long sessions live, and the error of a store that fails. */
import { PackageError } from '../../shared/errors';
import { inParallel } from '../../shared/pace';
import { printable } from '../../shared/text';
import { DAY_MS, MINUTE_MS } from '../../shared/time';

/** Whether a session lives: `gone` if it was not renewed in time, or the store has never had it. */
export type Vital = 'alive' | 'closed' | 'gone';

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

interface RecordChange {
	readonly key: string;
	readonly text: string | undefined;
	readonly after: string;
}

/** All at the same time. */
const eachOf = async <T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> =>
	await inParallel(all.length, all.length, (n) => work(all[n] as T));

/**
 * Replaces the text of each record with the result of `next`, which may be called several times; undefined leaves the text
 * unchanged. If two processes write the same text, it counts as one change, since a swap that is sent again finds its own text:
 * where each change counts, the texts must differ. `keepMs` is as in `swapRecord`. Rejects like `Records`, and when others keep
 * changing a record. The records are read and written together, so that they share a sync of the disk, or a round trip.
 */
export async function changeRecords(
	records: Records,
	keys: readonly string[],
	next: (text: string | undefined, key: string) => string | undefined | Promise<string | undefined>,
	keepMs?: number,
): Promise<void> {
	let left = keys;
	for (let tries = 1; tries <= MOST_TRIES && left.length > 0; tries++) {
		const texts = await eachOf(left, (key) => records.readRecord(key));
		const changes: RecordChange[] = [];
		for (const [n, key] of left.entries()) {
			const after = await next(texts[n], key);
			if (after !== undefined) changes.push({ key, text: texts[n], after });
		}
		const isChanged = await eachOf(changes, ({ key, text, after }) =>
			records.swapRecord(key, text, after, keepMs),
		);
		left = changes.filter((_, n) => isChanged[n] !== true).map(({ key }) => key);
	}
	if (left.length === 0) return;
	throw new Error(
		'A record of the event ledger could not be written: other processes keep changing it',
	);
}

/** The same for one record. */
export async function changeRecord(
	records: Records,
	key: string,
	next: (text: string | undefined) => string | undefined | Promise<string | undefined>,
	keepMs?: number,
): Promise<void> {
	await changeRecords(records, [key], next, keepMs);
}
