import { budgetOf } from '../../../../n8n/polling/runPoll';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const times = (...item: object[]) => ({ item });

it.each([
	['every minute', times({ mode: 'everyMinute' }), MINUTE],
	['every five minutes', times({ mode: 'everyX', unit: 'minutes', value: 5 }), 5 * MINUTE],
	['every two hours', times({ mode: 'everyX', unit: 'hours', value: 2 }), 2 * HOUR],
	['every hour', times({ mode: 'everyHour', minute: 5 }), HOUR],
	['every day', times({ mode: 'everyDay', hour: 3, minute: 5 }), 24 * HOUR],
	['the shorter of two', times({ mode: 'everyHour' }, { mode: 'everyMinute' }), MINUTE],
	['an expression', times({ mode: 'custom', cronExpression: '0 * * * * *' }), MINUTE],
	['a value that is not a number', times({ mode: 'everyX', unit: 'minutes', value: 'x' }), MINUTE],
	['a negative value', times({ mode: 'everyX', unit: 'hours', value: -1 }), MINUTE],
	['no times', times(), MINUTE],
	['anything else', 'every minute', MINUTE],
])('reads for half of the time between polls: %s', (_which, parameter, intervalMs) => {
	expect(budgetOf(parameter, undefined)).toBe(intervalMs / 2);
});

it('reads for half of what n8n allows, if that is less', () => {
	expect(budgetOf(times({ mode: 'everyMinute' }), 45_000)).toBe(22_500);
	expect(budgetOf(times({ mode: 'everyMinute' }), 300_000)).toBe(30_000);
});
