/** Times from n8n's date fields and from expressions. */
import type { INodeProperties } from 'n8n-workflow';
import { DAY_MS, timeOf, inZone } from '../../../lib/shared/time';
import { unknown } from '../../../lib/vendor/zod';
import { parameter, parameterError, type InputItem } from './parameters';

/** How far back an operation reads. */
export function createdAfterField(
	words: Pick<INodeProperties, 'description' | 'hint'>,
): INodeProperties {
	return {
		displayName: 'Created After',
		name: 'createdAfter',
		type: 'dateTime',
		default: '',
		...words,
	};
}

/** The time in Unix milliseconds; `days` before `now` if the field is empty. */
export function createdAfterOf(item: InputItem, days: number, now: number): number {
	const given = timeOfField(item, 'Created After', parameter(item, 'createdAfter', unknown()));
	return given ?? now - days * DAY_MS;
}

/** The time of a field, in Unix milliseconds; undefined if it is empty. The error names the field by its label. */
export function timeOfField(item: InputItem, label: string, value: unknown): number | undefined {
	if (value === undefined || value === '') return undefined;
	const time = instantOf(value, item.context.getTimezone());
	if (time !== undefined) return time;
	throw parameterError(
		item,
		`'${label}' is not a date and time`,
		'Select one, or use an expression that returns one, such as 2026-01-31T12:00:00Z.',
	);
}

/**
 * Converts an ISO 8601 text, a date, or an object whose value is milliseconds, such as the dates of expressions, to
 * Unix milliseconds. A text without an offset is in the time zone of the workflow. Undefined for everything else.
 */
function instantOf(value: unknown, timeZone: string): number | undefined {
	if (typeof value === 'object' && value !== null) {
		// JSON may have a field with this name.
		const time: unknown = typeof value.valueOf === 'function' ? value.valueOf() : undefined;
		return typeof time === 'number' && !Number.isNaN(time) ? time : undefined;
	}
	if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d/.test(value)) return undefined;
	const time = timeOf(value);
	if (time === undefined || /[T ].*(?:Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)\s*$/i.test(value)) return time;
	return inZone(time, timeZone);
}
