import { after } from '../contract/model';
import type { LedgerModel } from './protocol';
import { search } from './search';

/** Three copies of one event at a time, as often as they come, and up to four runs that n8n has stored for it. */
const SIZE = { copies: 3, rows: 4 };

describe('the protocol, in every order of its steps', () => {
	it('never lets two runs go on, never acknowledges what was not stored, and can always start what n8n lost', () => {
		const { fault, states } = search(after, SIZE);
		expect(fault).toBeUndefined();
		// Far fewer would mean that steps are missing.
		expect(states).toBeGreaterThan(5_000);
	}, 60_000);

	it('would let two runs go on if begin only wrote', () => {
		const always: LedgerModel = (entry, step, now) => {
			const next = after(entry, step, now);
			return step.kind === 'begin' ? { ...next, answer: true } : next;
		};
		expect(search(always, SIZE).fault).toEqual({
			steps: [
				'copy 0: claims',
				'copy 0: n8n stores 2',
				'run 0: begins and goes on',
				'run 1: begins and goes on',
			],
			what: 'two runs went on',
		});
	}, 60_000);

	it('would lose an event for good if a stored one were never overdue', () => {
		const never: LedgerModel = (entry, step, now) =>
			step.kind === 'claim' && entry?.state === 'stored'
				? { answer: 'committed', entry }
				: after(entry, step, now);
		expect(search(never, SIZE).fault).toEqual({
			steps: [
				'copy 0: claims',
				'copy 0: n8n stores 1',
				'copy 0: commits, 2xx',
				'run 0: n8n loses it',
			],
			what: 'acknowledged, lost by n8n, and no later copy starts it',
		});
	}, 60_000);

	it('would acknowledge what was never stored if a pending copy were taken for a duplicate', () => {
		const rash: LedgerModel = (entry, step, now) => {
			const next = after(entry, step, now);
			return next.answer === 'pending' ? { ...next, answer: 'committed' } : next;
		};
		expect(search(rash, SIZE).fault).toEqual({
			steps: ['copy 0: claims', 'copy 1: is a duplicate, 2xx'],
			what: 'acknowledged, and never stored',
		});
	}, 60_000);
});
