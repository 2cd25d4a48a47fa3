/** How long a poll may read the list: half of the time until the next one, and half of what n8n allows. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/shared/durations';
import { array, number, object, optional, safeParse, string, unknown } from '../../lib/vendor/zod';

/** The rest is for the ledger and a request in progress. */
const SHARE = 0.5;

/** n8n's own parameter of every polling trigger. */
const pollTimes = object({
	item: optional(
		array(object({ mode: string(), unit: optional(string()), value: optional(unknown()) })),
	),
});

/** The shortest time between two of these polls, in milliseconds: n8n allows a minute at least. */
export function intervalOf(parameter: unknown): number {
	const { item: times = [] } = safeParse(pollTimes, parameter).data ?? {};
	const each = times.map(({ mode, unit, value }) => {
		if (mode === 'everyHour') return HOUR_MS;
		if (['everyDay', 'everyWeek', 'everyMonth'].includes(mode)) return DAY_MS;
		const count = safeParse(number(), Number(value)).data ?? 1;
		if (mode === 'everyX') return count * (unit === 'hours' ? HOUR_MS : MINUTE_MS);
		// A cron expression may have any interval.
		return MINUTE_MS;
	});
	return Math.max(MINUTE_MS, Math.min(...(each.length > 0 ? each : [MINUTE_MS])));
}

/** In milliseconds. `allowedMs`: what n8n allows; undefined for no limit. */
export function budgetOf(times: unknown, allowedMs: number | undefined): number {
	return SHARE * Math.min(intervalOf(times), allowedMs ?? Infinity);
}
