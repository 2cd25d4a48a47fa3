/** The random text that identifies a claim. */
import { randomBytes } from 'node:crypto';

/** 128 random bits as text. */
export function newToken(): string {
	return randomBytes(16).toString('base64url');
}
