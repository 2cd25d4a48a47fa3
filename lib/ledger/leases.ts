/** Renews the leases of held claims, with one timer for all of them. */

const LEASE_MS = 60_000;
/** One renewal per lease may fail without losing the claim. */
const RENEWALS_PER_LEASE = 3;
/** Node may call a timer early by this much. */
const EARLY_MS = 1;

/** Starts a renewal unless the previous one is still running. */
type Renew = () => void;

/** Leases of equal length, so the lease that was renewed last is due last. */
export class Leases {
	/** How long a claim outlives a holder that died, in milliseconds. */
	readonly ms: number;
	/** The renewal of each lease, and when it is due, in the order of these times. */
	readonly #dueAt = new Map<Renew, number>();
	#timer: NodeJS.Timeout | undefined;

	constructor(ms = LEASE_MS) {
		this.ms = ms;
	}

	/** Calls `renew` three times per lease until `remove`. The timer does not keep the process alive. */
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
