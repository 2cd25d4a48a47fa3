/** Looks at what was thrown, which may come from another realm than this code, where `instanceof Error` does not hold. */
import { printable } from './printable';

export function isError(thrown: unknown): thrown is Error {
	const kind = Object.prototype.toString.call(thrown);
	return thrown instanceof Error || kind === '[object Error]' || kind === '[object DOMException]';
}

/** The code that Node, TLS and undici give their errors. */
export function codeOf(thrown: unknown): string | undefined {
	const code: unknown = isError(thrown) && 'code' in thrown ? thrown.code : undefined;
	return typeof code === 'string' ? code : undefined;
}

/** What it says, on one line and within 500 characters. */
export function messageOf(thrown: unknown): string {
	return printable(isError(thrown) ? thrown.message : String(thrown), 500);
}
