/** The base of all errors that people see, and thrown values, which may come from another realm, where `instanceof Error` fails. */
import { printable } from './text';

interface Details {
	/** What to do now. */
	readonly hint?: string | undefined;
	/** A code to search for, such as that of Node or of the service. */
	readonly code?: string | undefined;
	/** Whether trying again cannot help before somebody changes something. */
	readonly isFinal?: boolean;
	readonly cause?: unknown;
}

/** The message says what happened and where, the hint what to do. Neither contains a secret or a payload. */
export class PackageError extends Error {
	readonly hint: string;
	readonly code?: string | undefined;
	readonly isFinal: boolean;

	constructor(message: string, { hint = '', code, isFinal = false, cause }: Details = {}) {
		super(message, cause === undefined ? undefined : { cause });
		this.hint = hint;
		this.code = code;
		this.isFinal = isFinal;
	}
}

export function isError(thrown: unknown): thrown is Error {
	const kind = Object.prototype.toString.call(thrown);
	return thrown instanceof Error || kind === '[object Error]' || kind === '[object DOMException]';
}

/** The error code of Node, TLS or undici. */
export function codeOf(thrown: unknown): string | undefined {
	const code: unknown = isError(thrown) && 'code' in thrown ? thrown.code : undefined;
	return typeof code === 'string' ? code : undefined;
}

/** What to do, if the error says it. */
export function hintOf(thrown: unknown): string | undefined {
	return thrown instanceof PackageError && thrown.hint !== '' ? thrown.hint : undefined;
}

/** The message, then what to do, if the error says it. */
export function explained(thrown: unknown): string {
	const hint = hintOf(thrown);
	return hint === undefined ? messageOf(thrown) : `${messageOf(thrown)}. ${hint}`;
}

/** The message, on one line and within 500 characters. */
export function messageOf(thrown: unknown): string {
	return printable(isError(thrown) ? thrown.message : String(thrown), 500);
}
