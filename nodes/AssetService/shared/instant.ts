/** Reads a time as n8n's date field and expressions give it. */
import { parameterError, type InputItem } from './parameters';

/** The time of a field, in milliseconds since 1970; undefined when it is empty. The error names the field by its label. */
export function timeOf(item: InputItem, label: string, value: unknown): number | undefined {
	if (value === undefined || value === '') return undefined;
	const time = instantOf(value, item.context.getTimezone());
	if (time !== undefined) return time;
	throw parameterError(
		item,
		`${label} is not a date and time.`,
		`Choose one, or have its expression give one such as 2026-01-31T12:00:00Z.`,
	);
}

/**
 * Milliseconds since 1970: of an ISO 8601 text, a date, or what tells its own milliseconds, as the dates of expressions do.
 * A text without an offset is a time of the workflow's own zone. Undefined for everything else.
 */
function instantOf(value: unknown, timeZone: string): number | undefined {
	if (typeof value === 'object' && value !== null) {
		// JSON may have a field of this name.
		const time: unknown = typeof value.valueOf === 'function' ? value.valueOf() : undefined;
		return typeof time === 'number' && !Number.isNaN(time) ? time : undefined;
	}
	if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d/.test(value)) return undefined;
	const hasOffset = /(?:Z|[+-]\d\d:?\d\d)$/i.test(value) && /[T ]/.test(value);
	const time = Date.parse(hasOffset ? value : `${value}${/[T ]/.test(value) ? '' : 'T00:00'}Z`);
	if (Number.isNaN(time)) return undefined;
	if (hasOffset) return time;
	// Twice, for the hours around a change of the clocks.
	const near = time - offsetMs(time, timeZone);
	return time - offsetMs(near, timeZone);
}

/** How far the zone's clocks are ahead of UTC at this time. */
function offsetMs(time: number, timeZone: string): number {
	const shown = new Date(time).toLocaleString('sv-SE', { timeZone });
	return Date.parse(`${shown.replace(' ', 'T')}Z`) - Math.floor(time / 1000) * 1000;
}
