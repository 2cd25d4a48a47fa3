/** One entry of the ledger as design says it: a pure function, against which the stores and the whole protocol are checked. */
import { isDeepStrictEqual } from 'node:util';
import {
	type EntryState,
	FIRST_GRACE_MS,
	LONGEST_GRACE_MS,
} from '../../../../lib/ledger/common/types';

/** Names a claim or a run. */
export type Id = number | string;

/** Moments are milliseconds on the clock of the test. */
export interface KnownEntry {
	readonly state: 'pending' | 'stored' | 'begun' | 'running' | 'failed' | 'done';
	/** The claim that holds a pending or running entry, or that committed a stored one. */
	readonly holder?: Id | undefined;
	/** The latest attempt that began the event. */
	readonly run?: Id | undefined;
	readonly attempts: number;
	/** End of the lease or the grace, or when it failed; 0 when it is begun or done. */
	readonly due: number;
	readonly expires: number;
	/** 0 when it was never stored. */
	readonly grace: number;
	readonly reopenedAt?: number | undefined;
}

/** Undefined is an entry that is free. */
export type Entry = KnownEntry | undefined;

/** `claim` is the claim that a step makes or settles, `run` the run that asks. */
export type Step =
	| { readonly kind: 'look' }
	| { readonly kind: 'claim' | 'renew'; readonly claim: Id; readonly leaseMs: number }
	| { readonly kind: 'commit' | 'finish'; readonly claim: Id; readonly retentionMs: number }
	| { readonly kind: 'release'; readonly claim: Id }
	| {
			readonly kind: 'begin';
			readonly run: Id;
			readonly retentionMs: number;
			/** The claim under which the run was started, if the holder waits for its end. */
			readonly claim?: Id | undefined;
	  }
	| { readonly kind: 'giveBack'; readonly run: Id; readonly retentionMs: number }
	| { readonly kind: 'reopen'; readonly at: number; readonly retentionMs: number };

/** The result of `look` as one text. */
export type Looked = `is ${string}`;
export type Answer =
	Looked | `was ${string}` | 'claimed' | 'pending' | 'committed' | 'given back' | boolean;

export interface After {
	readonly answer: Answer;
	readonly entry: Entry;
}

/** The required result of the ledger at this moment, and the entry afterwards. */
export function after(before: Entry, step: Step, now: number): After {
	const entry = before && before.expires > now ? before : undefined;
	switch (step.kind) {
		case 'look':
			return { answer: `is ${lookedAt(entry, now)}`, entry };
		case 'claim':
			return afterClaim(entry, step.claim, now + step.leaseMs, now);
		case 'renew':
			return afterRenew(entry, step.claim, now + step.leaseMs, now);
		case 'commit':
			return afterCommit(entry, step.claim, now + step.retentionMs, now);
		case 'release':
			return afterRelease(entry, step.claim, now);
		case 'finish':
			return afterFinish(entry, step.claim, now + step.retentionMs);
		case 'begin':
			return step.claim === undefined
				? afterBegin(entry, step.run, now + step.retentionMs, now)
				: afterBeginClaimed(entry, step.run, step.claim, now + step.retentionMs, now);
		case 'giveBack':
			return afterGiveBack(entry, step.run, now + step.retentionMs, now);
		case 'reopen':
			return afterReopen(entry, step.at, now + step.retentionMs, now);
	}
}

export function stateOf(entry: Entry, now: number): EntryState {
	if (!entry) return 'free';
	const { state, due, attempts } = entry;
	if (due > now || state === 'begun' || state === 'done' || state === 'failed') return state;
	return state === 'stored' || attempts === 0 ? 'overdue' : 'failed';
}

/** How many times it has begun and by whom, when it was reopened, in words. */
export function lookedAt(entry: Entry, now: number): string {
	const { run = '', attempts = 0, reopenedAt = '' } = entry ?? {};
	return `${stateOf(entry, now)}, ${attempts} by ${run}, reopened ${reopenedAt}`;
}

function isHeldBy(entry: KnownEntry, claim: Id, now: number): boolean {
	return entry.state === 'pending' && entry.holder === claim && entry.due > now;
}

/** Its lease may have expired, as long as no one else has claimed the event. */
function isRunningUnder(entry: KnownEntry, claim: Id): boolean {
	return entry.state === 'running' && entry.holder === claim;
}

function afterClaim(entry: Entry, holder: Id, leaseEnd: number, now: number): After {
	const state = stateOf(entry, now);
	if (state === 'pending' || state === 'running') return { answer: 'pending', entry };
	if (state === 'stored' || state === 'begun' || state === 'done')
		return { answer: 'committed', entry };
	const before = entry ?? { grace: 0, expires: 0, attempts: 0 };
	const grace = Math.min(2 * before.grace, LONGEST_GRACE_MS);
	const pending = { ...before, state: 'pending', holder, due: 0, grace } as const;
	return { answer: 'claimed', entry: leased(pending, leaseEnd) };
}

function leased(entry: KnownEntry, leaseEnd: number): Entry {
	const isKnown = entry.grace > 0 || entry.attempts > 0;
	const expires = isKnown ? Math.max(entry.expires, leaseEnd) : leaseEnd;
	return { ...entry, due: leaseEnd, expires };
}

