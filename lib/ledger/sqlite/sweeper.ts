/** Removes expired entries a few at a time, during claims. */
import { randomBytes } from 'node:crypto';
import type { Statements } from './statements';

/** About as many as fit on one or two pages of the file. */
const ENTRIES_PER_LOOK = 64;
/** Eight entries per claim: expired entries stay below an eighth of the file. */
const CLAIMS_PER_LOOK = 8;
const START = new Uint8Array(0);

/** Cycles through the keys. They are hashes, so their order is not by time, and each look finds its share of old ones. */
export class Sweeper {
	// A random position: short-lived processes would otherwise all begin at the same end.
	#after: Uint8Array = randomBytes(32);
	#claims = 0;

	/** Call after each claim; `now` in Unix milliseconds. */
	claimed(statements: Statements, now: number): void {
		this.#claims += 1;
		if (this.#claims % CLAIMS_PER_LOOK !== 0) return;
		const { last, expired } =
			statements.inspect.get({ after: this.#after, now, limit: ENTRIES_PER_LOOK }) ?? {};
		// Checked by hand: a delivery waits for it. There is none after the last key.
		if (!(last instanceof Uint8Array)) {
			this.#after = START;
			return;
		}
		if (Number(expired) > 0) statements.remove.run({ after: this.#after, last, now });
		this.#after = last;
	}
}
