import { createdAt, oldestFirst } from '../../../lib/event';

const eventAt = (time: unknown) => ({ record: { createdAt: time } });

describe('the time of an event', () => {
	it('is read as unix milliseconds', () => {
		expect(createdAt(eventAt('1970-01-01T00:00:00Z'))).toBe(0);
		expect(createdAt(eventAt(1_800_000_000))).toBe(1_800_000_000_000);
		expect(createdAt(eventAt('yesterday'))).toBeUndefined();
	});
});

describe('the order of events', () => {
	const [first, second, third] = [
		eventAt('2026-01-01'),
		eventAt('2026-01-02'),
		eventAt('2026-01-03'),
	];

	it('is by time, and that of arrival where two have the same', () => {
		const twin = { ...second };
		expect(oldestFirst([third, second, twin, first])).toEqual([first, second, twin, third]);
		expect(oldestFirst([third, second, twin, first])[1]).toBe(second);
	});

	it('is the order of arrival if one has no time, and the given list is not changed', () => {
		const given = [third, first, eventAt('unknown')];
		const ordered = oldestFirst(given);
		expect(ordered).toEqual(given);
		expect(ordered).not.toBe(given);
	});
});
