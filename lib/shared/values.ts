/** Converts values of unknown type to the expected one, whatever an import, an expression or a server left in them. */

/** Whether it is an object with fields: not a list, and not null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A trimmed text, a number or boolean as text; empty for everything else. */
export function asText(value: unknown): string {
	return textOf(value)?.trim() ?? '';
}

/** A text unchanged, a number or boolean as text; undefined for everything else. */
export function textOf(value: unknown): string | undefined {
	if (typeof value === 'string') return value;
	return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** Texts from a list, or from one text with commas, as an expression may return it. */
export function asTexts(value: unknown): string[] {
	if (typeof value === 'string') return value.split(',');
	return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

export function asRecord(value: unknown): Record<string, unknown> {
	return isRecord(value) ? value : {};
}

/** The value of an own field of an object or a list; undefined if there is none. */
export function own(value: unknown, name: string): unknown {
	return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
		? (value as Readonly<Record<string, unknown>>)[name]
		: undefined;
}

/** A field of any value, be it inherited or not in its type, as in objects of n8n and in errors of another realm. */
export function fieldOf(value: unknown, name: string): unknown {
	return typeof value === 'object' && value !== null
		? (value as Readonly<Record<string, unknown>>)[name]
		: undefined;
}

/** The value at a dot path of own fields; undefined if there is none. An empty path leads to the value itself. */
export function valueAt(value: unknown, path: string): unknown {
	return path === '' ? value : path.split('.').reduce<unknown>(own, value);
}

/** Only one way to match each text: it is applied to outside text, and two ways would take quadratic time. */
export const NUMERAL = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*$/;
/** In characters. The largest number has 309 digits. */
const LONGEST_NUMERAL = 400;

/** The number of a text in decimal notation; undefined for every other text. */
export function numberIn(text: string): number | undefined {
	const isNumeral = text.length <= LONGEST_NUMERAL && NUMERAL.test(text);
	const number = isNumeral ? Number(text) : NaN;
	return Number.isFinite(number) ? number : undefined;
}

/** A number, or the text of one, as an expression or a service may return it; undefined for everything else. */
export function numberOf(value: unknown): number | undefined {
	if (typeof value === 'string') return numberIn(value);
	return typeof value === 'number' && !Number.isNaN(value) ? value : undefined;
}

/** The same, limited to the nearest bound; `fallback` for everything else. */
export function asNumber(value: unknown, fallback: number, least: number, most: number): number {
	return Math.min(most, Math.max(least, numberOf(value) ?? fallback));
}

/** The text without trailing slashes. Linear time, unlike `/\/+$/`. */
export function withoutSlashes(text: string): string {
	let end = text.length;
	while (text[end - 1] === '/') end--;
	return text.slice(0, end);
}

/** The text parsed as JSON; undefined if it is not JSON. */
export function jsonIn(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** In characters: an ID is sent in URLs, and kept in records of the ledger. */
export const LONGEST_ID = 1_024;

/**
 * An ID as text: the number 7 and the text "7" are the same. Undefined for what is none, and for one that could be confused with
 * another: numbers beyond 2^53, and half surrogate pairs, become the same one when they are written.
 */
export function idOf(value: unknown): string | undefined {
	if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : undefined;
	const isId = typeof value === 'string' && value !== '' && value.length <= LONGEST_ID;
	return isId && value.isWellFormed() ? value : undefined;
}

/** What is wrong with a value that is not an ID. `name`: its field. Contains nothing of the value. */
export function idProblem(value: unknown, name: string): string {
	if (value === undefined || value === null || value === '') return `it has no '${name}'`;
	if (typeof value !== 'string') {
		return `its '${name}' is neither a text nor a whole number up to ${Number.MAX_SAFE_INTEGER}`;
	}
	const isLong = value.length > LONGEST_ID;
	const what = isLong ? `longer than ${LONGEST_ID} characters` : 'not valid Unicode';
	return `its '${name}' is ${what}`;
}
