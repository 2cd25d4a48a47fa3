/** Reads the fields for event types: the selected types, and those entered as text. */
import { OTHER_EVENT_TYPES } from '../../../lib/event';
import { array, pipe, safeParse, transform, union, unknown } from '../../../lib/vendor/zod';
import { parameter, parameterError, plainText, type InputItem, wrongKindError } from './parameters';

/** A list of texts, or one text with commas, as a user enters it or an expression returns it. */
export const eventTypes = union([
	array(plainText),
	pipe(
		plainText,
		transform((list: string) => list.split(',').map((type) => type.trim())),
	),
]);

/** The types of both fields, without duplicates and empty ones. `name` is that of the list. */
export function eventTypesOf(item: InputItem, name: 'eventTypes' | 'events'): string[] {
	return allTypes(
		item,
		read(item, name, 'Event Types'),
		read(item, 'otherEventTypes', 'Other Event Types'),
	);
}

export function allTypes(
	item: InputItem,
	picked: readonly string[],
	entered: readonly string[],
): string[] {
	const others = entered.filter((type) => type !== '');
	if (picked.includes(OTHER_EVENT_TYPES) && others.length === 0) {
		throw parameterError(
			item,
			"'Other Event Types' is empty",
			"Enter event types there, separated by commas, or remove 'Other (Enter Types)' from 'Event Types'.",
		);
	}
	return [...new Set([...picked, ...others])].filter(
		(type) => type !== '' && type !== OTHER_EVENT_TYPES,
	);
}

function read(item: InputItem, name: string, label: string): string[] {
	const given = parameter(item, name, unknown());
	const parsed = safeParse(eventTypes, given);
	if (parsed.success) return parsed.data;
	throw wrongKindError(item, label, given);
}
