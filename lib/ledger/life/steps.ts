/** The steps in the life of an event (`states.ts`): each returns what the caller learns, and the entry after it. */
import { randomBytes } from 'node:crypto';
import type { Entry } from './entry';
import {
	dueInMs,
	FIRST_GRACE_MS,
	type StepMoment,
	stateOf,
	withoutDead,
	LONGEST_GRACE_MS,
	released,
} from './states';

/** The result of a step, and the entry after it. `next` is absent if nothing changes, null if the entry goes. */
export interface Step<R> {
	readonly result: R;
	readonly next?: Entry | null;
}

/** Of an event that nobody has claimed. */
const FRESH: Entry = {
	kind: 'pending',
	at: 0,
	grace: 0,
	attempts: 0,
	repeats: false,
	reopenings: 0,
};

/** Names a claim: no other claim has the same session and number. */
interface Claimant {
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

/** The steps of a process that hands an event over to n8n: it claims the event, then commits or releases it. */
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

/** An attempt to begin an event. */
interface Attempting {
	/** Never used again: n8n starts one stored execution twice. */
	readonly run: string;
	readonly session: string;
	readonly repeats: boolean;
	/** Whether n8n will report the end of the execution. */
	readonly reportsEnd: boolean;
	/** A user retries the execution, so that only a living execution and a success are left as they are. */
	readonly isRetry: boolean;
}

/** Whether this attempt continues with the event. */
export function begin(
	entry: Entry | undefined,
	{ run, session, repeats, reportsEnd, isRetry }: Attempting,
	moment: StepMoment,
): Step<boolean> {
	// Asked again after a lost response.
	if (entry?.run === run && (entry.kind === 'running' || entry.kind === 'begun'))
		return { result: true };
	const state = stateOf(entry, moment);
	const isFirst = ['free', 'pending', 'stored', 'overdue'].includes(state);
	const isAgain = dueInMs(entry, moment) === 0;
	const isForced = isRetry && ['failed', 'interrupted', 'begun'].includes(state);
	if (!isFirst && !isAgain && !isForced) return { result: false };
	const left = withoutDead(entry, moment) ?? FRESH;
	const kind = reportsEnd ? 'running' : 'begun';
	const { attempts, reopenings, reopenedAt } = left;
	return {
		result: true,
		next: {
			kind,
			at: moment.now,
			grace: 0,
			attempts: attempts + 1,
			repeats,
			run,
			reopenings,
			reopenedAt,
			holder: reportsEnd ? session : undefined,
		},
	};
}

/** `lost`: n8n could not save how the execution ended. */
export type Outcome = 'succeeded' | 'failed' | 'canceled' | 'asleep' | 'lost';

const KIND_AFTER = {
	failed: 'failed',
	canceled: 'canceled',
	asleep: 'asleep',
	lost: 'interrupted',
} as const;

interface Ending {
	readonly run: string;
	readonly outcome: Outcome;
	readonly repeats: boolean;
	/** `Entry.reopenings` when it began. */
	readonly reopenings: number;
}

/** The end of an attempt that began the event. Repeating it changes nothing. */
export function end(
	entry: Entry | undefined,
	{ run, outcome, repeats, reopenings }: Ending,
	{ now }: StepMoment,
): Step<undefined> {
	// The ledger has lost its data since.
	const left = entry ?? {
		...FRESH,
		kind: 'running',
		at: now,
		attempts: 1,
		repeats,
		reopenings,
		run,
	};
	const over = { ...left, grace: 0, holder: undefined, claim: undefined, before: undefined };
	if (outcome === 'succeeded') {
		const isSettled = left.kind === 'done' || left.reopenings !== reopenings;
		if (isSettled) return { result: undefined };
		return {
			result: undefined,
			next: { ...over, kind: 'done', at: now, run, reopenedAt: undefined },
		};
	}
	// Taken for dead, and perhaps claimed and stored since, but not begun: it is asleep all the same.
	const isOpen =
		['running', 'interrupted'].includes(left.kind) ||
		(outcome === 'asleep' && ['pending', 'stored'].includes(left.kind));
	if (left.run !== run || !isOpen) return { result: undefined };
	const at = outcome === 'lost' ? left.at : now;
	return { result: undefined, next: { ...over, kind: KIND_AFTER[outcome], at } };
}

/** Which claim the event is handed over by, or was before its execution begins. */
export function claimOf(entry: Entry | undefined): string | undefined {
	if (entry?.kind !== 'pending' && entry?.kind !== 'stored') return undefined;
	return entry.claim === undefined ? undefined : `${entry.holder} ${entry.claim}`;
}

interface GivingBack {
	readonly run: string;
	/** Skips an event that has not begun, since another claim may have stored it by now. */
	readonly isRunningOnly: boolean;
	/** The claim that an earlier call found: an event that another process has claimed since stays as it is. */
	readonly claim?: string | undefined;
}

/**
 * An attempt gives back what it cannot run: its `begin` failed. Returns false while the event is being handed over: perhaps that is
 * the attempt's own execution, whose commit is late.
 */
export function giveBack(
	entry: Entry | undefined,
	{ run, isRunningOnly, claim }: GivingBack,
	moment: StepMoment,
): Step<boolean> {
	if (entry?.run === run && (entry.kind === 'running' || entry.kind === 'begun')) {
		const attempts = entry.attempts - 1;
		const over = { at: 0, attempts, grace: FIRST_GRACE_MS, holder: undefined };
		return { result: true, next: { ...entry, ...over, kind: 'stored' } };
	}
	if (isRunningOnly) return { result: true };
	if (claim !== undefined && claimOf(entry) !== claim) return { result: true };
	if (entry?.kind === 'stored') return { result: true, next: { ...entry, at: 0 } };
	return { result: stateOf(entry, moment) !== 'pending' };
}

/** A user wants the event to run again. A pending or running event stays as it is. */
export function reopen(
	entry: Entry | undefined,
	reopenedAt: number,
	moment: StepMoment,
): Step<undefined> {
	const result = undefined;
	const state = stateOf(entry, moment);
	if (state === 'pending' || state === 'running') return { result };
	const reopenings = (entry?.reopenings ?? 0) + 1;
	return {
		result,
		next: { ...FRESH, kind: 'stored', grace: FIRST_GRACE_MS, reopenings, reopenedAt },
	};
}

/*
 * The name of an attempt that begins events. The ledger stores it, so it also shows which execution began, and when.
 */

interface Attempt {
	readonly executionId: string;
	/** Unix milliseconds, on the clock of the process that began. */
	readonly begunAt: number;
}

/** Names one start of an execution: n8n may start the execution with this ID again. 64 random bits keep the entry small. */
export function newAttempt(executionId: string, now = Date.now()): string {
	return `${executionId}:${now.toString(36)}:${randomBytes(8).toString('base64url')}`;
}

/** Undefined for a name in another form. */
export function attemptOf(run: string): Attempt | undefined {
	const [executionId = '', time = '', random] = run.split(':');
	const begunAt = Number.parseInt(time, 36);
	const isAttempt = executionId !== '' && random !== undefined && Number.isSafeInteger(begunAt);
	return isAttempt ? { executionId, begunAt } : undefined;
}
