/** The order in which events were created, if known. */
import { timeOf } from '../shared/time';
import type { ParsedEvent } from './parseEvent';

/** The time of creation in Unix milliseconds; undefined if the event has none. */
export function createdAt({ record }: Pick<ParsedEvent, 'record'>): number | undefined {
	return timeOf(record['createdAt']);
}

/** Sorted by time if every event has one; otherwise in the given order. */
export function oldestFirst<E extends Pick<ParsedEvent, 'record'>>(events: readonly E[]): E[] {
	const timed = events.map((event) => ({ event, at: createdAt(event) ?? NaN }));
	if (timed.some(({ at }) => Number.isNaN(at))) return [...events];
	return timed.sort((a, b) => a.at - b.at).map(({ event }) => event);
}
