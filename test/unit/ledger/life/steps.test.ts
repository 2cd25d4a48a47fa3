import type { Entry } from '../../../../lib/ledger/life/entry';
import {
	type EntryState,
	FIRST_GRACE_MS,
	LONGEST_GRACE_MS,
	stateOf,
} from '../../../../lib/ledger/life/states';
import * as steps from '../../../../lib/ledger/life/steps';
import { ALIVE, attempting, DEAD, entryOf, inState, MINE, MINUTE_MS, NOW, STATES } from './entries';

const DUE = { repeats: true, at: NOW - MINUTE_MS };
const OWN = { holder: MINE.session, claim: MINE.number };

/** The state after the step; the same entry if nothing changed. */
function after({ next }: steps.Step<unknown>): EntryState | 'the same' {
	return next === undefined ? 'the same' : stateOf(next ?? undefined, ALIVE);
}

describe('a claim', () => {
	it.each<[string, Entry | undefined, steps.ClaimResult['state']]>([
		...STATES.map((state): [string, Entry | undefined, steps.ClaimResult['state']] => {
			const isFree = state === 'free' || state === 'overdue';
			return [
				state,
				inState(state),
				isFree ? 'claimed' : state === 'pending' ? state : 'committed',
			];
		}),
		['running, and repeats', inState('running', { repeats: true }), 'pending'],
		['failed, and due', inState('failed', DUE), 'claimed'],
		['interrupted, and due', inState('interrupted', DUE), 'claimed'],
	])('of an event that is %s', (_state, entry, state) => {
		const step = steps.claim(entry, MINE, ALIVE);
		expect(step.result.state).toBe(state);
		expect(after(step)).toBe(state === 'claimed' ? 'pending' : 'the same');
	});

	it('says when the event is due again', () => {
		const { result } = steps.claim(inState('failed', { repeats: true }), MINE, ALIVE);
		expect(result).toEqual({ state: 'pending', retryAfterMs: MINUTE_MS });
	});

	it('is given again if its response was lost, even to a process that was taken for dead', () => {
		const { next } = steps.claim(undefined, MINE, ALIVE);
		expect(steps.claim(next ?? undefined, MINE, DEAD)).toEqual({
			result: { state: 'claimed', attempts: 0 },
		});
		const another = { ...MINE, number: 2 };
		expect(steps.claim(next ?? undefined, another, ALIVE).result).toEqual({ state: 'pending' });
	});

	it('takes over from a process that died, and keeps the past of the event', () => {
		const past = {
			attempts: 2,
			run: 'their run',
			reopenings: 3,
			reopenedAt: 5,
			before: 'stored',
		} as const;
		const { result, next } = steps.claim(inState('pending', { ...past, grace: 1 }), MINE, DEAD);
		expect(result).toEqual({ state: 'claimed', attempts: 2, reopenedAt: 5 });
		expect(next).toMatchObject({ ...past, ...OWN, kind: 'pending' });
	});

	it('doubles the grace of an overdue event, up to 4 hours', () => {
		let entry = inState('overdue');
		const minutes = Array.from({ length: 6 }, () => {
			entry = steps.claim(entry, MINE, ALIVE).next ?? undefined;
			entry = steps.commit(entry, MINE, { ...ALIVE, now: NOW }).next ?? undefined;
			const { grace = 0 } = entry ?? {};
			entry = entry && { ...entry, at: 0 };
			return grace / MINUTE_MS;
		});
		expect(minutes).toEqual([30, 60, 120, 240, 240, 240]);
		expect(LONGEST_GRACE_MS).toBe(240 * MINUTE_MS);
	});
});

describe('a commit', () => {
	it.each<[string, Entry | undefined, ReturnType<typeof after>]>([
		['its own claim', entryOf('pending', OWN), 'stored'],
		['a claim that another has taken over', inState('pending'), 'the same'],
		['a claim of its session that is newer', entryOf('pending', { ...OWN, claim: 2 }), 'the same'],
		['what was released or forgotten', undefined, 'stored'],
		['what was stored, and is overdue since', inState('overdue', OWN), 'stored'],
		['what was given back since: its execution is lost', inState('overdue', { at: 0 }), 'the same'],
		...STATES.filter((state) => !['free', 'pending', 'overdue'].includes(state)).map(
			(state): [string, Entry | undefined, 'the same'] => [
				`what is ${state}`,
				inState(state, OWN),
				'the same',
			],
		),
	])('stores %s: %s', (_what, entry, state) => {
		expect(after(steps.commit(entry, MINE, ALIVE))).toBe(state);
	});

	it('gives a new event 15 minutes', () => {
		const { next } = steps.commit(entryOf('pending', OWN), MINE, ALIVE);
		expect(next).toMatchObject({ at: NOW, grace: FIRST_GRACE_MS });
	});
});

