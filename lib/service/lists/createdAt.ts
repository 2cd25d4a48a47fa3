/** Reads the times that events and deliveries tell. */
import { isRecord } from '../../shared/values';
import type { ApiRecord } from '../types';

/** When a record came to be, in unix milliseconds: its own `createdAt`, else its first attempt. Undefined when it tells neither. */
export function createdAtOf({ createdAt, attempts }: ApiRecord): number | undefined {
	return timeOf(createdAt) ?? (Array.isArray(attempts) ? attemptedAt(attempts[0]) : undefined);
}

/** When an attempt was made, in unix milliseconds. */
export function attemptedAt(attempt: unknown): number | undefined {
	return isRecord(attempt) ? timeOf(attempt['timestamp']) : undefined;
}

/** An ISO 8601 text, or unix seconds (open point: times are not specified). */
function timeOf(value: unknown): number | undefined {
	if (typeof value !== 'string' && typeof value !== 'number') return undefined;
	const isSeconds = typeof value === 'number' || /^\d{9,12}$/.test(value);
	const time = isSeconds ? Number(value) * 1000 : Date.parse(value);
	// Beyond what a date can be, it is no time.
	return Number.isNaN(new Date(time).getTime()) ? undefined : time;
}
