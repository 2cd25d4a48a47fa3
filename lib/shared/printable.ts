/** Makes text from outside fit for one line of a log or a message. */

/** Control and format characters (terminal escapes, new lines, changes of direction), line separators, half surrogate pairs. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu;

/** The text on one line, with � for what cannot be seen, and at most `most` characters long. */
export function printable(text: string, most = 200): string {
	const isLong = text.length > most;
	const shown = (isLong ? text.slice(0, most - 1) : text).replace(UNPRINTABLE, '\ufffd');
	return isLong ? `${shown}…` : shown;
}

/** The same for n8n's hints, descriptions and choices, which it shows as HTML. */
export function withoutTags(text: string, most?: number): string {
	return printable(text, most).replaceAll('<', '‹');
}
