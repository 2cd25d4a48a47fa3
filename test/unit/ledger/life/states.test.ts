import type { Entry } from '../../../../lib/ledger/life/entry';
import {
	dueInMs,
	FIRST_GRACE_MS,
	LONGEST_GRACE_MS,
	MOST_ATTEMPTS,
	stateOf,
} from '../../../../lib/ledger/life/states';
import { ALIVE, DEAD, entryOf, inState, MINUTE_MS, NOW, STATES } from './entries';

it.each(STATES)('an event can be %s', (state) => {
	expect(stateOf(inState(state), ALIVE)).toBe(state);
});

it('an event is stored for 15 minutes, then overdue; and overdue at once if it was given back', () => {
	expect([FIRST_GRACE_MS, LONGEST_GRACE_MS]).toEqual([15 * MINUTE_MS, 240 * MINUTE_MS]);
	const entry = inState('stored');
	const after = (ms: number) => stateOf(entry, { ...ALIVE, now: NOW + ms });
	expect([after(FIRST_GRACE_MS - 1), after(FIRST_GRACE_MS)]).toEqual(['stored', 'overdue']);
	expect(stateOf(inState('stored', { at: 0 }), ALIVE)).toBe('overdue');
	// Stored while the clock was ahead.
	expect([after(1 - FIRST_GRACE_MS), after(-FIRST_GRACE_MS)]).toEqual(['stored', 'overdue']);
});

it.each<[string, Entry | undefined, string]>([
	['a new event that is handed over is free', inState('pending'), 'free'],
	['an overdue one is overdue', inState('pending', { before: 'stored' }), 'overdue'],
	['a failed one is failed', inState('pending', { before: 'failed' }), 'failed'],
	['a canceled one is failed', inState('pending', { before: 'canceled' }), 'failed'],
	['a running one is interrupted', inState('running'), 'interrupted'],
	['a stored one is stored', inState('stored'), 'stored'],
	['one that sleeps is asleep', inState('asleep'), 'asleep'],
	['one that is done is done', inState('done'), 'done'],
])('in a process that died, %s', (_what, entry, state) => {
	expect(stateOf(entry, DEAD)).toBe(state);
});

describe('an event that repeats is due again', () => {
	const minutesOf = (entry: Entry | undefined, moment = ALIVE) =>
		(dueInMs(entry, moment) ?? NaN) / MINUTE_MS;

	it('1, 5, 30, 120 and 360 minutes after its attempts failed', () => {
		const minutes = [0, 1, 2, 3, 4, 5, 6, 50].map((attempts) =>
			minutesOf(inState('failed', { repeats: true, attempts })),
		);
		expect(minutes).toEqual([1, 1, 5, 30, 120, 360, 360, 360]);
		expect(MOST_ATTEMPTS).toBe(6);
	});

	it('at least 5 minutes after it was canceled, since its last node may still run', () => {
		const minutes = [1, 2, 3].map((attempts) =>
			minutesOf(entryOf('canceled', { repeats: true, attempts })),
		);
		expect(minutes).toEqual([5, 5, 30]);
	});

	it('after no longer than that pause, if the clock was ahead by days when it failed', () => {
		const ahead = { repeats: true, attempts: 2, at: NOW + 40 * 1_440 * MINUTE_MS };
		expect(minutesOf(inState('failed', ahead))).toBe(5);
	});

	it('some time after it began, if it was interrupted', () => {
		const begunAt = { repeats: true, at: NOW - MINUTE_MS / 2 };
		expect(minutesOf(inState('interrupted', begunAt))).toBe(0.5);
		expect(minutesOf(inState('running', begunAt), DEAD)).toBe(0.5);
	});

	it('once, when its time is over', () => {
		const entry = inState('failed', { repeats: true, at: NOW - MINUTE_MS });
		expect(minutesOf(entry)).toBe(0);
		expect(
			minutesOf(inState('pending', { ...entry, kind: 'pending', before: 'failed' }), DEAD),
		).toBe(0);
	});

	it.each([
		...STATES.filter((state) => state !== 'failed' && state !== 'interrupted').map((state) => ({
			...{ what: `is ${state}`, entry: inState(state, { repeats: true }) },
		})),
		{ what: 'failed and does not repeat', entry: inState('failed') },
		{ what: 'was interrupted and does not repeat', entry: inState('interrupted') },
	])('but not if it $what', ({ entry }) => {
		expect(dueInMs(entry, ALIVE)).toBeUndefined();
	});
});
