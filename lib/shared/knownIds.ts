/** Remembers what was reported, so that the next reading of the same list does not report it again. */

/** As many as two readings of a busy list can have; older ones are forgotten. */
const MOST_IDS = 10_000;

/** The IDs of events or records that were left out: each poll reads again what the one before has just read. */
export class KnownIds {
	readonly #ids = new Set<string>();

	/** False if it is known. */
	add(id: string): boolean {
		if (this.#ids.has(id)) return false;
		this.#ids.add(id);
		const [oldest] = this.#ids.size > MOST_IDS ? this.#ids : [];
		if (oldest !== undefined) this.#ids.delete(oldest);
		return true;
	}
}
