/** Texts for people: outside text made safe for one line, sentences, and numbers with their nouns. */

/** Control and format characters (terminal escapes, line breaks, direction changes), line separators, half surrogate pairs. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu;

/** The text on one line, with � in place of invisible characters, and at most `most` characters long. */
export function printable(text: string, most = 200): string {
	const isLong = text.length > most;
	const shown = (isLong ? text.slice(0, most - 1) : text).replace(UNPRINTABLE, '\ufffd');
	return isLong ? `${shown}…` : shown;
}

/** The same for n8n's hints, descriptions and choices, which it shows as HTML. */
export function withoutTags(text: string, most?: number): string {
	return printable(text, most).replaceAll('<', '‹');
}

export function counted(count: number, noun: string): string {
	return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

const MOST_NAMED = 3;

/** The first of a list, for example `a, b, c and 4 more`. */
export function someOf(texts: readonly string[]): string {
	const more = texts.length > MOST_NAMED ? ` and ${texts.length - MOST_NAMED} more` : '';
	return `${texts.slice(0, MOST_NAMED).join(', ')}${more}`;
}

/** The text with a capital first letter and a final period; an empty text stays empty. */
export function sentence(text: string): string {
	if (text === '') return text;
	return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;
}

/** The text as it appears in a regular expression that matches it. */
export function escapedForPattern(text: string): string {
	return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
