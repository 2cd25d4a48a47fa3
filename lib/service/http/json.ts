/** Parses the JSON of a response. */
import type { TransportResponse } from '../common/types';

/** An ID with this many digits may not be a safe integer. Searched in the text, so that other bodies cost no more. */
const LONG_ID = /(?:I[dD]|[_"]id)"\s*:\s*-?\d{16}/;
const ID_NAME = /(?:^|_)id$|I[dD]$/;
const BYTE_ORDER_MARK = '\ufeff';

/** TypeScript does not know this yet: since version 21, Node passes the digits of a number to the reviver. */
const parseWith = JSON.parse as (
	text: string,
	reviver?: (name: string, value: unknown, context?: { source?: string }) => unknown,
) => unknown;

/** The body as JSON; undefined if it is empty or not JSON. An ID beyond the safe integers becomes text, digit by digit. */
export function jsonOf({ body }: TransportResponse): unknown {
	try {
		const text = body.startsWith(BYTE_ORDER_MARK) ? body.slice(1) : body;
		return parseWith(text, LONG_ID.test(text) ? keepLongId : undefined);
	} catch {
		return undefined;
	}
}

function keepLongId(name: string, value: unknown, context?: { source?: string }): unknown {
	if (typeof value !== 'number' || Number.isSafeInteger(value) || !ID_NAME.test(name)) return value;
	return context?.source ?? value;
}
