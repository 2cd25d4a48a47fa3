/** Reads the JSON of a response. */
import type { TransportResponse } from '../common/types';

/** An id with so many digits may be no safe integer; looked for in the text, so that other bodies cost no more. */
const LONG_ID = /(?:I[dD]|[_"]id)"\s*:\s*-?\d{16}/;
const ID_NAME = /(?:^|_)id$|I[dD]$/;
const BYTE_ORDER_MARK = '\ufeff';

/** As TypeScript does not know it yet: Node gives the digits of a number since version 21. */
const parseWith = JSON.parse as (
	text: string,
	reviver?: (name: string, value: unknown, context?: { source?: string }) => unknown,
) => unknown;

/** The body as JSON; undefined when it is empty or not JSON. An id beyond the safe integers becomes text, digit by digit. */
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
