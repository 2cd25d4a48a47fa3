/** Looks at what was thrown, which may come from another realm than this code, where `instanceof Error` does not hold. */

export function isError(thrown: unknown): thrown is Error {
	const kind = Object.prototype.toString.call(thrown);
	return thrown instanceof Error || kind === '[object Error]' || kind === '[object DOMException]';
}

/** The code that Node, TLS and undici give their errors. */
export function codeOf(thrown: unknown): string | undefined {
	const code: unknown = isError(thrown) && 'code' in thrown ? thrown.code : undefined;
	return typeof code === 'string' ? code : undefined;
}