describe('a release', () => {
	it.each<[string, Entry | undefined, ReturnType<typeof after>]>([
		['its own claim of a new event', entryOf('pending', OWN), 'free'],
		[
			'its own claim of an overdue event',
			entryOf('pending', { ...OWN, before: 'stored' }),
			'overdue',
		],
		['its own claim of a failed event', entryOf('pending', { ...OWN, before: 'failed' }), 'failed'],
		['what it had committed for want of a response', inState('stored', OWN), 'overdue'],
		...STATES.map((state): [string, Entry | undefined, 'the same'] => [
			`what is ${state}`,
			inState(state),
			'the same',
		]),
		['what it runs itself', inState('running', { holder: MINE.session }), 'the same'],
	])('of %s', (_what, entry, state) => {
		expect(after(steps.release(entry, MINE))).toBe(state);
	});
});

describe('an attempt', () => {
	const FIRST: readonly EntryState[] = ['free', 'pending', 'stored', 'overdue'];
	const RETRIED: readonly EntryState[] = [...FIRST, 'interrupted', 'failed', 'begun'];

	it.each(STATES)('begins an event that is %s, or not', (state) => {
		const entry = inState(state);
		expect(steps.begin(entry, attempting(), ALIVE).result).toBe(FIRST.includes(state));
		const retry = steps.begin(entry, attempting({ isRetry: true }), ALIVE);
		expect(retry.result).toBe(RETRIED.includes(state));
	});

	it.each(['failed', 'interrupted'] as const)(
		'begins one that is %s and repeats when it is due, not before',
		(state) => {
			const soon = inState(state, { repeats: true });
			expect(steps.begin(soon, attempting(), ALIVE)).toEqual({ result: false });
			const { result, next } = steps.begin(inState(state, DUE), attempting(), ALIVE);
			expect([result, next?.attempts, next?.repeats]).toEqual([true, 2, false]);
		},
	);

	it('does not begin one that runs in a process that died, unless that repeats and is due', () => {
		expect(steps.begin(inState('running', DUE), attempting(), DEAD).result).toBe(true);
		expect(steps.begin(inState('running', { repeats: true }), attempting(), DEAD).result).toBe(
			false,
		);
		expect(steps.begin(inState('running'), attempting(), DEAD).result).toBe(false);
	});

	it('runs under its session, with its setting of Acknowledge, and forgets the claim, not the replay', () => {
		const before = inState('pending', { before: 'stored', reopenings: 2, reopenedAt: 5, grace: 1 });
		const { next } = steps.begin(before, attempting({ repeats: true }), ALIVE);
		expect(next).toEqual({
			...{ kind: 'running', at: NOW, grace: 0, attempts: 1, repeats: true, reopenings: 2 },
			...{ run: 'my run', holder: MINE.session, reopenedAt: 5 },
		});
	});

	it('that a user asked for is one until it succeeds', () => {
		const running = inState('running', { run: 'my run', repeats: true, reopenedAt: 5 });
		const ending = { run: 'my run', repeats: true, reopenings: 0 };
		const failed = steps.end(running, { ...ending, outcome: 'failed' }, ALIVE).next ?? undefined;
		const later = { ...ALIVE, now: NOW + 60_000 };
		expect(steps.claim(failed, MINE, later).result).toMatchObject({ reopenedAt: 5 });
		const given = { run: 'my run', isRunningOnly: true };
		const left = steps.giveBack(running, given, ALIVE).next ?? undefined;
		expect(steps.claim(left, MINE, ALIVE).result).toMatchObject({ reopenedAt: 5 });
		expect(steps.end(running, { ...ending, outcome: 'succeeded' }, ALIVE).next).toMatchObject({
			...{ kind: 'done', reopenedAt: undefined },
		});
	});

	it('may ask again after a lost response, even if it was taken for dead', () => {
		const { next } = steps.begin(undefined, attempting(), ALIVE);
		expect(steps.begin(next ?? undefined, attempting(), DEAD)).toEqual({ result: true });
		expect(steps.begin(next ?? undefined, attempting({ run: 'another' }), ALIVE)).toEqual({
			result: false,
		});
	});

	it('is only known to have begun where n8n does not report its end', () => {
		const { next } = steps.begin(undefined, attempting({ reportsEnd: false }), ALIVE);
		expect(next).toMatchObject({ kind: 'begun', holder: undefined });
		expect(steps.begin(next ?? undefined, attempting({ reportsEnd: false }), ALIVE).result).toBe(
			true,
		);
	});
});

