/** How many of a sorted list come before something, in few steps. */
import { countBefore } from '../../../lib/shared/sorted';

it.each([
	[[], 5, 0],
	[[5], 5, 0],
	[[1, 2, 2, 7], 2, 1],
	[[1, 2, 2, 7], 3, 3],
	[[1, 2, 2, 7], 9, 4],
])('of %j, %d comes after so many: %d', (list, one, expected) => {
	expect(countBefore(list.length, (n) => (list[n] ?? 0) < one)).toBe(expected);
});

it('looks at few of them', () => {
	let looks = 0;
	expect(countBefore(1_000_000, (n) => (looks++, n < 123_456))).toBe(123_456);
	expect(looks).toBeLessThan(25);
});
