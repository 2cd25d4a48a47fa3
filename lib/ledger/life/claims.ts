/** The steps of a process that hands an event over to n8n: it claims the event, then commits or releases it. */
import type { Entry } from './entry';
import {
	dueInMs,
	FIRST_GRACE_MS,
	LONGEST_GRACE_MS,
	type StepMoment,
	released,
	stateOf,
	withoutDead,
} from './states';
import { FRESH, type Step } from './step';

/** Names a claim: no other claim has the same session and number. */
export interface Claimant {
	readonly session: string;
	readonly number: number;
}

export type ClaimResult =
	| { readonly state: 'claimed'; readonly attempts: number; readonly reopenedAt?: number }
	/** `retryAfterMs`: the event is due again then; otherwise a living process hands it over or runs it. */
	| { readonly state: 'pending'; readonly retryAfterMs?: number }
	| { readonly state: 'committed' };

function isTheirs(entry: Entry | undefined, { session, number }: Claimant): entry is Entry {
	return entry?.holder === session && entry.claim === number;
}

export function claim(
	entry: Entry | undefined,
	claimant: Claimant,
	moment: StepMoment,
): Step<ClaimResult> {
	// Sent again after a lost response.
	if (entry?.kind === 'pending' && isTheirs(entry, claimant)) return { result: claimed(entry) };
	const left = withoutDead(entry, moment);
	const mine = { kind: 'pending', holder: claimant.session, claim: claimant.number } as const;
	const state = stateOf(entry, moment);
	if (left === undefined) {
		const next = { ...FRESH, ...mine };
		return { result: claimed(next), next };
	}
	if (state === 'overdue') {
		const grace = Math.min(2 * left.grace, LONGEST_GRACE_MS);
		return { result: claimed(left), next: { ...left, ...mine, before: 'stored', grace } };
	}
	const isHeld = state === 'pending' || (state === 'running' && left.repeats);
	if (isHeld) return { result: { state: 'pending' } };
	const retryAfterMs = dueInMs(entry, moment);
	if (retryAfterMs === undefined) return { result: { state: 'committed' } };
	if (retryAfterMs > 0) return { result: { state: 'pending', retryAfterMs } };
	return { result: claimed(left), next: { ...left, ...mine, before: left.kind } };
}

function claimed({ attempts, reopenedAt }: Entry): ClaimResult {
	return { state: 'claimed', attempts, ...(reopenedAt !== undefined && { reopenedAt }) };
}

/** n8n stored an execution for this claim, whatever became of the claim since. */
export function commit(
	entry: Entry | undefined,
	claimant: Claimant,
	moment: StepMoment,
): Step<undefined> {
	const state = stateOf(entry, moment);
	const isPending = entry?.kind === 'pending' && isTheirs(entry, claimant);
	// Given back since: its execution is known to be lost.
	const isLapsed = state === 'overdue' && entry?.kind === 'stored' && entry.at !== 0;
	if (!isPending && state !== 'free' && !isLapsed) return { result: undefined };
	const { before: _before, ...kept } = isPending || isLapsed ? entry : FRESH;
	const own = { holder: claimant.session, claim: claimant.number };
	const grace = kept.grace || FIRST_GRACE_MS;
	return { result: undefined, next: { ...kept, ...own, kind: 'stored', at: moment.now, grace } };
}

/** n8n did not store an execution for this claim. */
export function release(entry: Entry | undefined, claimant: Claimant): Step<undefined> {
	if (!isTheirs(entry, claimant)) return { result: undefined };
	if (entry.kind === 'pending') return { result: undefined, next: released(entry) };
	// It had counted as stored for want of a response.
	if (entry.kind === 'stored') return { result: undefined, next: { ...entry, at: 0 } };
	return { result: undefined };
}
