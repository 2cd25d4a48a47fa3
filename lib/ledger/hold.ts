/** A held claim: renewed until it is settled. Its commit is retried until it is written. */
import { jittered, sleep } from '../shared/sleep';
import type { Acknowledge, Claim, Committed, Hold, Ledger } from './common/types';
import type { Leases } from './leases';
import { untilWritten } from './untilWritten';

/** The response to the service waits for the commit, but no longer than this. */
const ANSWER_WITHIN_MS = 2_000;
const FIRST_RETRY_MS = 50;
/** Short, because a copy that arrives after the lease and before the commit would start another execution. */
const LONGEST_RETRY_MS = 1_000;
const LONGEST_COMMIT_MS = 60 * 60 * 1_000;
/**
 * How long an execution that must succeed has to begin. n8n never reports a queued execution that a person stopped, and
 * other copies of the event are waiting for it.
 */
const BEGIN_WITHIN_MS = 60 * 60 * 1_000;
/** The longest wait for an execution to end: in queue mode, n8n does not report one that was stopped or timed out. */
const END_WITHIN_MS = 6 * 60 * 60 * 1_000;

/** See `Hold`. It is renewed from creation. Its timers do not keep the process alive. */
export class ClaimHold implements Hold {
	readonly #ledger: Ledger;
	readonly #leases: Leases;
	readonly #claim: Claim;
	readonly #since = performance.now();
	#renewal: Promise<void> | undefined;
	#commit: Promise<Committed> | undefined;
	/** The retention of the commit. */
	#retentionMs = 0;
	#release: Promise<void> | undefined;

	constructor(
		ledger: Ledger,
		claim: Claim,
		leases: Leases,
		readonly acknowledge: Acknowledge = 'stored',
	) {
		this.#ledger = ledger;
		this.#claim = claim;
		this.#leases = leases;
		leases.add(this.#renew);
	}

	/** The token that an execution needs to begin under this claim; undefined if `begin` needs no claim. */
	get token(): string | undefined {
		return this.acknowledge === 'succeeded' ? this.#claim.token : undefined;
	}

	/**
	 * Commits this hold and the others with one call to the ledger. A hold that the call could not write is retried by
	 * itself. Returns the outcomes, in order.
	 */
	async commitWith(others: readonly ClaimHold[], retentionMs: number): Promise<Committed[]> {
		const all = [this, ...others];
		const claims = all.map((hold) => hold.#claim);
		const written = this.#settle(claims, retentionMs);
		return Promise.all(
			all.map((hold, n) =>
				hold.commit(
					retentionMs,
					written.then((settled) => settled[n] === true),
				),
			),
		);
	}

	/** `written` is the first attempt, if it has already started. */
	async commit(retentionMs: number, written?: Promise<boolean>): Promise<Committed> {
		this.#retentionMs = retentionMs;
		this.#commit ??= this.#writeCommit(retentionMs, written);
		const outcome = await Promise.race([
			this.#commit,
			unwrittenAfter(ANSWER_WITHIN_MS, this.#commit),
		]);
		// It is not known yet whether the execution ran under this claim.
		return outcome === 'unwritten' && this.acknowledge === 'succeeded' ? 'lost' : outcome;
	}

	async release(): Promise<void> {
		if (this.#commit === undefined) {
			await (this.#release ??= this.#writeRelease());
			return;
		}
		// An execution that succeeded is not undone.
		if (this.acknowledge === 'succeeded') return;
		this.#release ??= this.#giveBack();
		await Promise.race([this.#release, unwrittenAfter(ANSWER_WITHIN_MS, this.#release)]);
	}

	readonly #renew = (): void => {
		this.#renewal ??= this.#renewOrTake().finally(() => {
			this.#renewal = undefined;
		});
	};

	/** Claims the event again if the claim was lost and the event is free, so that no copy starts while n8n stores the execution. */
	async #renewOrTake(): Promise<void> {
		try {
			const { key, token } = this.#claim;
			const age = this.acknowledge === 'succeeded' ? performance.now() - this.#since : 0;
			// Not released: an execution that begins before the lease ends is still waited for.
			if (age >= BEGIN_WITHIN_MS && (await this.#ledger.look(key)).state === 'pending') return;
			if (age < END_WITHIN_MS && (await this.#ledger.renew(this.#claim, this.#leases.ms))) return;
			if (age >= BEGIN_WITHIN_MS) this.#leases.remove(this.#renew);
			if (age >= BEGIN_WITHIN_MS || this.#release !== undefined) return;
			const { state } = await this.#ledger.claim(key, this.#leases.ms, token);
			if (state === 'committed') this.#leases.remove(this.#renew);
		} catch {
			// The next renewal runs before the lease ends.
		}
	}

	/** Whether each is settled, in order. A stored execution always settles its event, even under another holder's claim. */
	async #settle(claims: readonly Claim[], retentionMs: number): Promise<boolean[]> {
		if (this.acknowledge === 'succeeded') return this.#ledger.finishAll(claims, retentionMs);
		await this.#ledger.commitAll(claims, retentionMs);
		return claims.map(() => true);
	}

	async #settleThis(retentionMs: number): Promise<boolean> {
		if (this.acknowledge === 'succeeded') {
			const [isSettled = false] = await this.#ledger.finishAll([this.#claim], retentionMs);
			return isSettled;
		}
		await this.#ledger.commit(this.#claim, retentionMs);
		return true;
	}

	async #writeCommit(
		retentionMs: number,
		written: Promise<boolean> = this.#settleThis(retentionMs),
	): Promise<Committed> {
		const giveUpAt = performance.now() + Math.min(retentionMs, LONGEST_COMMIT_MS);
		let retryMs = FIRST_RETRY_MS;
		try {
			for (let attempt = written; ; attempt = this.#settleThis(retentionMs)) {
				try {
					return (await attempt) ? 'committed' : 'lost';
				} catch {
					if (performance.now() >= giveUpAt) return 'unwritten';
				}
				await sleep(jittered(retryMs), { keepAlive: false });
				retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS);
			}
		} finally {
			this.#leases.remove(this.#renew);
		}
	}

	async #giveBack(): Promise<void> {
		const { key, token } = this.#claim;
		await untilWritten([key], () => this.#ledger.giveBack([key], token, this.#retentionMs));
	}

	async #writeRelease(): Promise<void> {
		this.#leases.remove(this.#renew);
		// A renewal in progress may claim the event again.
		await this.#renewal;
		try {
			await this.#ledger.release(this.#claim);
		} catch {
			// The lease expires by itself.
		}
	}
}

/** Resolves to `unwritten` after `ms` milliseconds; the timer is cleared when `write` ends. */
function unwrittenAfter(ms: number, write: Promise<unknown>): Promise<'unwritten'> {
	return new Promise((resolve) => {
		const timer = setTimeout(() => {
			resolve('unwritten');
		}, ms).unref();
		void write.then(() => {
			clearTimeout(timer);
		});
	});
}
