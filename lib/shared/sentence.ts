/** Makes a sentence from a text that completes a log line. */

/** The text with a capital first letter and a final period; an empty text stays empty. */
export function sentence(text: string): string {
	if (text === '') return text;
	return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;
}
