/** Refuses JSON that would take far more memory than its bytes, or more depth than the stack has, before it is parsed. */
import { MAX_DEPTH, MAX_VALUES } from '../common/defaults';
import { TransportError } from '../common/errors';

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
/** Of brackets and braces, which differ in one bit. */
const OPEN = 0x7b;
const CLOSE = 0x7d;
const EITHER = 0x20;

/**
 * Reads the bytes once, by hand since this runs for every response. Invalid JSON is left to the parser.
 * @throws {TransportError} for more than `MAX_VALUES` values or `MAX_DEPTH` levels.
 */
export function checkJsonBounds(bytes: Uint8Array): void {
	// Each value and each level takes at least two bytes.
	if (bytes.length < 2 * MAX_DEPTH) return;
	let values = 0;
	let depth = 0;
	for (let at = 0; at < bytes.length; at++) {
		const byte = bytes[at] ?? 0;
		if (byte === QUOTE) {
			at++;
			while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
		} else if (byte === COMMA) {
			values++;
		} else if ((byte | EITHER) === OPEN) {
			values++;
			if (++depth > MAX_DEPTH) {
				throw boundError(
					`the response is nested more than ${MAX_DEPTH} levels deep`,
					'RESPONSE_TOO_DEEP',
				);
			}
		} else if ((byte | EITHER) === CLOSE) {
			depth--;
		}
	}
	if (values > MAX_VALUES) {
		const millions = MAX_VALUES / 1_000_000;
		throw boundError(
			`the response contains more than ${millions} million values`,
			'RESPONSE_TOO_LARGE',
		);
	}
}

function boundError(message: string, code: string): TransportError {
	return new TransportError(message, {
		code,
		retryable: false,
		hint: 'Request fewer records at once: set a limit or filter the list. If it keeps happening, report it to the provider of the service.',
	});
}
