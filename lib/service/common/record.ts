/** Reads the ID and the time of a record. By hand, since a list does this for every record. */
import { timeOf } from '../../shared/time';
import { own } from '../../shared/values';
import { RECORD_ID } from './defaults';
import type { ApiRecord } from './types';

/** The ID as text, if there is one. */
export function idOf(record: unknown): string | undefined {
	return asId(own(record, RECORD_ID));
}

export function asId(id: unknown): string | undefined {
	if (typeof id === 'number') return String(id);
	return typeof id === 'string' && id !== '' ? id : undefined;
}

/** The time of creation in Unix milliseconds: its own `createdAt`, otherwise its first attempt. Undefined if it has neither. */
export function createdAtOf({ createdAt, attempts }: ApiRecord): number | undefined {
	return timeOf(createdAt) ?? (Array.isArray(attempts) ? attemptedAt(attempts[0]) : undefined);
}

/** The time of an attempt, in Unix milliseconds. */
export function attemptedAt(attempt: unknown): number | undefined {
	return timeOf(own(attempt, 'timestamp'));
}
