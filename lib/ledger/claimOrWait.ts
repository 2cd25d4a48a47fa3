/** Claims an event, or waits for the outcome of the copy that is being handed over. */
import { ClaimHold } from './hold';
import { Leases } from './leases';
import { jittered, sleep } from '../shared/sleep';
import type { Ledger } from './types';

const WAIT_MS = 20_000;
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 250;

const processLeases = new Leases();

interface ClaimOrWaitOptions {
	/** How long to wait for a pending copy, in milliseconds. Default 20,000. */
	readonly waitMs?: number;
	/** What renews the claim until it is settled. Default: the leases of the process, of 60 s each. */
	readonly leases?: Leases;
}

type ClaimOutcome =
	/** Hand the event over, then settle the hold by `commit` or `release`. */
	| { readonly outcome: 'claimed'; readonly hold: ClaimHold }
	/** The event is stored, or its run has begun. */
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
	{ waitMs = WAIT_MS, leases = processLeases }: ClaimOrWaitOptions = {},
): Promise<ClaimOutcome> {
	const giveUpAt = performance.now() + waitMs;
	for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
		const answer = await ledger.claim(key, leases.ms);
		if (answer.state === 'claimed') {
			return { outcome: 'claimed', hold: new ClaimHold(ledger, answer.claim, leases) };
		}
		if (answer.state === 'committed') return { outcome: 'duplicate' };
		const leftMs = giveUpAt - performance.now();
		if (leftMs <= 0) return { outcome: 'busy' };
		await sleep(Math.min(jittered(pauseMs), leftMs));
	}
}
