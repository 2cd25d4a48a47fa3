/** The base of all errors that people see. */

interface Details {
	/** What to do now. */
	readonly hint?: string | undefined;
	/** A code to search for, such as that of Node or of the service. */
	readonly code?: string | undefined;
	readonly cause?: unknown;
}

/** The message says what happened and where, the hint what to do. Neither contains a secret or a payload. */
export class PackageError extends Error {
	readonly hint: string;
	readonly code?: string | undefined;

	constructor(message: string, { hint = '', code, cause }: Details = {}) {
		super(message, cause === undefined ? undefined : { cause });
		this.hint = hint;
		this.code = code;
	}
}
