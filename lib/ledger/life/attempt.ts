/** The name of an attempt that begins events. The ledger stores it, so it also shows which execution began, and when. */
import { randomBytes } from 'node:crypto';

export interface Attempt {
	readonly executionId: string;
	/** Unix milliseconds, on the clock of the process that began. */
	readonly begunAt: number;
}

/** Names one start of an execution: n8n may start the execution with this ID again. 64 random bits keep the entry small. */
export function newAttempt(executionId: string, now = Date.now()): string {
	return `${executionId}:${now.toString(36)}:${randomBytes(8).toString('base64url')}`;
}

/** Undefined for a name in another form. */
export function attemptOf(run: string): Attempt | undefined {
	const [executionId = '', time = '', random] = run.split(':');
	const begunAt = Number.parseInt(time, 36);
	const isAttempt = executionId !== '' && random !== undefined && Number.isSafeInteger(begunAt);
	return isAttempt ? { executionId, begunAt } : undefined;
}
