/** Reads a header that must occur once, and takes lists in it apart. */
import { isRecord } from '../shared/values';
import type { DeliveryHeaders } from './types';

/**
 * The header's one value without surrounding white space; `undefined` when it is absent;
 * `null` when it is repeated or no text, which no honest sender does.
 */
export function singleHeader(headers: DeliveryHeaders, name: string): string | null | undefined {
	// Own properties only: `constructor` can be the name of a header, too.
	const value: unknown =
		isRecord(headers) && Object.hasOwn(headers, name) ? headers[name] : undefined;
	if (typeof value === 'string') return value.trim();
	if (value === undefined) return undefined;
	if (!Array.isArray(value)) return null;
	const occurrences: readonly unknown[] = value;
	if (occurrences.length === 0) return undefined;
	const [first] = occurrences;
	return occurrences.length === 1 && typeof first === 'string' ? first.trim() : null;
}

/**
 * Visits the entries of a list, white space around them left out. They are given as bounds within the
 * value, for speed: reading a long part of a text in place is cheaper than reading a copy of it.
 */
export function eachEntry(
	value: string,
	separator: ',' | ' ',
	visit: (start: number, end: number) => void,
): void {
	for (let from = 0; from < value.length;) {
		const found = value.indexOf(separator, from);
		const to = found < 0 ? value.length : found;
		let start = from;
		let end = to;
		while (start < end && isWhiteSpace(value, start)) start += 1;
		while (end > start && isWhiteSpace(value, end - 1)) end -= 1;
		if (start < end) visit(start, end);
		from = to + 1;
	}
}

/** Space and tab: all that a header can hold (RFC 9110, section 5.6.3). */
function isWhiteSpace(value: string, index: number): boolean {
	const code = value.charCodeAt(index);
	return code === 0x20 || code === 0x09;
}
