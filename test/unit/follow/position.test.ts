/** Stretches of the list that are joined lose nothing of what is still to be read. */
import {
	isUnread,
	MOST_UNREAD,
	positionAt,
	type Stretch,
	withStretch,
} from '../../../lib/follow/position';

const MINUTE = 60_000;

const unread = (from: number, to: number, lookTo?: number): Stretch => ({
	...{ after: `r${to}`, by: to * MINUTE, backTo: from * MINUTE, kind: 'unread' },
	lookTo: lookTo === undefined ? undefined : lookTo * MINUTE,
});

/** In a list that begins with the oldest event. */
const OLDEST: Stretch = { ...unread(11, 11), upTo: 30 * MINUTE };

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

describe('of those that begin with events of the same time, the times do not say which is first in the list', () => {
	const at = (after: string, from: number): Stretch => ({ ...unread(from, 20), after });

	it.each([
		['the longer one first', [at('a', 10), at('b', 20)]],
		['the longer one last', [at('b', 20), at('a', 10)]],
		['each twice', [at('b', 20), at('a', 10), at('a', 10), at('b', 20)]],
		['one of them again', [at('b', 20), at('a', 10), at('b', 20)]],
	])('each is read from its place: %s', (_order, stretches) => {
		const all = stretches.reduce<Stretch[]>(withStretch, []);
		expect(all).toEqual([at('a', 10), at('b', 20)]);
	});

	it('in a list that begins with the oldest event, too', () => {
		const from = (after: string, to: number): Stretch => ({ ...OLDEST, after, upTo: to * MINUTE });
		const all = [from('b', 11), from('a', 30), from('b', 11)].reduce<Stretch[]>(withStretch, []);
		expect(all).toHaveLength(2);
		expect(all.map(({ after }) => after).sort()).toEqual(['a', 'b']);
		expect(Math.max(...all.map(({ upTo = 0 }) => upTo))).toBe(30 * MINUTE);
	});

	it('a newer one that contains them begins before both', () => {
		const all = [at('b', 20), at('a', 10), unread(15, 30)].reduce<Stretch[]>(withStretch, []);
		expect(all).toEqual([unread(10, 30)]);
	});
});

describe('what is unread', () => {
	const isUnreadIn = (minute: number, ...stretches: Stretch[]) => {
		const event = { id: `r${minute}`, at: minute * MINUTE };
		return isUnread({ ...positionAt(0), stretches }, event);
	};
	const late: Stretch = { ...unread(10, 20), lateTo: 12 * MINUTE };

	it.each([
		['nothing before it', unread(10, 20), 9, false],
		['its oldest event', unread(10, 20), 10, true],
		['not what was read before and is read again for late events', late, 12, false],
		['what is newer than that', late, 13, true],
		['not the record that it follows', unread(10, 20), 20, false],
		['another one of the same time', { ...unread(10, 20), after: 'other' }, 20, true],
		['nothing after it', unread(10, 20), 21, false],
		['in a list that begins with the oldest event, all up to its end', OLDEST, 30, true],
		['nothing of a look back', { ...unread(10, 20), kind: 'look' } as const, 15, false],
	])('%s', (_what, stretch, minute, expected) => {
		expect(isUnreadIn(minute, stretch)).toBe(expected);
	});

	it.each([
		['that the newer one begins with', late, { ...unread(15, 30), lateTo: 18 * MINUTE }, 12],
		['where the newer one has unread events', late, unread(11, 30), 10],
		['where the newer one has them, the oldest first', { ...late, upTo: 20 * MINUTE }, OLDEST, 10],
	])('of two that are joined: not what was read before, but all %s', (_what, older, newer, to) => {
		const both = withStretch([older], newer);
		expect(both).toHaveLength(1);
		const minutes = Array.from({ length: 15 }, (_unused, n) => n);
		expect(minutes.filter((minute) => isUnreadIn(minute, ...both))).toEqual(
			minutes.filter((minute) => minute > to),
		);
	});
});
