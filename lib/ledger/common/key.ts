/** The key of an event in the ledger: a fixed size for any length of ID. */
import { createHash } from 'node:crypto';

const KEY_FORM = /^[A-Za-z0-9_-]{43}$/;

/**
 * The key of an event within a scope (the workflow ID): SHA-256 as 43 characters of base64url.
 * Each part is preceded by its length, so that no two pairs give the same input.
 */
export function ledgerKey(scope: string, eventId: string): string {
	const hash = createHash('sha256');
	for (const part of [scope, eventId]) {
		const bytes = Buffer.from(part, 'utf16le');
		hash.update(`${bytes.length}:`).update(bytes);
	}
	return hash.digest('base64url');
}

/** Throws for a key that `ledgerKey` did not make, before it reaches a store. */
export function checkKey(key: string): void {
	if (!KEY_FORM.test(key)) throw new TypeError('A ledger key comes from ledgerKey()');
}
