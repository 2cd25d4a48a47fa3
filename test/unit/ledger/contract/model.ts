/** One entry of the ledger as design says it: a pure function, against which the stores and the whole protocol are checked. */
import { isDeepStrictEqual } from 'node:util';
import {
	type EntryState,
	FIRST_GRACE_MS,
	LONGEST_GRACE_MS,
} from '../../../../lib/ledger/common/types';

/** Moments are milliseconds on the clock of the test. Undefined is an entry that is free. */
export type Entry =
	| {
			readonly state: 'pending';
			/** The claim that holds it. */
			readonly holder: number;
			/** End of the lease. */
			readonly due: number;
			/** End of the retention of an event that was stored before; the lease may reach beyond it. */
			readonly expires: number;
			/** 0 when it was never stored. */
			readonly grace: number;
	  }
	| {
			readonly state: 'stored';
			/** The claim that committed it; undefined when its holder had lost it. */
			readonly by: number | undefined;
			readonly due: number;
			readonly expires: number;
			readonly grace: number;
	  }
	| { readonly state: 'begun'; readonly run: number; readonly expires: number }
	| undefined;

/** `claim` is the number of the claim that a step makes or settles, `run` that of the run that asks. */
export type Step =
	| { readonly kind: 'look' }
	| { readonly kind: 'claim' | 'renew'; readonly claim: number; readonly leaseMs: number }
	| { readonly kind: 'commit'; readonly claim: number; readonly retentionMs: number }
	| { readonly kind: 'release'; readonly claim: number }
	| { readonly kind: 'begin'; readonly run: number; readonly retentionMs: number }
	| { readonly kind: 'giveBack'; readonly run: number; readonly retentionMs: number };

export type Answer =
	| Exclude<EntryState, 'begun'>
	| `begun by ${string}`
	| 'claimed'
	| 'committed'
	| 'given back'
	| boolean;

export interface After {
	readonly answer: Answer;
	readonly entry: Entry;
}

/** What the ledger must answer at this moment, and what the entry is afterwards. */
export function after(before: Entry, step: Step, now: number): After {
	const entry = before && before.expires > now ? before : undefined;
	if (step.kind === 'look') {
		const state = stateOf(entry, now);
		return { answer: state === 'begun' ? `begun by ${runOf(entry)}` : state, entry };
	}
	if (step.kind === 'claim') return afterClaim(entry, step.claim, now + step.leaseMs, now);
	if (step.kind === 'begin') {
		if (entry?.state === 'begun' && entry.run !== step.run) return { answer: false, entry };
		const expires = now + step.retentionMs;
		return { answer: true, entry: { state: 'begun', run: step.run, expires } };
	}
	if (step.kind === 'giveBack') return afterGiveBack(entry, step.run, now, now + step.retentionMs);
	const isTheirs = entry?.state === 'pending' && entry.holder === step.claim && entry.due > now;
	if (step.kind === 'commit') {
		if (entry?.state === 'begun') return { answer: false, entry };
		const isCommitted = isTheirs || (entry?.state === 'stored' && entry.by === step.claim);
		const by = isCommitted ? step.claim : undefined;
		return { answer: isCommitted, entry: stored(entry, by, now, now + step.retentionMs) };
	}
	if (!isTheirs) return { answer: false, entry };
	if (step.kind === 'renew') return { answer: true, entry: leased(entry, now + step.leaseMs) };
	if (entry.grace === 0) return { answer: true, entry: undefined };
	const { grace, expires } = entry;
	return { answer: true, entry: { state: 'stored', by: undefined, due: now, expires, grace } };
}

function afterGiveBack(entry: Entry, run: number, now: number, until: number): After {
	const answer = 'given back';
	if (entry?.state === 'begun' && entry.run !== run) return { answer, entry };
	const given = stored(entry?.state === 'begun' ? undefined : entry, undefined, now, until);
	return { answer, entry: { ...given, due: now } };
}

const runOf = (entry: Entry) => (entry?.state === 'begun' ? String(entry.run) : '');

function stateOf(entry: Entry, now: number): EntryState {
	if (!entry) return 'free';
	if (entry.state === 'begun') return 'begun';
	return entry.due > now ? entry.state : 'overdue';
}

function afterClaim(entry: Entry, holder: number, leaseEnd: number, now: number): After {
	const state = stateOf(entry, now);
	if (state === 'pending') return { answer: 'pending', entry };
	if (state === 'stored' || state === 'begun') return { answer: 'committed', entry };
	const before = entry && entry.state !== 'begun' ? entry : { grace: 0, expires: 0 };
	const grace = Math.min(2 * before.grace, LONGEST_GRACE_MS);
	const pending = { state: 'pending', holder, due: 0, expires: before.expires, grace } as const;
	return { answer: 'claimed', entry: leased(pending, leaseEnd) };
}

function leased(entry: Entry & { state: 'pending' }, leaseEnd: number): Entry {
	const expires = entry.grace > 0 ? Math.max(entry.expires, leaseEnd) : leaseEnd;
	return { ...entry, due: leaseEnd, expires };
}

function stored(
	entry: Exclude<Entry, { state: 'begun' }>,
	by: number | undefined,
	now: number,
	until: number,
): Entry & { state: 'stored' } {
	const grace = entry?.grace || FIRST_GRACE_MS;
	const expires = entry && entry.grace > 0 ? Math.max(entry.expires, until) : until;
	// A commit after the first leaves the grace alone: the event may have been given back in between.
	const due = entry?.state === 'stored' ? entry.due : now + grace;
	return { state: 'stored', by, due, expires, grace };
}

/**
 * The entries that explain the answers of steps that ran at the same time: those of every order in which the steps,
 * one after the other, give these answers. None left means that the ledger was not atomic, or wrong.
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
