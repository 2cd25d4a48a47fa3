/** Which events a trigger wants: those of its types that meet its conditions. */
import type { Conditions } from './conditions';
import type { EventTypeFilter } from './eventTypes';
import type { ParsedEvent } from './parseEvent';

export interface Wanted {
	readonly isWantedType: EventTypeFilter;
	readonly conditions: Conditions;
}

/** Whether the event starts the workflow. `Survey` says why not. */
export function isWanted({ type, record }: ParsedEvent, wanted: Wanted): boolean {
	return wanted.isWantedType(type) && wanted.conditions.unmet(record) === undefined;
}
