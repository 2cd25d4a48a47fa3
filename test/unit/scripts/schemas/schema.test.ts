import { schemaOf } from '../../../../scripts/schemas/schema';

it('has the fields of all values, and the kind of those that are not null', () => {
	expect(
		schemaOf([
			{ id: 'a', count: 1, share: 1, at: null },
			{ id: 'b', share: 0.5, at: 'noon', tags: [] },
			{ tags: [{ on: true }], nothing: null },
		]),
	).toEqual({
		type: 'object',
		properties: {
			id: { type: 'string' },
			count: { type: 'integer' },
			share: { type: 'number' },
			at: { type: 'string' },
			tags: {
				type: 'array',
				items: { type: 'object', properties: { on: { type: 'boolean' } } },
			},
			nothing: { type: 'null' },
		},
	});
});

it('refuses values of several kinds', () => {
	expect(() => schemaOf(['a', 1])).toThrow('string, integer');
});
