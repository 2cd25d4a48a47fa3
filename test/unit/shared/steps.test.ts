/** Work on long lists in steps gives what it gives in one go. */
import fc from 'fast-check';
import { flatMapped, inOneGo, inTurns, sortedInSteps, type Steps } from '../../../lib/shared/steps';

interface Entry {
	readonly t: number;
	readonly n: number;
}

const byTime = (a: Entry, b: Entry) => a.t - b.t;
const entriesOf = (times: readonly number[]): Entry[] => times.map((t, n) => ({ t, n }));
const times = fc.array(fc.integer({ min: 0, max: 300 }), {
	...{ minLength: 0, maxLength: 2_000, size: 'max' as const },
});

function stepsOf(work: Steps<unknown>): number {
	let steps = 0;
	while (work.next().done !== true) steps += 1;
	return steps;
}

it('sorts as toSorted does: what is equal stays in its order', () => {
	fc.assert(
		fc.property(times, fc.constantFrom('any', 'sorted', 'reversed'), (all, order) => {
			if (order !== 'any') all.sort((a, b) => (order === 'sorted' ? a - b : b - a));
			const entries = entriesOf(all);
			expect(inOneGo(sortedInSteps(entries, byTime))).toEqual(entries.toSorted(byTime));
		}),
		{ numRuns: 60 },
	);
});

it('yields at least once per 200 entries', () => {
	const entries = entriesOf(Array.from({ length: 10_000 }, (_unused, n) => (n * 7919) % 10_000));
	expect(stepsOf(sortedInSteps(entries, byTime))).toBeGreaterThanOrEqual(10_000 / 200);
	expect(stepsOf(flatMapped(entries, (one) => [one, one]))).toBe(10_000 / 200);
});

it('lets other work run in between, and ends when nobody waits any more', async () => {
	const count = 3;
	const busy = function* (): Steps<string> {
		for (let step = 0; step < count; step++) {
			for (const end = performance.now() + 11; performance.now() < end;);
			yield;
		}
		return 'done';
	};
	let turns = 0;
	const turn = () => {
		turns += 1;
		if (turns < count) setImmediate(turn);
	};
	setImmediate(turn);
	expect(await inTurns(busy())).toBe('done');
	expect(turns).toBe(count);
	const cancelled = inTurns(busy(), () => {
		throw new Error('cancelled');
	});
	await expect(cancelled).rejects.toThrow('cancelled');
});
