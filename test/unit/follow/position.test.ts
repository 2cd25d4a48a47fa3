/** Stretches of the list that are joined lose nothing of what is still to be read. */
import { MOST_UNREAD, type Stretch, withStretch } from '../../../lib/follow/position';

const MINUTE = 60_000;

const unread = (from: number, to: number, lookTo?: number): Stretch => ({
	...{ after: `r${to}`, by: to * MINUTE, backTo: from * MINUTE, kind: 'unread' },
	lookTo: lookTo === undefined ? undefined : lookTo * MINUTE,
});

it.each([
	['the older one', 5, undefined],
	['the newer one', undefined, 5],
	['both, the one that reaches further', 5, 8],
])('two that touch keep how far is looked behind them: %s', (_of, older, newer) => {
	const both = withStretch([unread(10, 20, older)], unread(15, 30, newer));
	expect(both).toEqual([unread(10, 30, 5)]);
});

it('a look behind them that they contain is not made', () => {
	const both = withStretch([unread(10, 20)], unread(15, 30, 12));
	expect(both).toEqual([unread(10, 30)]);
});

it('of too many, the two oldest are joined with what lies between', () => {
	const all = Array.from({ length: MOST_UNREAD + 1 }, (_unused, n) => unread(n * 10, n * 10 + 5));
	const [oldest, ...others] = all.reduce<Stretch[]>(withStretch, []);
	expect(oldest).toEqual(unread(0, 15));
	expect(others).toEqual(all.slice(2));
});
