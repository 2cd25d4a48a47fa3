/** Reads a time that the service sends. */

/** From 1973 on; a smaller number is a year or a count. Beyond 12 digits it is no longer seconds. */
const SECONDS = { least: 1e8, below: 1e12 };

/** Unix milliseconds of an ISO 8601 text or of unix seconds (open point: times are not specified); undefined for anything else. */
export function timeOf(value: unknown): number | undefined {
	if (typeof value !== 'string' && typeof value !== 'number') return undefined;
	const isSeconds = typeof value === 'number' || /^\d{9,12}$/.test(value);
	if (!isSeconds) {
		const time = Date.parse(value);
		return Number.isNaN(time) ? undefined : time;
	}
	const seconds = Number(value);
	return seconds >= SECONDS.least && seconds < SECONDS.below ? seconds * 1000 : undefined;
}
