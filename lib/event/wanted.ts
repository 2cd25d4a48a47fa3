/** Which events a trigger wants: those of its types that meet its conditions. */
import type { Conditions } from './conditions';
import type { EventTypeFilter } from './eventTypes';
import type { ParsedEvent } from './parseEvent';

export interface Wanted {
	readonly isWantedType: EventTypeFilter;
	readonly conditions: Conditions;
}

/** Why the event does not start the workflow, in words; undefined when it does. */
export function unwanted(
	{ type, record }: ParsedEvent,
	{ isWantedType, conditions }: Wanted,
): string | undefined {
	if (!isWantedType(type)) return 'its type is not among Event Types';
	const unmet = conditions.unmet(record);
	return unmet === undefined ? undefined : `it does not meet the condition “${unmet}”`;
}
