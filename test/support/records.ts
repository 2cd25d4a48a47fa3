/** Texts of the ledger's records, as tests write and read them past the code that does it in the package. */

export const recordText = (value: unknown, format = 1): string =>
	`${format}${JSON.stringify(value)}`;

/** What a record holds, without the number of its format; no field for no record. */
export const recordIn = (text: string | undefined): unknown =>
	JSON.parse((text ?? '1{}').replace(/^\d+/, ''));
