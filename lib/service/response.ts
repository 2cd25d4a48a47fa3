/**
 * What a response may be and what it says: the bounds of its body, its JSON, and its reason for an error message, short, on one
 * line and without secrets.
 */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { codeOf } from '../shared/errors';
import { brokenBoundOf, brokenRecords, scalarIn } from '../shared/json';
import { escapedForPattern } from '../shared/text';
import { isRecord, own } from '../shared/values';
import { FIELDS, LIMITS, SERVICE_INTERFACE } from './defaults';
import type { ApiRecord } from './lists';
import { TransportError, type TransportResponse } from './transport';

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
 * @throws {TransportError} if it is longer than `maxBytes`, before or after decoding, or has an encoding that was not requested.
 */
export async function readBoundedBody(
	chunks: AsyncIterable<Uint8Array>,
	headers: Readonly<Record<string, string>>,
	maxBytes = LIMITS.bodyBytes,
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
	return new TransportError(`it is larger than ${megabytes} MB`, {
		code: 'RESPONSE_TOO_LARGE',
		retryable: false,
		hasResponse: true,
	});
}

function unreadableError(): TransportError {
	return new TransportError('its encoding cannot be read', {
		code: 'RESPONSE_UNREADABLE',
		retryable: false,
		hasResponse: true,
	});
}

