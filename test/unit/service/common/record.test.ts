import { createdAtOf } from '../../../../lib/service';

const MOMENT = Date.UTC(2026, 0, 1);

describe('the time of a record', () => {
	it.each([
		['ISO 8601', '2026-01-01T00:00:00Z'],
		['unix seconds', MOMENT / 1000],
		['unix seconds as text', String(MOMENT / 1000)],
		['unix seconds as text with a fraction', ` ${MOMENT / 1000}.000`],
	])('is read from %s', (_name, createdAt) => {
		expect(createdAtOf({ createdAt })).toBe(MOMENT);
		expect(createdAtOf({ attempts: [{ timestamp: createdAt }] })).toBe(MOMENT);
	});

	const deep: unknown = JSON.parse('['.repeat(50_000) + ']'.repeat(50_000));
	it.each([
		['an object', {}],
		['an object whose fields look like methods', { toString: 1, valueOf: 2, toJSON: 3 }],
		['a list', [MOMENT / 1000]],
		['a list within lists', deep],
		['a boolean', true],
		['null', null],
		['a number that no date can be', 1e300],
		['a text that is no date', 'yesterday'],
		['a year as a number', 2026],
		['a year as text', '2026'],
		['unix milliseconds', MOMENT],
		['unix milliseconds as text', String(MOMENT)],
	])('is not known from %s', (_name, createdAt) => {
		expect(createdAtOf({ createdAt })).toBeUndefined();
		expect(createdAtOf({ createdAt, attempts: [{ timestamp: createdAt }] })).toBeUndefined();
	});

	it('is that of the first attempt where the record has none', () => {
		const attempts = [{ timestamp: '2026-01-01T00:00:00Z' }, { timestamp: '2026-01-02T00:00:00Z' }];
		expect(createdAtOf({ createdAt: {}, attempts })).toBe(MOMENT);
		expect(createdAtOf({ attempts: { length: 1 } })).toBeUndefined();
	});
});
