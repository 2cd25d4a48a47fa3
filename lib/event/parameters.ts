/**
 * The parameters that both triggers have: which events they want, and how many of them an execution gets.
 * Read by hand and not by a schema, because this runs for every delivery, even a forged one.
 */
import { asNumber, asTexts } from '../shared/values';
import { readConditions } from './conditions';
import { eventTypeFilter } from './eventTypes';
import type { Wanted } from './wanted';

export type ReadParameter = (name: string, fallback: unknown) => unknown;

/** The default number of events per execution with batched delivery. */
export const DEFAULT_BATCH_SIZE = 100;
export const MAX_BATCH_SIZE = 1000;
/** An execution holds at most this much, unless a single event is larger. */
export const MAX_BATCH_BYTES = 4 * 1024 * 1024;

/** The patterns of both fields for event types. */
export function readEventTypes(read: ReadParameter): string[] {
	return [...asTexts(read('eventTypes', [])), ...asTexts(read('otherEventTypes', ''))];
}

/** By the parameters `eventTypes`, `otherEventTypes` and `conditions`. */
export function readWanted(read: ReadParameter): Wanted {
	return {
		isWantedType: eventTypeFilter(readEventTypes(read)),
		conditions: readConditions(read('conditions', {})),
	};
}

/** By the parameter `acknowledge`: whether an event counts once an execution is stored, or once one has succeeded. */
export function readAcknowledge(read: ReadParameter): 'stored' | 'succeeded' {
	return read('acknowledge', 'stored') === 'succeeded' ? 'succeeded' : 'stored';
}

/** By the parameters `delivery` and `batchSize`; 1 if each event starts its own execution. */
export function readBatchSize(read: ReadParameter): number {
	if (read('delivery', 'immediate') !== 'batched') return 1;
	const size = asNumber(
		read('batchSize', DEFAULT_BATCH_SIZE),
		DEFAULT_BATCH_SIZE,
		1,
		MAX_BATCH_SIZE,
	);
	return Math.trunc(size);
}
