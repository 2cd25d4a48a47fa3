/** Makes a sentence of a text that completes a line of the log. */

/** The text with a capital first letter and a period at its end; an empty text stays empty. */
export function sentence(text: string): string {
	if (text === '') return text;
	return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;
}
