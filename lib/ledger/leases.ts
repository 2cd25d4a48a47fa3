/** Keeps the leases of claims that are held from running out, with one timer for all of them. */

const LEASE_MS = 60_000;
/** One renewal of a lease may fail without loss. */
const RENEWALS_PER_LEASE = 3;
/** Node may call a timer this much early. */
const EARLY_MS = 1;

/** Starts a renewal, unless the one before is still under way. */
type Renew = () => void;

/** Leases of one length, so that the one that was renewed last is due last. */
export class Leases {
	/** How long a claim outlives a holder that died, in milliseconds. */
	readonly ms: number;
	/** What renews each lease, and when it is due: in the order of these moments. */
	readonly #dueAt = new Map<Renew, number>();
	#timer: NodeJS.Timeout | undefined;

	constructor(ms = LEASE_MS) {
		this.ms = ms;
	}

	/** Calls `renew` three times a lease until `remove`; the timer keeps no process alive. */
	add(renew: Renew): void {
		this.#renewLater(renew);
		if (this.#timer === undefined) this.#setTimer();
	}

	remove(renew: Renew): void {
		this.#dueAt.delete(renew);
		if (this.#dueAt.size === 0) this.#setTimer();
	}

	#renewLater(renew: Renew): void {
		this.#dueAt.delete(renew);
		this.#dueAt.set(renew, performance.now() + this.ms / RENEWALS_PER_LEASE);
	}

	#renewDue(): void {
		const now = performance.now() + EARLY_MS;
		for (const [renew, dueAt] of this.#dueAt) {
			if (dueAt > now) break;
			this.#renewLater(renew);
			renew();
		}
		this.#setTimer();
	}

	#setTimer(): void {
		clearTimeout(this.#timer);
		this.#timer = undefined;
		const [firstDueAt] = this.#dueAt.values();
		if (firstDueAt === undefined) return;
		this.#timer = setTimeout(() => {
			this.#renewDue();
		}, firstDueAt - performance.now());
		this.#timer.unref();
	}
}
