/** The ledger as the pure steps say it, for one event: what the stores are compared with. */
import { isDeepStrictEqual } from 'node:util';
import type { Entry } from '../../../../lib/ledger/life/entry';
import {
	type Account,
	dueInMs,
	type StepMoment,
	stateOf,
} from '../../../../lib/ledger/life/states';
import * as steps from '../../../../lib/ledger/life/steps';
import type { ClaimResponse } from '../../../../lib/ledger/types';

export interface Life {
	readonly entry: Entry | undefined;
	readonly expires: number;
	/** The reopenings of the event when each run began it that has not ended. */
	readonly begun: Readonly<Record<string, number>>;
}

export const FREE: Life = { entry: undefined, expires: 0, begun: {} };
const DAY_MS = 24 * 60 * 60_000;

/** What a process asks of the ledger, as the pure steps take it. */
export type Asked =
	| { readonly kind: 'look' }
	| { readonly kind: 'claim' | 'release'; readonly claimant: steps.Claimant }
	| { readonly kind: 'commit'; readonly claimant: steps.Claimant; readonly keepMs: number }
	| { readonly kind: 'begin'; readonly attempt: steps.Attempting; readonly keepMs: number }
	| {
			readonly kind: 'end';
			readonly run: string;
			readonly outcome: steps.Outcome;
			readonly repeats: boolean;
			readonly keepMs: number;
	  }
	| { readonly kind: 'giveBack'; readonly run: string; readonly isRunningOnly: boolean }
	| { readonly kind: 'reopen'; readonly at: number; readonly keepMs: number };

/** What one process asked about one event, and what it was told. */
export interface Ran {
	readonly asked: Asked;
	readonly answer: string;
	/** Whether the process takes the holder for dead. */
	readonly isDead: (holder: string) => boolean;
}

/** The lives that explain the answers: what was asked at the same time can have happened in any order. */
export function explain(lives: readonly Life[], ran: readonly Ran[], now: number): Life[] {
	if (ran.length === 0) return [...lives];
	const found: Life[] = [];
	const possible = lives.flatMap((life) => withSwept(life, now));
	for (const [index, each] of ran.entries()) {
		const rest = ran.filter((_other, other) => other !== index);
		const fitting = possible.flatMap((life) => {
			const after = lived(life, each, now);
			return after.answer === each.answer ? [after.life] : [];
		});
		for (const life of explain(fitting, rest, now)) {
			if (!found.some((other) => isDeepStrictEqual(other, life))) found.push(life);
		}
	}
	return found;
}

/** A store removes expired entries when it likes to. One that is left counts again if the clock is set back. */
function withSwept(life: Life, now: number): Life[] {
	const isExpired = life.entry !== undefined && life.expires <= now;
	return isExpired ? [life, { ...life, entry: undefined }] : [life];
}

function lived(
	{ expires, begun, ...kept }: Life,
	{ asked, isDead }: Ran,
	now: number,
): { readonly answer: string; readonly life: Life } {
	const entry = expires > now ? kept.entry : undefined;
	const isHeld = entry?.kind === 'pending' || entry?.kind === 'running';
	const isHolderDead = isHeld && entry.holder !== undefined && isDead(entry.holder);
	const moment = { now, isHolderDead };
	const keepMs = 'keepMs' in asked ? asked.keepMs : asked.kind === 'claim' ? DAY_MS : 0;
	const after = (answer: string, { next }: steps.Step<unknown>, runs = begun) => {
		if (next === undefined) return { answer, life: { ...kept, expires, begun: runs } };
		if (next === null) return { answer, life: { ...FREE, begun: runs } };
		const until = Math.max(entry === undefined ? 0 : expires, now + keepMs);
		return { answer, life: { entry: next, expires: until, begun: runs } };
	};
	const { [runOf(asked)]: reopenings, ...others } = begun;
	switch (asked.kind) {
		case 'look':
			return after(inWords(accountOf(entry, moment)), { result: undefined });
		case 'claim': {
			const step = steps.claim(entry, asked.claimant, moment);
			return after(claimInWords(step.result), step);
		}
		case 'commit':
			return after('', steps.commit(entry, asked.claimant, moment));
		case 'release':
			return after('', steps.release(entry, asked.claimant));
		case 'begin': {
			const step = steps.begin(entry, asked.attempt, moment);
			const { reopenings: mine = 0 } = step.next ?? entry ?? {};
			const isReported = step.result && asked.attempt.reportsEnd;
			const runs = isReported ? { ...others, [asked.attempt.run]: mine } : others;
			return after(String(step.result), step, runs);
		}
		case 'end': {
			if (reopenings === undefined) return after('', { result: undefined });
			return after('', steps.end(entry, { ...asked, reopenings }, moment), others);
		}
		case 'giveBack': {
			const step = steps.giveBack(entry, asked, moment);
			return after(String(step.result), step, others);
		}
		case 'reopen':
			return after(inWords(accountOf(entry, moment)), steps.reopen(entry, asked.at, moment));
	}
}

function runOf(asked: Asked): string {
	if (asked.kind === 'begin') return asked.attempt.run;
	return asked.kind === 'end' || asked.kind === 'giveBack' ? asked.run : '';
}

function accountOf(entry: Entry | undefined, moment: StepMoment): Account {
	const due = dueInMs(entry, moment);
	const state = stateOf(entry, moment);
	if (entry === undefined || state === 'free') return { state: 'free', attempts: 0 };
	const { attempts, run = '', reopenedAt = 0 } = entry;
	return { state, attempts, run, reopenedAt, ...(due !== undefined && { dueInMs: due }) };
}

/** Without the times that a store with a clock of its own measures differently. */
export function inWords({
	state,
	attempts,
	run = '',
	reopenedAt = 0,
	dueInMs: due,
}: Account): string {
	return `${state}, ${attempts} by ${run}, reopened ${reopenedAt}, ${dueInWords(due)}`;
}

export function claimInWords(answer: Omit<ClaimResponse, 'claim'> | steps.ClaimResult): string {
	const {
		state,
		attempts = 0,
		reopenedAt = 0,
		retryAfterMs,
	} = {
		...({} as { attempts?: number; reopenedAt?: number; retryAfterMs?: number }),
		...answer,
	};
	return `${state}, ${attempts}, reopened ${reopenedAt}, ${dueInWords(retryAfterMs)}`;
}

function dueInWords(ms: number | undefined): string {
	if (ms === undefined) return 'never due';
	return ms === 0 ? 'due' : 'due later';
}
