/** The format of a stored text: each begins with its number, so that no version of the package misreads or replaces what another one wrote. */
import { jsonIn } from '../../shared/values';
import { safeParse, type Schema } from '../../vendor/zod';
import { LedgerUnavailableError } from './store';

/**
 * A kind of text, and the number of the format in which this version writes it. Raise the number with every change that another
 * version would misread, once a version with the old number was released; until then, the format may change.
 */
export interface Format {
	/** What such a text is, for operators. */
	readonly what: string;
	readonly number: number;
}

/** Another version of the package wrote the text: it is left as it is, so nothing has been claimed or begun in it here. */
export class OtherFormatError extends LedgerUnavailableError {}

/** The content must not begin with a digit. */
export function numbered({ number }: Format, content: string): string {
	return `${number}${content}`;
}

/** The text without its number. Throws `OtherFormatError` if another version of the package wrote it. */
export function contentOf({ what, number }: Format, text: string): string {
	const digits = /^\d*/.exec(text)?.[0] ?? '';
	const found = Number(digits);
	if (found === number) return text.slice(digits.length);
	const [by, advice] =
		found > number
			? [
					'a newer version of this package',
					'update the package in every n8n process that uses this event ledger',
				]
			: [
					'a version that was never released',
					'delete the data of the event ledger, or use another one',
				];
	throw new OtherFormatError(
		`The event ledger is not available. In it, ${what} was written by ${by} (format ${found}, supported here: ${number}): ${advice}.`,
	);
}

/** How records of one kind are written, and read after a check. */
export interface RecordFormat<T> {
	/** Undefined for no text, and for one that cannot be read. Throws like `contentOf`. */
	read(text: string | undefined): T | undefined;
	write(value: T): string;
}

export function recordFormat<T>(format: Format, shape: Schema<T>): RecordFormat<T> {
	return {
		read: (text) =>
			text === undefined ? undefined : safeParse(shape, jsonIn(contentOf(format, text))).data,
		write: (value) => numbered(format, JSON.stringify(value)),
	};
}
