/** The only error of the ledger, and how the causes are read. */
import { PackageError } from '../../shared/errors';
import { printable } from '../../shared/text';

/**
 * The store cannot be reached, opened or written, so it is unknown whether the event was seen.
 * The message is for operators: it names the path, address or variable and what to do, never a credential.
 */
export class LedgerUnavailableError extends PackageError {
	override readonly name = 'LedgerUnavailableError';

	/** The message becomes one line of at most 1,000 characters, whatever path, address or code it contains. */
	constructor(message: string, { cause }: ErrorOptions = {}) {
		super(printable(message, 1000), { cause });
	}
}

/** A field of any thrown value. `instanceof` would miss errors that Node throws outside the realm of a test or a sandbox. */
export function errorField(
	error: unknown,
	name: 'code' | 'errcode' | 'message' | 'name' | 'lastNodeError',
): unknown {
	return typeof error === 'object' && error !== null
		? (error as Readonly<Record<string, unknown>>)[name]
		: undefined;
}
