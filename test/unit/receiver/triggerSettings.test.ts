import { notApplied, OTHER_EVENT_TYPES } from '../../../lib/event';
import { readTriggerSettings, TRIGGER_NUMBERS } from '../../../lib/receiver/receive';

const DAY_MS = 86_400_000;
const settingsOf = (parameters: Record<string, unknown>) =>
	readTriggerSettings((name, fallback) => parameters[name] ?? fallback);

describe('readTriggerSettings', () => {
	it('takes the defaults when nothing is set', () => {
		expect(settingsOf({})).toMatchObject({
			toleranceSeconds: 300,
			retentionMs: 35 * DAY_MS,
			includeDelivery: false,
		});
		expect(settingsOf({}).isWantedType('anything')).toBe(true);
	});

	it('takes what is set', () => {
		const settings = settingsOf({
			eventTypes: ['ocpp.*'],
			conditions: { condition: [{ field: 'id', operator: 'equals', value: 'whevt_1' }] },
			options: {
				toleranceSeconds: 10,
				retentionDays: 60,
				includeDelivery: true,
			},
		});
		expect(settings).toMatchObject({
			toleranceSeconds: 10,
			retentionMs: 60 * DAY_MS,
			includeDelivery: true,
		});
		expect(settings.conditions.unmet({ id: 'whevt_2' })).toBe('id equals whevt_1');
		expect(settings.isWantedType('ocpp.message')).toBe(true);
		expect(settings.isWantedType('asset.connectivity')).toBe(false);
	});

	it.each([
		[0, 31],
		[-5, 31],
		[30, 31],
		[366, 365],
		['', 35],
		['abc', 35],
		[NaN, 35],
		[null, 35],
	])('keeps a retention of %p days to %d', (retentionDays, days) => {
		expect(settingsOf({ options: { retentionDays } }).retentionMs).toBe(days * DAY_MS);
	});

	it.each([
		[{ batchSize: 5 }, 1],
		[{ delivery: 'batched' }, 100],
		[{ delivery: 'batched', batchSize: 0 }, 1],
		[{ delivery: 'batched', batchSize: 2.9 }, 2],
		[{ delivery: 'batched', batchSize: 1001 }, 1000],
	])('puts with %j at most %d events into a run', (parameters, size) => {
		expect(settingsOf(parameters).batchSize).toBe(size);
	});

	it.each([
		[{}, 'stored'],
		[{ acknowledge: 'stored' }, 'stored'],
		[{ acknowledge: 'succeeded' }, 'succeeded'],
		[{ acknowledge: true }, 'stored'],
	])('acknowledges with %j what is %s', (parameters, acknowledge) => {
		expect(settingsOf(parameters).acknowledge).toBe(acknowledge);
	});

	it.each([
		[86_400, 86_400],
		[86_401, 86_400],
		[1e300, 86_400],
		[Infinity, 86_400],
	])('keeps a tolerance of %p seconds to %d, and says so', (toleranceSeconds, seconds) => {
		const parameters: Record<string, unknown> = { options: { toleranceSeconds } };
		expect(settingsOf(parameters).toleranceSeconds).toBe(seconds);
		const { tolerance } = TRIGGER_NUMBERS;
		const problems = notApplied((name, fallback) => parameters[name] ?? fallback, { tolerance });
		expect(problems.join()).toMatch(seconds === toleranceSeconds ? /^$/ : /from 0 to 86400/);
	});

	it('takes no tolerance below 0, and nothing but true for a switch', () => {
		const options = { toleranceSeconds: -1, includeDelivery: 'false' };
		expect(settingsOf({ options })).toMatchObject({ toleranceSeconds: 0, includeDelivery: false });
	});

	it('accepts event types as one text with commas', () => {
		const { isWantedType } = settingsOf({ eventTypes: 'a, b' });
		expect(['a', 'b', 'c'].map((type) => isWantedType(type))).toEqual([true, true, false]);
	});

	it.each([
		['a, b*', ['a', 'b', 'bc', 'd']],
		// Nothing, rather than everything.
		['', ['d']],
	])('adds the other event types “%s” to those that are picked', (otherEventTypes, wanted) => {
		const { isWantedType } = settingsOf({ eventTypes: ['d', OTHER_EVENT_TYPES], otherEventTypes });
		expect(['a', 'b', 'bc', 'c', 'd'].filter((type) => isWantedType(type))).toEqual(wanted);
	});
});

describe('notApplied', () => {
	it.each([
		[{}, []],
		[{ batchSize: 1000, options: { retentionDays: '31', toleranceSeconds: 0 } }, []],
		[{ batchSize: 0 }, ["'Batch Size' must be a number from 1 to 1000, but is 0: 1 is used"]],
		[
			{ options: { batchSize: 5000, retentionDays: 1, toleranceSeconds: -1 } },
			[
				"'Batch Size' must be a number from 1 to 1000, but is 5000: 1000 is used",
				"'Tolerance (Seconds)' must be a number from 0 to 86400, but is -1: 0 is used",
				"'Retention (Days)' must be a number from 31 to 365, but is 1: 31 is used",
			],
		],
		[
			{ options: { toleranceSeconds: 'soon' } },
			[`'Tolerance (Seconds)' must be a number from 0 to 86400, but is "soon": 300 is used`],
		],
	])('says of %j: %j', (parameters: Record<string, unknown>, problems) => {
		const read = (name: string, fallback: unknown) => parameters[name] ?? fallback;
		expect(notApplied(read, TRIGGER_NUMBERS)).toEqual(problems);
	});
});