/** An ID with this many digits may not be a safe integer. Searched in the text, so that other bodies cost no more. */
const LONG_ID = /(?:I[dD]|[_"]id)"\s*:\s*-?\d{16}/;
const ID_NAME = /(?:^|_)id$|I[dD]$/;
const BYTE_ORDER_MARK = '\ufeff';

/** TypeScript does not know this yet: since version 21, Node passes the digits of a number to the reviver. */
const parseWith = JSON.parse as (
	text: string,
	reviver?: (name: string, value: unknown, context?: { source?: string }) => unknown,
) => unknown;

/** The body as JSON; undefined if it is empty, not JSON, or breaks a bound of a record. */
export function jsonOf({ body }: Pick<TransportResponse, 'body'>): unknown {
	return brokenBoundOf(body) === undefined ? parsed(body) : undefined;
}

/** The text as JSON, undefined if it is not. An ID beyond the safe integers becomes text, digit by digit. */
function parsed(body: string): unknown {
	try {
		const text = body.startsWith(BYTE_ORDER_MARK) ? body.slice(1) : body;
		return parseWith(text, LONG_ID.test(text) ? keepLongId : undefined);
	} catch {
		return undefined;
	}
}

/** In place of a record that breaks a bound. No service knows the name of its field. */
const BROKEN = `broken record ${randomUUID()}`;

/**
 * The body of a list as JSON, without the records that break a bound: in their places, `brokenAt` returns what is wrong with them, and the ID at the first of the paths that has one.
 * `problem`: why the response cannot be used. `insideLists`: how many lists the list of the records is inside of.
 */
export function listJsonOf({ body }: Pick<TransportResponse, 'body'>, insideLists = 0) {
	const { broken, problem } = brokenRecords(body, LIMITS.values, insideLists);
	let text = '';
	let end = 0;
	for (const [n, record] of broken.entries()) {
		text += `${body.slice(end, record.start)}{"${BROKEN}":${n}}`;
		({ end } = record);
	}
	return {
		json: problem === undefined ? parsed(text + body.slice(end)) : undefined,
		problem,
		/** The record that breaks a bound, if the value is in its place, and the ID at this path of it. */
		brokenAt: (value: unknown, idPaths: readonly string[]) => {
			const record = broken.length > 0 ? broken[Number(own(value, BROKEN))] : undefined;
			if (record === undefined) return undefined;
			const { start, end, problem } = record;
			const ids = idPaths.map((path) => scalarIn(body, record, path));
			const id = ids.find((each) => each !== undefined);
			return { problem, text: body.slice(start, end), id };
		},
	};
}

function keepLongId(name: string, value: unknown, context?: { source?: string }): unknown {
	if (typeof value !== 'number' || Number.isSafeInteger(value) || !ID_NAME.test(name)) return value;
	return context?.source ?? value;
}

const MAX_LENGTH = 300;
/** Far more than is shown, so that enough is left after redaction; a body of 64 MB would take seconds. */
const MAX_READ = 10_000;

/** Most entries to read from a list, or from an object in its place. */
const MAX_ENTRIES = 5;

/** The texts of a body and of the objects in it, at most `depth` levels deep. */
function textsIn(value: unknown, depth = 3): string[] {
	if (typeof value === 'string') return value.trim() === '' ? [] : [value.trim()];
	if (!isRecord(value) || depth === 0) return [];
	const textsInside = (inner: unknown) => textsIn(inner, depth - 1);
	const listed = (inner: unknown): string[] =>
		Array.isArray(inner) ? inner.slice(0, MAX_ENTRIES).flatMap(textsInside) : textsInside(inner);
	const errors = value[FIELDS.error.list];
	const byField = Object.entries(isRecord(errors) ? errors : {}).slice(0, MAX_ENTRIES);
	return [
		...FIELDS.error.texts.flatMap((name) => textsInside(value[name])),
		...(Array.isArray(errors) ? listed(errors) : []),
		...byField.map(([name, inner]) => [name, ...listed(inner)].join(': ')),
	];
}

/** The texts of a response that say why it failed, as the service wrote them; none for a page for browsers. */
export function textsOf(response: TransportResponse): string[] {
	const { body } = response;
	const json = jsonOf(response);
	if (json !== undefined) return textsIn(json);
	return body.trim().startsWith('<') ? [] : [body.slice(0, MAX_READ)];
}

/** For example `404 Not Found`. */
export function statusText(status: number): string {
	const name = STATUS_CODES[status];
	return name === undefined ? String(status) : `${status} ${name}`;
}

const REPLACEMENT = '[redacted]';
/** A part of this length reveals too much of a secret; a shorter one may be a word. */
const TELLING_LENGTH = 12;

/** Quotes outside text without secrets, for messages. */
export class Redactor {
	readonly #known: Set<string>;
	/** A name for a server, such as the client ID: not a secret, but no text for an error that is stored and shared. */
	readonly #name: RegExp | undefined;
	/** Created when needed: most requests have nothing to redact. */
	#remove: ((text: string) => string) | undefined;

	constructor(secret: string, { name = '' }: { readonly name?: string } = {}) {
		this.#known = new Set([secret]);
		this.#name = name.trim() === '' ? undefined : patternOf(name);
	}

	/** Makes `redact` remove this text and its usual encodings. */
	add(secret: string): void {
		// The token is added with every request.
		if (!this.#known.has(secret)) this.#remove = undefined;
		this.#known.add(secret);
	}

	/**
	 * Removes secrets in any case, and parts of 12 characters or more: a server may cut or change the text that it repeats.
	 * Of the name, only the whole, since a part of it may be any text.
	 */
	redact(text: string): string {
		this.#remove ??= removerOf([...this.#known].flatMap(partsOf));
		const redacted = this.#remove(text);
		return this.#name === undefined ? redacted : redacted.replace(this.#name, REPLACEMENT);
	}

	/** Outside text, made safe for a message. Redacted before it is cut, since part of a secret would not be recognized. */
	quote(text: string): string {
		const line = this.redact(text.slice(0, MAX_READ))
			.replace(/[\s\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ')
			.trim();
		// The sentence that it becomes a part of has its own period.
		return line.length > MAX_LENGTH
			? `${line.slice(0, MAX_LENGTH)}…`
			: line.replace(/(?<=[^.])\.$/, '');
	}

	/** Status and reason of a response, for example `404 Not Found: no such asset`. No reason for a page for browsers. */
	statusAndReason(response: TransportResponse): string {
		const reason = this.#reason(textsOf(response), STATUS_CODES[response.status]);
		return `${statusText(response.status)}${reason === '' ? '' : `: ${reason}`}`;
	}

	/** The reason in the JSON of a response; empty if there is none. */
	reasonIn(json: unknown): string {
		return this.#reason(textsIn(json));
	}

	/** Each text once and without `known`. */
	#reason(texts: readonly string[], known = ''): string {
		const isNew = (text: string) => text.toLowerCase() !== known.toLowerCase();
		return this.quote([...new Set(texts)].filter(isNew).join('; '));
	}
}

/** In lowercase: every part of `TELLING_LENGTH` characters of each written form, and a shorter form as a whole. */
function partsOf(secret: string): string[] {
	if (secret === '') return [];
	return writtenForms(secret).flatMap((form) => {
		const letters = inSmallLetters(form);
		const count = Math.max(1, letters.length - TELLING_LENGTH + 1);
		return Array.from({ length: count }, (_, at) => letters.slice(at, at + TELLING_LENGTH));
	});
}

/** The written forms of a name. One under 12 characters may be a word, so it counts only by itself, and not in a URL. */
function patternOf(name: string): RegExp {
	const forms = writtenForms(name).map((form) => {
		const literal = escapedForPattern(form);
		if (form.length >= TELLING_LENGTH) return literal;
		return `(?<![\\p{L}\\p{N}_./@-])${literal}(?![\\p{L}\\p{N}_/@-]|\\.[\\p{L}\\p{N}])`;
	});
	return new RegExp([...new Set(forms)].join('|'), 'giu');
}

/** Replaces each stretch of a text that the parts cover together. */
function removerOf(list: readonly string[]): (text: string) => string {
	const parts = new Set(list);
	const lengths = new Set(list.map((part) => part.length));
	return (text) => {
		const letters = inSmallLetters(text);
		let redacted = '';
		let coveredTo = -1;
		for (let at = 0; at < text.length; at++) {
			for (const length of lengths) {
				if (!parts.has(letters.slice(at, at + length))) continue;
				if (at > coveredTo) redacted += REPLACEMENT;
				coveredTo = Math.max(coveredTo, at + length);
			}
			if (at >= coveredTo) redacted += text.charAt(at);
		}
		return redacted;
	};
}

/** Only A to Z, so that the length of the text stays the same. */
function inSmallLetters(text: string): string {
	return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** The record of a new endpoint without the field of its secret, and without the secret anywhere else. */
export function withoutSecret(record: ApiRecord, secret: string): ApiRecord {
	const redactor = new Redactor(secret);
	const clean = (value: unknown): unknown => {
		if (typeof value === 'string') return redactor.redact(value);
		if (Array.isArray(value)) return value.map(clean);
		return isRecord(value) ? cleanFields(value) : value;
	};
	const cleanFields = (fields: ApiRecord): ApiRecord =>
		Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, clean(value)]));
	const { [SERVICE_INTERFACE.endpointSecretField]: _, ...rest } = record;
	return cleanFields(rest);
}

/** Plain, in JSON, in a URL, in a form, in HTML, in hex and in Base64. */
function writtenForms(secret: string): string[] {
	const form = new URLSearchParams({ s: secret }).toString().slice(2);
	const bytes = Buffer.from(secret, 'utf8');
	return [
		secret,
		JSON.stringify(secret).slice(1, -1),
		form,
		form.replaceAll('+', '%20'),
		secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
		bytes.toString('hex'),
		bytes.toString('base64'),
		bytes.toString('base64url'),
	];
}
