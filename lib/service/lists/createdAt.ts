/** Reads the times that events and deliveries tell. */
import { timeOf } from '../../shared/timeOf';
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
