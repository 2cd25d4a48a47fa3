import fc from 'fast-check';
import { eventTypeFilter } from '../../../lib/event';

describe('eventTypeFilter', () => {
	it('wants everything without a pattern, also events without a type', () => {
		for (const patterns of [[], [''], ['  ']]) {
			expect(eventTypeFilter(patterns)('ocpp.message')).toBe(true);
			expect(eventTypeFilter(patterns)(undefined)).toBe(true);
		}
	});

	it.each([
		['ocpp.message', 'ocpp.message', true],
		['ocpp.message', 'ocpp.messages', false],
		['ocpp.message', 'OCPP.message', false],
		['ocpp.*', 'ocpp.message', true],
		['ocpp.*', 'ocpp.', true],
		['ocpp.*', 'ocppXmessage', false],
		['*', '', true],
	])('%s and the type %s: %s', (pattern, type, wanted) => {
		expect(eventTypeFilter([pattern])(type)).toBe(wanted);
	});

	it('does not want an event without a type when there is a pattern', () => {
		expect(eventTypeFilter(['*'])(undefined)).toBe(false);
	});

	it('wants types that match any of several patterns', () => {
		const wanted = eventTypeFilter(['a', 'b.*']);
		expect(['a', 'b.c', 'c'].map((type) => wanted(type))).toEqual([true, true, false]);
	});

	it('agrees with a regular expression on generated patterns', () => {
		const texts = fc.string({
			unit: fc.constantFrom('a', 'b', '.', '*'),
			minLength: 1,
			maxLength: 8,
		});
		const types = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 8 });
		fc.assert(
			fc.property(texts, types, (pattern, type) => {
				const expression = new RegExp(`^${pattern.replace(/\./g, '\\.').replace(/\*/g, '.*')}$`);
				expect(eventTypeFilter([pattern])(type)).toBe(expression.test(type));
			}),
			{ numRuns: 2000 },
		);
	});
});
