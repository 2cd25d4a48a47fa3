/** A claim that is held: renewed until it is settled, and a commit that is tried until it is written. */
import { jittered, sleep } from '../shared/sleep';
import type { Claim, Hold, Ledger } from './types';

const DEFAULT_ANSWER_WITHIN_MS = 2_000;
/** Renewals a lease: one may fail without loss. */
const RENEWALS_PER_LEASE = 3;
const FIRST_RETRY_MS = 50;
/** Short, because a copy that comes in after the lease and before the commit would run again. */
const LONGEST_RETRY_MS = 1_000;
const LONGEST_COMMIT_MS = 60 * 60 * 1_000;

/** See `Hold`. Starts renewing when it is made; its timers keep no process alive. */
export class ClaimHold implements Hold {
	readonly #ledger: Ledger;
	readonly #leaseMs: number;
	readonly #timer: NodeJS.Timeout;
	#claim: Claim;
	#renewal: Promise<void> | undefined;
	#commit: Promise<'committed' | 'pending'> | undefined;
	#release: Promise<void> | undefined;

	constructor(ledger: Ledger, claim: Claim, leaseMs: number) {
		this.#ledger = ledger;
		this.#claim = claim;
		this.#leaseMs = leaseMs;
		this.#timer = setInterval(() => {
			this.#renewal ??= this.#renew().finally(() => {
				this.#renewal = undefined;
			});
		}, leaseMs / RENEWALS_PER_LEASE);
		this.#timer.unref();
	}

	async commit(
		retentionMs: number,
		options: { readonly answerWithinMs?: number } = {},
	): Promise<'committed' | 'pending'> {
		this.#commit ??= this.#writeCommit(retentionMs);
		return Promise.race([
			this.#commit,
			after(options.answerWithinMs ?? DEFAULT_ANSWER_WITHIN_MS, this.#commit),
		]);
	}

	async release(): Promise<void> {
		// A commit wins: it says that the run is stored.
		if (this.#commit === undefined) await (this.#release ??= this.#writeRelease());
	}

	/** A claim that was lost is taken again if it is free, so that no copy comes in while the run is being stored. */
	async #renew(): Promise<void> {
		try {
			if (await this.#ledger.renew(this.#claim, this.#leaseMs)) return;
			if (this.#release !== undefined) return;
			const answer = await this.#ledger.claim(this.#claim.key, this.#leaseMs);
			if (answer.state === 'claimed') this.#claim = answer.claim;
			if (answer.state === 'committed') clearInterval(this.#timer);
		} catch {
			// The next renewal comes before the lease ends.
		}
	}

	async #writeCommit(retentionMs: number): Promise<'committed' | 'pending'> {
		const giveUpAt = performance.now() + Math.min(retentionMs, LONGEST_COMMIT_MS);
		let retryMs = FIRST_RETRY_MS;
		try {
			for (;;) {
				try {
					await this.#ledger.commit(this.#claim, retentionMs);
					return 'committed';
				} catch {
					if (performance.now() >= giveUpAt) return 'pending';
				}
				await sleep(jittered(retryMs), { keepAlive: false });
				retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS);
			}
		} finally {
			clearInterval(this.#timer);
		}
	}

	async #writeRelease(): Promise<void> {
		clearInterval(this.#timer);
		// A renewal on its way may take the claim under a new token.
		await this.#renewal;
		try {
			await this.#ledger.release(this.#claim);
		} catch {
			// The lease ends by itself.
		}
	}
}

/** `pending` after `ms` milliseconds; the timer goes as soon as the commit is written. */
function after(ms: number, commit: Promise<unknown>): Promise<'pending'> {
	return new Promise((resolve) => {
		const timer = setTimeout(() => {
			resolve('pending');
		}, ms);
		void commit.then(() => {
			clearTimeout(timer);
		});
	});
}
