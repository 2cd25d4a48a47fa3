/** Reads a time that the service sends. */
import { numberOf } from './values';

/** From 1973 on; a smaller number is a year or a count. From 13 digits on it is not seconds. */
const SECONDS = { least: 1e8, below: 1e12 };

/** Unix milliseconds of Unix seconds or of a text with a date (open point: times are not specified); otherwise undefined. */
export function timeOf(value: unknown): number | undefined {
	const seconds = numberOf(value);
	if (seconds !== undefined) {
		return seconds >= SECONDS.least && seconds < SECONDS.below ? seconds * 1000 : undefined;
	}
	const time = typeof value === 'string' ? Date.parse(value) : NaN;
	return Number.isNaN(time) ? undefined : time;
}
