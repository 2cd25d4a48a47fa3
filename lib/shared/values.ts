/** Takes values of unknown type for what they are meant to be, whatever an import, an expression or a server left in them. */

/** Whether it is an object with fields: no list, and not null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A text without white space around it, a number or boolean as text; everything else is empty. */
export function asText(value: unknown): string {
	if (typeof value === 'string') return value.trim();
	return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** Texts from a list, or from one text with commas as an expression gives it. */
export function asTexts(value: unknown): string[] {
	const list: unknown[] = typeof value === 'string' ? value.split(',') : asList(value);
	return list.filter((entry) => typeof entry === 'string');
}

export function asRecord(value: unknown): Record<string, unknown> {
	return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** A number taken to the nearest bound; `fallback` for what is no number. */
export function asNumber(value: unknown, fallback: number, least: number, most: number): number {
	if (value === '' || value === null || value === undefined) return fallback;
	const number = Number(value);
	return Number.isNaN(number) ? fallback : Math.min(most, Math.max(least, number));
}

function asList(value: unknown): unknown[] {
	return Array.isArray(value) ? value : [];
}

/** The text without the slashes at its end. In linear time, which `/\/+$/` does not take. */
export function withoutSlashes(text: string): string {
	let end = text.length;
	while (text[end - 1] === '/') end--;
	return text.slice(0, end);
}

/** What the text says as JSON; undefined when it is no JSON. */
export function jsonIn(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
