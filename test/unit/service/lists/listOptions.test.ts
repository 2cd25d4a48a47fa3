import { SERVICE_INTERFACE } from '../../../../lib/service/defaults';
import { type ListOptions, checkListOptions } from '../../../../lib/service/paging';

describe('the options of a list', () => {
	const refusal = (options: ListOptions): unknown => {
		try {
			checkListOptions(options, SERVICE_INTERFACE);
			return undefined;
		} catch (error) {
			return error;
		}
	};

	it('may be any limit from 1 and any other query parameter', () => {
		expect(refusal({ limit: 1, query: { status: '' } })).toBeUndefined();
	});

	it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('refuse the limit %p', (limit) => {
		expect(refusal({ limit })).toMatchObject({
			message: "'Limit' is not a whole number above 0",
			hint: expect.stringContaining('Return All') as string,
		});
	});

	it.each(['limit', 'startingAfter'])('refuse the query parameter %s', (name) => {
		expect(refusal({ query: { [name]: '1' } })).toMatchObject({
			message: `The query parameter '${name}' is reserved for paging`,
			hint: expect.stringContaining(`Remove '${name}' from 'Query Parameters'`) as string,
		});
	});

	it.each(['', ' '])('refuse a query parameter without a name: %j', (name) => {
		expect(refusal({ query: { [name]: '1' } })).toMatchObject({
			message: 'A query parameter has no name',
			hint: expect.stringContaining('Query Parameters') as string,
		});
	});
});
