/** A claim that is held: it is renewed until it is settled, and its commit is tried until it is written. */
import { jittered, sleep } from '../shared/sleep';
import type { Claim, Hold, Ledger } from './common/types';
import type { Leases } from './leases';
import { untilWritten } from './untilWritten';

/** The response to the service waits for the commit, but no longer than this. */
const ANSWER_WITHIN_MS = 2_000;
const FIRST_RETRY_MS = 50;
/** Short, because a copy that comes in after the lease and before the commit would run again. */
const LONGEST_RETRY_MS = 1_000;
const LONGEST_COMMIT_MS = 60 * 60 * 1_000;

/** See `Hold`. It is renewed from when it is made; its timers keep no process alive. */
export class ClaimHold implements Hold {
	readonly #ledger: Ledger;
	readonly #leases: Leases;
	#claim: Claim;
	#renewal: Promise<void> | undefined;
	#commit: Promise<'committed' | 'unwritten'> | undefined;
	/** Of the commit. */
	#retentionMs = 0;
	#release: Promise<void> | undefined;

	constructor(ledger: Ledger, claim: Claim, leases: Leases) {
		this.#ledger = ledger;
		this.#claim = claim;
		this.#leases = leases;
		leases.add(this.#renew);
	}

	/** Commits this one and the others with one call of the ledger; one that it could not write so is tried again by itself. */
	async commitWith(others: readonly ClaimHold[], retentionMs: number): Promise<void> {
		const all = [this, ...others];
		const claims = all.map((hold) => hold.#claim);
		const written = this.#ledger.commitAll(claims, retentionMs);
		await Promise.all(all.map((hold) => hold.commit(retentionMs, written)));
	}

	/** `written` is the first try, if it is under way already. */
	async commit(
		retentionMs: number,
		written?: Promise<unknown>,
	): Promise<'committed' | 'unwritten'> {
		this.#retentionMs = retentionMs;
		this.#commit ??= this.#writeCommit(retentionMs, written);
		return Promise.race([this.#commit, unwrittenAfter(ANSWER_WITHIN_MS, this.#commit)]);
	}

	async release(): Promise<void> {
		if (this.#commit === undefined) {
			await (this.#release ??= this.#writeRelease());
			return;
		}
		this.#release ??= this.#giveBack();
		await Promise.race([this.#release, unwrittenAfter(ANSWER_WITHIN_MS, this.#release)]);
	}

	readonly #renew = (): void => {
		this.#renewal ??= this.#renewOrTake().finally(() => {
			this.#renewal = undefined;
		});
	};

	/** A claim that was lost is taken again if it is free, so that no copy comes in while the run is being stored. */
	async #renewOrTake(): Promise<void> {
		try {
			if (await this.#ledger.renew(this.#claim, this.#leases.ms)) return;
			if (this.#release !== undefined) return;
			const answer = await this.#ledger.claim(this.#claim.key, this.#leases.ms);
			if (answer.state === 'claimed') this.#claim = answer.claim;
			if (answer.state === 'committed') this.#leases.remove(this.#renew);
		} catch {
			// The next renewal comes before the lease ends.
		}
	}

	async #writeCommit(
		retentionMs: number,
		written: Promise<unknown> = this.#ledger.commit(this.#claim, retentionMs),
	): Promise<'committed' | 'unwritten'> {
		const giveUpAt = performance.now() + Math.min(retentionMs, LONGEST_COMMIT_MS);
		let retryMs = FIRST_RETRY_MS;
		try {
			for (let attempt = written; ; attempt = this.#ledger.commit(this.#claim, retentionMs)) {
				try {
					await attempt;
					return 'committed';
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
		// A renewal on its way may take the claim under a new token.
		await this.#renewal;
		try {
			await this.#ledger.release(this.#claim);
		} catch {
			// The lease ends by itself.
		}
	}
}

/** `unwritten` after `ms` milliseconds; the timer is cleared as soon as `write` is over. */
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
