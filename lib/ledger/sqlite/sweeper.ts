/** Removes what has expired from the SQLite ledger, a few entries at a time. */
import { randomBytes } from 'node:crypto';
import type { Statements } from './schema';

/** About as many as fit on one or two pages of the file. */
const ENTRIES_PER_LOOK = 64;
/** Eight entries per new one: expired entries stay below an eighth of the file. */
const ADDED_PER_LOOK = 8;
/** Records are few: they are looked at this seldom, and when one is added. */
const ADDED_PER_RECORD_LOOK = 512;
const START = new Uint8Array(0);

/** Cycles through the keys. They are hashes, so their order is not by time, and each look finds its share of old ones. */
export class Sweeper {
	// A random position: short-lived processes would otherwise all begin at the same end.
	#after: Uint8Array = randomBytes(32);
	#added = 0;

	/** Call after each new entry or record; `now` in the time by which they expire. */
	added(statements: Statements, now: number, isRecord: boolean): void {
		if (!isRecord) this.#added += 1;
		if (isRecord || this.#added % ADDED_PER_RECORD_LOOK === 0) statements.sweepRecords.run({ now });
		if (isRecord || this.#added % ADDED_PER_LOOK !== 0) return;
		const { last, expired } =
			statements.inspect.get({ after: this.#after, now, limit: ENTRIES_PER_LOOK }) ?? {};
		// Checked by hand: a delivery waits for it. There is none after the last key.
		if (!(last instanceof Uint8Array)) {
			this.#after = START;
			return;
		}
		if (Number(expired) > 0) statements.sweep.run({ after: this.#after, last, now });
		this.#after = last;
	}
}
