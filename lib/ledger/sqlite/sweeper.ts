/** Removes expired entries a few at a time, along with the work of claims. */
import { randomBytes } from 'node:crypto';
import type { Statements } from './statements';

/** As many as stand on one page or two of the file. */
const ENTRIES_PER_LOOK = 64;
/** Eight entries a claim: what has expired stays below an eighth of the file. */
const CLAIMS_PER_LOOK = 8;
const START = new Uint8Array(0);

/** Goes round the keys. They are hashes, so their order is not that of time, and each look finds its share of old ones. */
export class Sweeper {
	// A random place: processes that live for a short time would otherwise all begin at the same end.
	#after: Uint8Array = randomBytes(32);
	#claims = 0;

	/** To be called after each claim; `now` in milliseconds of unix time. */
	claimed(statements: Statements, now: number): void {
		this.#claims += 1;
		if (this.#claims % CLAIMS_PER_LOOK !== 0) return;
		const { last, expired } =
			statements.inspect.get({ after: this.#after, now, limit: ENTRIES_PER_LOOK }) ?? {};
		// By hand: a delivery waits for it. Behind the last key there is none.
		if (!(last instanceof Uint8Array)) {
			this.#after = START;
			return;
		}
		if (Number(expired) > 0) statements.remove.run({ after: this.#after, last, now });
		this.#after = last;
	}
}
