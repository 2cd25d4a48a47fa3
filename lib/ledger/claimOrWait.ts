/** Claims an event, or waits for the outcome of the copy that is being handed over. */
import { jittered, sleep } from '../shared/sleep';
import type { Acknowledge, Entry, Ledger } from './common/types';
import { ClaimHold } from './hold';
import { Leases } from './leases';

const WAIT_MS = 20_000;
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 250;

const processLeases = new Leases();

interface ClaimOrWaitOptions {
	/** How long to wait for a pending copy, in milliseconds. Default 20,000. */
	readonly waitMs?: number;
	/** Renews the claim until it is settled. Default: the leases of the process, 60 s each. */
	readonly leases?: Leases;
	/** The outcome that the hold waits for. Default: n8n has stored an execution. */
	readonly acknowledge?: Acknowledge | undefined;
}

type ClaimOutcome =
	/** Hand the event over, then settle the hold with `commit` or `release`. The other fields are those of `Entry`. */
	| ({ readonly outcome: 'claimed'; readonly hold: ClaimHold } & Pick<
			Entry,
			'attempts' | 'reopenedAt'
	  >)
	/** The event is stored, its run has begun, or it is done. */
	| { readonly outcome: 'duplicate' }
	/** Another copy was still being handed over when the waiting ended. */
	| { readonly outcome: 'busy' };

interface Waiter {
	readonly leases: Leases;
	readonly acknowledge: Acknowledge | undefined;
	readonly giveUpAt: number;
	readonly resolve: (outcome: ClaimOutcome) => void;
	readonly reject: (error: unknown) => void;
}

/** The copies of an event that wait in this process, in order of arrival: one call to the ledger serves all of them. */
type Waiters = Set<Waiter>;

const waiting = new WeakMap<Ledger, Map<string, Waiters>>();

/**
 * Claims the event. If another copy is pending, waits and takes over when its holder gives up or dies.
 * A claim goes to the copy that has waited longest; the others keep waiting, each until its own limit.
 * Throws `LedgerUnavailableError` when the ledger fails, at the first call or while waiting.
 */
export async function claimOrWait(
	ledger: Ledger,
	key: string,
	{ waitMs = WAIT_MS, leases = processLeases, acknowledge }: ClaimOrWaitOptions = {},
): Promise<ClaimOutcome> {
	return await new Promise((resolve, reject) => {
		const byKey = waiting.get(ledger) ?? new Map<string, Waiters>();
		waiting.set(ledger, byKey);
		const giveUpAt = performance.now() + waitMs;
		const waiter = { leases, acknowledge, giveUpAt, resolve, reject };
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

/** Calls the ledger until no copy waits; `whenOver` is called before a later copy could join. */
async function askForAll(
	ledger: Ledger,
	key: string,
	waiters: Waiters,
	whenOver: () => void,
): Promise<void> {
	let pauseMs = FIRST_PAUSE_MS;
	// Only this loop removes a waiter, so the waiter that a claim was requested for is still there to take it.
	for (let [first] = waiters; first !== undefined; [first] = waiters) {
		try {
			const answer = await ledger.claim(key, first.leases.ms);
			if (answer.state === 'committed') {
				for (const { resolve } of waiters) resolve({ outcome: 'duplicate' });
				break;
			}
			if (answer.state === 'claimed') {
				waiters.delete(first);
				const { state: outcome, claim, ...history } = answer;
				const hold = new ClaimHold(ledger, claim, first.leases, first.acknowledge);
				first.resolve({ outcome, hold, ...history });
			}
		} catch (error) {
			for (const { reject } of waiters) reject(error);
			break;
		}
		const soonest = dismissOverdue(waiters);
		if (waiters.size === 0) break;
		await sleep(Math.min(jittered(pauseMs), soonest));
		pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS);
	}
	whenOver();
}

/** Resolves the waiters whose time is over; returns the milliseconds until the next one's is. */
function dismissOverdue(waiters: Waiters): number {
	const now = performance.now();
	let soonest = Infinity;
	for (const waiter of waiters) {
		const leftMs = waiter.giveUpAt - now;
		if (leftMs > 0) soonest = Math.min(soonest, leftMs);
		else {
			waiters.delete(waiter);
			waiter.resolve({ outcome: 'busy' });
		}
	}
	return soonest;
}
