/** In which order events were created, as far as they tell. */
import type { ParsedEvent } from './parseEvent';

/** The time of creation in unix milliseconds; undefined when the event tells none. */
export function createdAt({ record }: Pick<ParsedEvent, 'record'>): number | undefined {
	const value = record['createdAt'];
	const at = typeof value === 'string' ? Date.parse(value) : NaN;
	return Number.isNaN(at) ? undefined : at;
}

/** By time where every event tells it; else in the order that they have. */
export function oldestFirst<E extends Pick<ParsedEvent, 'record'>>(events: readonly E[]): E[] {
	const timed = events.map((event) => ({ event, at: createdAt(event) ?? NaN }));
	if (timed.some(({ at }) => Number.isNaN(at))) return [...events];
	return timed.sort((a, b) => a.at - b.at).map(({ event }) => event);
}