function afterRenew(entry: Entry, claim: Id, leaseEnd: number, now: number): After {
	if (!entry || !(isHeldBy(entry, claim, now) || isRunningUnder(entry, claim)))
		return { answer: false, entry };
	return { answer: true, entry: leased(entry, leaseEnd) };
}

function afterCommit(entry: Entry, claim: Id, until: number, now: number): After {
	const isFollowed = entry?.state === 'running' || entry?.state === 'done';
	if (entry?.state === 'begun' || isFollowed) return { answer: false, entry };
	const isAgain = entry?.state === 'stored' && entry.holder === claim;
	const isTheirs = entry !== undefined && (isHeldBy(entry, claim, now) || isAgain);
	const holder = isTheirs ? claim : undefined;
	return { answer: isTheirs, entry: { ...stored(entry, now, until), holder } };
}

function stored(entry: Entry, now: number, until: number): KnownEntry {
	const grace = entry?.grace || FIRST_GRACE_MS;
	const expires = entry && entry.grace > 0 ? Math.max(entry.expires, until) : until;
	// A commit after the first does not change the grace: the event may have been given back in between.
	const due = entry?.state === 'stored' ? entry.due : now + grace;
	return { ...(entry ?? { attempts: 0 }), state: 'stored', due, expires, grace };
}

function afterRelease(entry: Entry, claim: Id, now: number): After {
	if (!entry || !(isHeldBy(entry, claim, now) || isRunningUnder(entry, claim)))
		return { answer: false, entry };
	const { grace, attempts } = entry;
	if (grace === 0 && attempts === 0) return { answer: true, entry: undefined };
	const state = attempts > 0 ? 'failed' : 'stored';
	return { answer: true, entry: { ...entry, state, holder: undefined, due: now } };
}

function afterFinish(entry: Entry, claim: Id, expires: number): After {
	if (!entry || !isRunningUnder(entry, claim))
		return { answer: entry?.state === 'done' || entry?.state === 'begun', entry };
	const { run, attempts } = entry;
	return { answer: true, entry: { state: 'done', run, attempts, due: 0, expires, grace: 0 } };
}

function afterBegin(entry: Entry, run: Id, expires: number, now: number): After {
	const state = stateOf(entry, now);
	const isAgain = state === 'begun' && entry?.run === run;
	if (state === 'running' || state === 'done' || (state === 'begun' && !isAgain))
		return { answer: false, entry };
	const attempts = (entry?.attempts ?? 0) + (isAgain ? 0 : 1);
	return { answer: true, entry: { state: 'begun', run, attempts, due: 0, expires, grace: 0 } };
}

function afterBeginClaimed(entry: Entry, run: Id, claim: Id, until: number, now: number): After {
	if (!entry) return { answer: false, entry };
	if (isRunningUnder(entry, claim)) {
		const isAgain = entry.run === run;
		// A report of n8n about the other run must not settle this one.
		return { answer: isAgain, entry: isAgain ? entry : { ...entry, holder: undefined } };
	}
	if (!isHeldBy(entry, claim, now)) return { answer: false, entry };
	const expires = Math.max(entry.expires, until);
	const attempts = entry.attempts + 1;
	return { answer: true, entry: { ...entry, state: 'running', run, attempts, expires } };
}

function afterGiveBack(entry: Entry, run: Id, until: number, now: number): After {
	const answer = 'given back';
	const hasBegun = entry?.state === 'begun' || entry?.state === 'running';
	const isFinal = entry?.state === 'failed' || entry?.state === 'done';
	if (isFinal || (hasBegun && entry.run !== run)) return { answer, entry };
	const attempts = (entry?.attempts ?? 0) - (hasBegun ? 1 : 0);
	const given = { ...stored(entry, now, until), holder: undefined, run: undefined, attempts };
	return { answer, entry: { ...given, due: now } };
}

function afterReopen(entry: Entry, reopenedAt: number, until: number, now: number): After {
	const answer = `was ${lookedAt(entry, now)}` as const;
	const state = stateOf(entry, now);
	if (state === 'pending' || state === 'running') return { answer, entry };
	const expires = Math.max(entry?.expires ?? 0, until);
	const grace = FIRST_GRACE_MS;
	return { answer, entry: { state: 'stored', attempts: 0, due: now, expires, grace, reopenedAt } };
}

/**
 * The entries that explain the results of concurrent steps: those of every order in which the steps, one after the
 * other, give these results. None means that the ledger was not atomic, or wrong.
 */
export function explain(
	entries: readonly Entry[],
	ran: readonly { readonly step: Step; readonly answer: Answer }[],
	now: number,
): Entry[] {
	if (ran.length === 0) return [...entries];
	const found: Entry[] = [];
	for (const [index, { step, answer }] of ran.entries()) {
		const rest = ran.filter((_other, other) => other !== index);
		const fitting = entries
			.map((entry) => after(entry, step, now))
			.filter((next) => next.answer === answer)
			.map((next) => next.entry);
		for (const entry of explain(fitting, rest, now)) {
			if (!found.some((other) => isDeepStrictEqual(other, entry))) found.push(entry);
		}
	}
	return found;
}
