/** Reads the body of a response up to a limit, and decodes it to text. */
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { codeOf } from '../../shared/errors';
import { MAX_BODY_BYTES, MAX_DEPTH, MAX_VALUES } from '../common/defaults';
import { TransportError } from '../common/errors';

/** The encodings that a request asks for. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br';

const DECODERS: Readonly<
	Record<string, (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>>
> = {
	gzip: promisify(gunzip),
	'x-gzip': promisify(gunzip),
	deflate: promisify(inflate),
	br: promisify(brotliDecompress),
};

/**
 * The whole body as text.
 * @throws {TransportError} if it is longer than `maxBytes`, before or after decoding, has an encoding that was not
 * requested, or has more values or levels than JSON may have here.
 */
export async function readBoundedBody(
	chunks: AsyncIterable<Uint8Array>,
	headers: Readonly<Record<string, string>>,
	maxBytes = MAX_BODY_BYTES,
): Promise<string> {
	const parts: Uint8Array[] = [];
	const declared = Number(headers['content-length']);
	let length = 0;
	// Thrown inside the loop, which then closes the connection.
	for await (const chunk of chunks) {
		length += chunk.byteLength;
		if (length > maxBytes || declared > maxBytes) throw tooLongError(maxBytes);
		parts.push(chunk);
	}
	const bytes = await decode(Buffer.concat(parts), headers['content-encoding'], maxBytes);
	checkJsonBounds(bytes);
	return bytes.toString('utf8');
}

async function decode(bytes: Buffer, encoding: string | undefined, maxBytes: number) {
	const name = encoding?.trim().toLowerCase() ?? '';
	if (name === '' || name === 'identity' || bytes.length === 0) return bytes;
	const decoder = DECODERS[name];
	if (!decoder) throw unreadableError();
	try {
		return await decoder(bytes, { maxOutputLength: maxBytes });
	} catch (error) {
		throw codeOf(error) === 'ERR_BUFFER_TOO_LARGE' ? tooLongError(maxBytes) : unreadableError();
	}
}

export function tooLongError(maxBytes: number): TransportError {
	const megabytes = Math.round((maxBytes / 1024 / 1024) * 10) / 10;
	return new TransportError(`the response is larger than ${megabytes} MB`, {
		code: 'RESPONSE_TOO_LARGE',
		retryable: false,
		hint: 'Request fewer records at once: set a limit or filter the list.',
	});
}

function unreadableError(): TransportError {
	return new TransportError('the response has an encoding that cannot be read', {
		code: 'RESPONSE_UNREADABLE',
		retryable: false,
	});
}

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
