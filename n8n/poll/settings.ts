/** Reads the poll trigger's parameters, with the bounds that keep a wrong value harmless. */
import { eventTypeFilter, type EventTypeFilter } from '../../lib/receiver/event';
import { asNumber, asTexts } from '../../lib/shared/values';

export const DEFAULT_PAGE_SIZE = 50;
/** The service's own maximum of `limit` (open in the specification, documented for assets). */
export const MAX_PAGE_SIZE = 100;

const DAY_MS = 24 * 60 * 60 * 1000;
/** Longer than the 30 days for which the service lists an event (specification 6.6), so none is met again after it was forgotten. */
export const RETENTION_MS = 35 * DAY_MS;

export interface PollSettings {
	readonly isWanted: EventTypeFilter;
	readonly startFrom: 'now' | 'retained';
	readonly pageSize: number;
}

/** Reads the settings; a value out of bounds is taken to the nearest bound, one of the wrong kind to its default. */
export function readPollSettings(read: (name: string, fallback: unknown) => unknown): PollSettings {
	return {
		isWanted: eventTypeFilter(asTexts(read('eventTypes', []))),
		startFrom: read('startFrom', 'now') === 'retained' ? 'retained' : 'now',
		pageSize: Math.trunc(
			asNumber(read('limit', DEFAULT_PAGE_SIZE), DEFAULT_PAGE_SIZE, 1, MAX_PAGE_SIZE),
		),
	};
}
