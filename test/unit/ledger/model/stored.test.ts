import { after } from '../contract/model';
import { type LedgerModel, search } from './search';
import { storedOnce } from './stored';

/** Three copies of one event at a time, as often as they arrive, and up to three starts of its executions. */
const protocol = storedOnce({ copies: 3, attempts: 3 });

describe('the protocol of an event that must be stored, in every order of its steps', () => {
	it('never lets two runs continue, and every acknowledged event can still be started', () => {
		const { fault, states } = search(protocol, after);
		expect(fault).toBeUndefined();
		// Far fewer would mean that steps are missing.
		expect(states).toBeGreaterThan(5_000);
	}, 60_000);

	it('would let two runs continue if begin only wrote', () => {
		const always: LedgerModel = (entry, step, now) => {
			const next = after(entry, step, now);
			return step.kind === 'begin' ? { ...next, answer: true } : next;
		};
		expect(search(protocol, always).fault).toEqual({
			steps: [
				'copy 0: claims',
				'copy 0: n8n stores',
				'run 0: begins and continues',
				'run 1: begins and continues',
			],
			what: 'two runs continued',
		});
	}, 60_000);

	it('would let two runs continue if all starts of an execution were one attempt', () => {
		const byExecution: LedgerModel = (entry, step, now) =>
			after(entry, 'run' in step ? { ...step, run: 0 } : step, now);
		expect(search(protocol, byExecution).fault).toEqual({
			steps: [
				'copy 0: claims',
				'copy 0: n8n stores',
				'run 0: begins and continues',
				'run 1: begins and continues',
			],
			what: 'two runs continued',
		});
	}, 60_000);

	it('would let two runs continue if any run could give back a begun event', () => {
		const anybody: LedgerModel = (entry, step, now) =>
			step.kind === 'giveBack' && entry?.state === 'begun'
				? after(entry, { ...step, run: entry.run ?? 0 }, now)
				: after(entry, step, now);
		expect(search(protocol, anybody).fault).toMatchObject({ what: 'two runs continued' });
	}, 60_000);

	it('would keep an event from ever running if a begin that failed stayed begun', () => {
		const never: LedgerModel = (entry, step, now) =>
			step.kind === 'giveBack' ? { answer: 'given back', entry } : after(entry, step, now);
		expect(search(protocol, never).fault).toEqual({
			steps: [
				'copy 0: claims',
				'copy 0: n8n stores',
				'run 0: begins, response lost',
				'run 0: gives up',
				'run 0: gives back',
			],
			what: 'given up, and begun all the same',
		});
	}, 60_000);

	it('would lose an event permanently if a stored one were never overdue', () => {
		const never: LedgerModel = (entry, step, now) =>
			step.kind === 'claim' && entry?.state === 'stored'
				? { answer: 'committed', entry }
				: after(entry, step, now);
		expect(search(protocol, never).fault).toEqual({
			steps: ['copy 0: claims', 'copy 0: n8n stores', 'copy 0: commits, 2xx'],
			what: 'acknowledged, and no later copy could start it',
		});
	}, 60_000);

	it('would acknowledge an event that was never stored if a pending copy counted as a duplicate', () => {
		const rash: LedgerModel = (entry, step, now) => {
			const next = after(entry, step, now);
			return next.answer === 'pending' ? { ...next, answer: 'committed' } : next;
		};
		expect(search(protocol, rash).fault).toEqual({
			steps: ['copy 0: claims', 'copy 1: is a duplicate, 2xx'],
			what: 'acknowledged, and never stored',
		});
	}, 60_000);
});
