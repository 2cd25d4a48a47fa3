/** Inspects thrown values, which may come from another realm, where `instanceof Error` fails. */
import { printable } from './printable';

export function isError(thrown: unknown): thrown is Error {
	const kind = Object.prototype.toString.call(thrown);
	return thrown instanceof Error || kind === '[object Error]' || kind === '[object DOMException]';
}

/** The error code of Node, TLS or undici. */
export function codeOf(thrown: unknown): string | undefined {
	const code: unknown = isError(thrown) && 'code' in thrown ? thrown.code : undefined;
	return typeof code === 'string' ? code : undefined;
}

/** The message, on one line and within 500 characters. */
export function messageOf(thrown: unknown): string {
	return printable(isError(thrown) ? thrown.message : String(thrown), 500);
}
