import { chunksOf } from '../../../lib/shared/pace';

it.each([
	[[], []],
	[[1, 2], [[1, 2]]],
	[
		[1, 2, 3, 4, 5],
		[[1, 2], [3, 4], [5]],
	],
])('cuts %j into pieces of at most two', (all: number[], pieces: number[][]) => {
	expect(chunksOf(all, 2)).toEqual(pieces);
});
