/** Reads the body of a response up to a limit, and decodes it to text. */
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { codeOf } from '../../shared/thrown';
import { MAX_BODY_BYTES } from '../common/defaults';
import { TransportError } from '../common/errors';
import { checkJsonBounds } from './jsonBounds';

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
