import { parse } from '../../../../lib/vendor/zod';
import { bounded } from '../../../../nodes/AssetService/shared/parameters';

it.each([
	[5, 5],
	['5', 5],
	[0, 1],
	[1000, 100],
	['', 50],
	['many', 50],
	[null, 50],
	[undefined, 50],
])('takes %j for %d, between 1 and 100 with 50 as default', (value, expected) => {
	expect(parse(bounded(50, 1, 100), value)).toBe(expected);
});
