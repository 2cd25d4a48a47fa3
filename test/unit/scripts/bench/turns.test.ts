/** How the benches compare. */
import { inTurns, ratioTo } from '../../../../scripts/bench/turns';

it('keeps what each gave in each turn, and goes backwards every other turn', async () => {
	let asked = '';
	const rows = await inTurns(['a', 'b', 'c'], 3, (one) => Promise.resolve((asked += one)));
	expect(rows).toEqual([
		{ one: 'a', values: ['a', 'abccba', 'abccbaa'] },
		{ one: 'b', values: ['ab', 'abccb', 'abccbaab'] },
		{ one: 'c', values: ['abc', 'abcc', 'abccbaabc'] },
	]);
});

it('compares within a turn, so that a slower turn changes no ratio', () => {
	expect(ratioTo([100, 10, 200, 400, 30], [40, 5, 100, 240, 15])).toBe(0.5);
});
