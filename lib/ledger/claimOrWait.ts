/** Claims an event, or waits for the outcome of the delivery that is being handed over. */
import { growingPause, sleep } from '../shared/pace';
import type { Ledger } from './types';

const WAIT_MS = 20_000;

type ClaimOutcome =
	/** Hand the event over, then commit or release the claim. The other fields are those of `Account`. */
	| Extract<Awaited<ReturnType<Ledger['claim']>>, { state: 'claimed' }>
	/** The event is stored, its execution has begun, or it is done. */
	| { readonly state: 'committed' }
	/** Another process still had it when the waiting ended; or it is due again in `retryAfterMs` milliseconds. */
	| { readonly state: 'pending'; readonly retryAfterMs?: number };

interface WaitingClaim {
	readonly giveUpAt: number;
	readonly resolve: (outcome: ClaimOutcome) => void;
	readonly reject: (error: unknown) => void;
}

/** The deliveries of an event that wait in this process, in order of arrival: one call to the ledger serves all of them. */
type WaitingClaims = Set<WaitingClaim>;

const waiting = new WeakMap<Ledger, Map<string, WaitingClaims>>();

/**
 * Claims the event. If another process has it, waits up to `waitMs` milliseconds and takes over when that gives up or dies.
 * A claim goes to the delivery that has waited longest; the others keep waiting, each until its own limit.
 * Throws `LedgerUnavailableError` when the ledger fails, at the first call or while waiting.
 */
export async function claimOrWait(
	ledger: Ledger,
	key: string,
	waitMs = WAIT_MS,
): Promise<ClaimOutcome> {
	return await new Promise((resolve, reject) => {
		const byKey = waiting.get(ledger) ?? new Map<string, WaitingClaims>();
		waiting.set(ledger, byKey);
		const giveUpAt = performance.now() + waitMs;
		const waiter = { giveUpAt, resolve, reject };
		const others = byKey.get(key);
		if (others !== undefined) {
			others.add(waiter);
			return;
		}
		const waiters = new Set([waiter]);
		byKey.set(key, waiters);
		void askForAll(ledger, key, waiters, () => byKey.delete(key));
	});
}

/** Calls the ledger until no delivery waits; `whenOver` is called before a later one could join. */
async function askForAll(
	ledger: Ledger,
	key: string,
	waiters: WaitingClaims,
	whenOver: () => void,
): Promise<void> {
	const pause = growingPause();
	// Only this loop removes a waiter, so the waiter that a claim was requested for is still there to take it.
	for (let [first] = waiters; first !== undefined; [first] = waiters) {
		try {
			const outcome = await ledger.claim(key);
			const isFinal = outcome.state !== 'pending' || outcome.retryAfterMs !== undefined;
			if (outcome.state === 'claimed') {
				waiters.delete(first);
				first.resolve(outcome);
			} else if (isFinal) {
				for (const { resolve } of waiters) resolve(outcome);
				break;
			}
		} catch (error) {
			for (const { reject } of waiters) reject(error);
			break;
		}
		const soonest = dismissOverdue(waiters);
		if (waiters.size === 0) break;
		await sleep(Math.min(pause(), soonest));
	}
	whenOver();
}

/** Resolves the waiters whose time is over; returns the milliseconds until the next one's is. */
function dismissOverdue(waiters: WaitingClaims): number {
	const now = performance.now();
	let soonest = Infinity;
	for (const waiter of waiters) {
		const leftMs = waiter.giveUpAt - now;
		if (leftMs > 0) soonest = Math.min(soonest, leftMs);
		else {
			waiters.delete(waiter);
			waiter.resolve({ state: 'pending' });
		}
	}
	return soonest;
}
