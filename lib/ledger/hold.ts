/** A claim that is held: it is renewed until it is settled, and its commit is tried until it is written. */
import { jittered, sleep } from '../shared/sleep';
import type { Acknowledge, Claim, Committed, Hold, Ledger } from './common/types';
import type { Leases } from './leases';
import { untilWritten } from './untilWritten';

/** The response to the service waits for the commit, but no longer than this. */
const ANSWER_WITHIN_MS = 2_000;
const FIRST_RETRY_MS = 50;
/** Short, because a copy that comes in after the lease and before the commit would run again. */
const LONGEST_RETRY_MS = 1_000;
const LONGEST_COMMIT_MS = 60 * 60 * 1_000;
/**
 * An execution that must succeed has this long to begin: n8n never says what became of a queued one that a person
 * stopped, and other copies of the event wait for it.
 */
const BEGIN_WITHIN_MS = 60 * 60 * 1_000;
/** No execution is waited for longer: in queue mode, n8n never says that one was stopped or ran out of time. */
const END_WITHIN_MS = 6 * 60 * 60 * 1_000;

/** See `Hold`. It is renewed from when it is made; its timers keep no process alive. */
export class ClaimHold implements Hold {
	readonly #ledger: Ledger;
	readonly #leases: Leases;
	readonly #claim: Claim;
	readonly #since = performance.now();
	#renewal: Promise<void> | undefined;
	#commit: Promise<Committed> | undefined;
	/** Of the commit. */
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

	/** What an execution must show to begin under this claim; undefined where `begin` needs no claim. */
	get token(): string | undefined {
		return this.acknowledge === 'succeeded' ? this.#claim.token : undefined;
	}

	/**
	 * Commits this one and the others with one call of the ledger; one that it could not write so is tried again by
	 * itself. Returns the outcomes, in their order.
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

	/** `written` is the first try, if it is under way already. */
	async commit(retentionMs: number, written?: Promise<boolean>): Promise<Committed> {
		this.#retentionMs = retentionMs;
		this.#commit ??= this.#writeCommit(retentionMs, written);
		const outcome = await Promise.race([
			this.#commit,
			unwrittenAfter(ANSWER_WITHIN_MS, this.#commit),
		]);
		// Whether its execution ran under this claim is not known then.
		return outcome === 'unwritten' && this.acknowledge === 'succeeded' ? 'lost' : outcome;
	}

	async release(): Promise<void> {
		if (this.#commit === undefined) {
			await (this.#release ??= this.#writeRelease());
			return;
		}
		// An execution that has succeeded is not taken back.
		if (this.acknowledge === 'succeeded') return;
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
			const { key, token } = this.#claim;
			const age = this.acknowledge === 'succeeded' ? performance.now() - this.#since : 0;
			// Not released: an execution that begins before the lease is over is waited for.
			if (age >= BEGIN_WITHIN_MS && (await this.#ledger.look(key)).state === 'pending') return;
			if (age < END_WITHIN_MS && (await this.#ledger.renew(this.#claim, this.#leases.ms))) return;
			if (age >= BEGIN_WITHIN_MS) this.#leases.remove(this.#renew);
			if (age >= BEGIN_WITHIN_MS || this.#release !== undefined) return;
			const { state } = await this.#ledger.claim(key, this.#leases.ms, token);
			if (state === 'committed') this.#leases.remove(this.#renew);
		} catch {
			// The next renewal comes before the lease ends.
		}
	}

	/** Whether each is settled, in their order: what n8n has stored always is, even if another holds the claim by now. */
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