describe('the end of an attempt', () => {
	type Ending = Parameters<typeof steps.end>[1];
	const ending = (more: Partial<Ending> = {}): Ending => ({
		...{ run: 'their run', outcome: 'succeeded', repeats: false, reopenings: 0 },
		...more,
	});
	const end = (entry: Entry | undefined, more?: Partial<Ending>) =>
		after(steps.end(entry, ending(more), ALIVE));

	it.each([
		['succeeded', 'done'],
		['failed', 'failed'],
		['canceled', 'failed'],
		['asleep', 'asleep'],
		['lost', 'interrupted'],
	] satisfies [steps.Outcome, EntryState][])(
		'that %s: %s, also of one taken for dead',
		(outcome, state) => {
			expect(end(inState('running'), { outcome })).toBe(state);
			expect(end(undefined, { outcome })).toBe(state);
			expect(after(steps.end(inState('running'), ending({ outcome }), DEAD))).toBe(state);
		},
	);

	it.each(STATES)('that succeeded counts whatever the event is: %s', (state) => {
		const another = inState(state, { run: 'another run' });
		expect(end(another)).toBe(state === 'done' ? 'the same' : 'done');
	});

	it.each(['failed', 'canceled', 'asleep', 'lost'] as const)(
		'that is %s counts only for the last attempt, once',
		(outcome) => {
			for (const state of STATES.filter((each) => each !== 'free')) {
				expect(end(inState(state, { run: 'another run' }), { outcome })).toBe('the same');
			}
			for (const state of ['asleep', 'failed', 'done', 'begun'] as const) {
				expect(end(inState(state), { outcome })).toBe('the same');
			}
		},
	);

	it.each(['pending', 'stored', 'overdue'] as const)(
		'that is asleep counts although it was taken for dead and the event is %s: it has not begun again',
		(state) => {
			expect(end(inState(state, { run: 'their run' }), { outcome: 'asleep' })).toBe('asleep');
			expect(end(inState(state, { run: 'their run' }), { outcome: 'failed' })).toBe('the same');
		},
	);

	it('that began before the event was reopened does not settle it', () => {
		const { next } = steps.reopen(inState('done'), 5, ALIVE);
		for (const outcome of ['succeeded', 'failed', 'asleep', 'lost'] as const) {
			expect(end(next ?? undefined, { outcome })).toBe('the same');
		}
		expect(end(next ?? undefined, { reopenings: 1 })).toBe('done');
	});

	it('leaves the time when a lost one began, from which its pause counts', () => {
		const { next } = steps.end(inState('running', DUE), ending({ outcome: 'lost' }), ALIVE);
		expect(next?.at).toBe(DUE.at);
	});
});

describe('giving back', () => {
	const giveBack = (entry: Entry | undefined, isRunningOnly = false) =>
		steps.giveBack(entry, { run: 'their run', isRunningOnly }, ALIVE);

	it.each(['running', 'begun'] as const)('makes what the attempt began overdue: %s', (state) => {
		const entry = inState(state, { attempts: 2 });
		expect(giveBack(entry, true).next).toMatchObject({ kind: 'stored', at: 0, attempts: 1 });
		expect(after(giveBack(entry))).toBe('overdue');
		expect(giveBack(inState(state, { run: 'another run' })).next).toBeUndefined();
	});

	it('makes what is stored overdue, but not the second time', () => {
		expect(after(giveBack(inState('stored')))).toBe('overdue');
		expect(giveBack(inState('stored'), true).next).toBeUndefined();
	});

	it.each(STATES.filter((state) => !['running', 'begun', 'stored', 'overdue'].includes(state)))(
		'leaves what is %s as it is',
		(state) => {
			expect(giveBack(inState(state))).toEqual({ result: state !== 'pending' });
		},
	);

	it('leaves what was claimed by another process since as it is', () => {
		const [own, other] = [1, 2].map((claim) => inState('pending', { holder: 'session', claim }));
		const given = { run: 'their run', isRunningOnly: false, claim: steps.claimOf(own) };
		expect(steps.giveBack(own, given, ALIVE)).toEqual({ result: false });
		expect(steps.giveBack(other, given, ALIVE)).toEqual({ result: true });
		const [stored, others] = [own, other].map(
			(entry) => entry && { ...entry, kind: 'stored' as const },
		);
		expect(steps.giveBack(stored, given, ALIVE).next).toMatchObject({ at: 0 });
		expect(steps.giveBack(others, given, ALIVE)).toEqual({ result: true });
	});

	it('is over if the event was handed over by a process that is dead', () => {
		const given = { run: 'their run', isRunningOnly: false };
		expect(steps.giveBack(inState('pending'), given, DEAD).result).toBe(true);
	});
});

describe('a replay', () => {
	it.each(STATES)('of an event that is %s', (state) => {
		const entry = inState(state, { reopenings: 2, attempts: 4, repeats: true });
		const { next } = steps.reopen(entry, 5, ALIVE);
		const isHeld = state === 'pending' || state === 'running';
		const forgotten = { attempts: 0, repeats: false, reopenedAt: 5, at: 0, grace: FIRST_GRACE_MS };
		const reopenings = state === 'free' ? 1 : 3;
		expect(next).toEqual(isHeld ? undefined : { kind: 'stored', ...forgotten, reopenings });
		if (isHeld) expect(steps.reopen(entry, 5, DEAD).next).toMatchObject(forgotten);
	});
});
