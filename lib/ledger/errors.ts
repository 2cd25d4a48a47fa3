/** The one way in which the ledger fails, and a look into the errors that come from below. */

/**
 * The store cannot be reached, opened or written, so nobody knows whether the event was seen.
 * The message is for operators: it names the path, address or variable and what to do, never a credential.
 */
export class LedgerUnavailableError extends Error {
	override readonly name = 'LedgerUnavailableError';
}

/** A field of an error of any kind; `instanceof` would miss those that Node makes outside of a test's or sandbox's realm. */
export function errorField(
	error: unknown,
	name: 'code' | 'errcode' | 'message' | 'name' | 'lastNodeError',
): unknown {
	return typeof error === 'object' && error !== null
		? (error as Readonly<Record<string, unknown>>)[name]
		: undefined;
}
