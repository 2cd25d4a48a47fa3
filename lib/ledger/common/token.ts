/** Random texts that tell one claim, or one attempt, from every other. */
import { randomBytes } from 'node:crypto';

/** 128 random bits as text. */
export function newToken(): string {
	return randomBytes(16).toString('base64url');
}

/** One start of an execution: n8n may start the execution of this ID again. 64 random bits keep the entry small. */
export function newAttempt(executionId: string): string {
	return `${executionId}:${randomBytes(8).toString('base64url')}`;
}
