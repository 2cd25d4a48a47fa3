/**
 * Reads single fields of the stored credential and notes in sentences what is wrong with them.
 * Checked by hand: it happens within a delivery, and a wrong field must not hide what is wrong with the next one.
 */

/** Problems found so far. No sentence repeats a value that could be a secret pasted into the wrong field. */
export interface Notes {
	/** Why no delivery can be verified. */
	readonly blocking: string[];
	/** What is likely a mistake, although deliveries can be verified. */
	readonly remarks: string[];
}

/** RFC 9110, section 5.6.2 (token). */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** The chosen value; the first choice when the field was never stored, or holds none of them (noted). */
export function readChoice<const Choice extends string>(
	field: string,
	value: unknown,
	choices: readonly [Choice, ...Choice[]],
	notes: Notes,
): Choice {
	if (value === undefined || value === null) return choices[0];
	const choice = choices.find((known) => known === value);
	if (choice !== undefined) return choice;
	notes.blocking.push(`${field} is none of ${choices.join(', ')}. Choose one of them.`);
	return choices[0];
}

/** The text; the fallback when the field was never stored, or holds no text (noted). */
export function readText(field: string, value: unknown, fallback: string, notes: Notes): string {
	if (value === undefined || value === null) return fallback;
	if (typeof value === 'string') return value;
	notes.blocking.push(`${field} is not a text. Enter it again.`);
	return fallback;
}

/** The name in lower case, as header names are compared. */
export function readHeaderName(
	field: string,
	value: unknown,
	fallback: string,
	notes: Notes,
): string {
	const name = readText(field, value, fallback, notes);
	if (name === '') {
		notes.blocking.push(`${field} is empty. Enter the name of the header, such as ${fallback}.`);
	} else if (!HEADER_NAME.test(name)) {
		notes.blocking.push(
			`${field} is not a header name. Use letters, digits and hyphens, without spaces or a colon.`,
		);
	}
	return name.toLowerCase();
}
