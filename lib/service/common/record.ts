/** Reads the id and the time of a record. By hand, since a list asks this of every record. */
import { timeOf } from '../../shared/timeOf';
import { own } from '../../shared/values';
import { RECORD_ID } from './defaults';
import type { ApiRecord } from './types';

/** The id as text, if there is one. */
export function idOf(record: unknown): string | undefined {
	return asId(own(record, RECORD_ID));
}

export function asId(id: unknown): string | undefined {
	if (typeof id === 'number') return String(id);
	return typeof id === 'string' && id !== '' ? id : undefined;
}

/** When it came to be, in unix milliseconds: its own `createdAt`, else its first attempt. Undefined when it has neither. */
export function createdAtOf({ createdAt, attempts }: ApiRecord): number | undefined {
	return timeOf(createdAt) ?? (Array.isArray(attempts) ? attemptedAt(attempts[0]) : undefined);
}

/** When an attempt was made, in unix milliseconds. */
export function attemptedAt(attempt: unknown): number | undefined {
	return timeOf(own(attempt, 'timestamp'));
}
