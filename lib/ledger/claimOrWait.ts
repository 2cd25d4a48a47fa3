/** Claims an event, or waits for the outcome of the copy that is being handed over. */
import { ClaimHold } from './hold';
import { jittered, sleep } from '../shared/sleep';
import type { Hold, Ledger } from './types';

const LEASE_MS = 60_000;
const WAIT_MS = 20_000;
const FIRST_POLL_MS = 25;
const LONGEST_POLL_MS = 250;

export interface ClaimOrWaitOptions {
	/** How long a claim outlives a holder that died, in milliseconds; renewed at a third of it. Default 60,000. */
	readonly leaseMs?: number;
	/** How long to wait for a pending copy, in milliseconds. Default 20,000. */
	readonly waitMs?: number;
	/** The first pause between two looks, growing to 250 ms. Default 25. */
	readonly pollMs?: number;
	/** Ends the waiting: the promise rejects with the signal's reason. A claim that was won by then is answered. */
	readonly signal?: AbortSignal;
}

export type ClaimOutcome =
	/** Hand the event over, then settle the hold by `commit` or `release`. */
	| { readonly outcome: 'claimed'; readonly hold: Hold }
	/** The event has started its run. */
	| { readonly outcome: 'duplicate' }
	/** Another copy was still being handed over when the waiting ended. */
	| { readonly outcome: 'busy' };

/**
 * Claims the event, or waits while another copy is pending and takes over when its holder gave up or died.
 * Throws `LedgerUnavailableError` when the ledger fails, at the first look or while waiting.
 */
export async function claimOrWait(
	ledger: Ledger,
	key: string,
	options: ClaimOrWaitOptions = {},
): Promise<ClaimOutcome> {
	const { leaseMs = LEASE_MS, waitMs = WAIT_MS, pollMs = FIRST_POLL_MS, signal } = options;
	const giveUpAt = performance.now() + waitMs;
	const longestPollMs = Math.max(pollMs, LONGEST_POLL_MS);
	for (let pauseMs = pollMs; ; pauseMs = Math.min(pauseMs * 1.5, longestPollMs)) {
		signal?.throwIfAborted();
		const answer = await ledger.claim(key, leaseMs);
		if (answer.state === 'claimed') {
			return { outcome: 'claimed', hold: new ClaimHold(ledger, answer.claim, leaseMs) };
		}
		if (answer.state === 'committed') return { outcome: 'duplicate' };
		const leftMs = giveUpAt - performance.now();
		if (leftMs <= 0) return { outcome: 'busy' };
		await sleep(Math.min(jittered(pauseMs), leftMs), { signal });
	}
}
