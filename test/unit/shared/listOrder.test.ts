import { isOldestFirst } from '../../../lib/shared/listOrder';

it.each([
	['the oldest first', [1, 2, 3, 4, 5, 6], true],
	['the newest first', [6, 5, 4, 3, 2, 1], false],
	['the newest first with one pair out of order', [5, 6, 4, 3, 2, 1], false],
	['the newest first with an event dated ahead at its end', [6, 5, 4, 3, 2, 1, 99], false],
	['the oldest first with an event that appeared late at its end', [1, 2, 3, 4, 5, 6, 0], true],
	['an end by its median', [9, 1, 8, 6, 5, 4, 3, 99, 2], false],
	['the ends, whatever is between', [5, 5, 5, 9, 9, 9, 1, 1, 1], false],
	[
		'a long list by its outermost 50',
		[...Array<number>(30).fill(9), ...Array<number>(120).fill(1), ...Array<number>(50).fill(5)],
		false,
	],
	['two records', [1, 2], true],
	['one record', [1], undefined],
	['one moment', [7, 7, 7], undefined],
	['nothing', [], undefined],
])('finds the order of a list: %s', (_what, times, expected) => {
	expect(isOldestFirst(times)).toBe(expected);
});
