/** What an answer says in words, for an error message: short, on one line and without secrets. */
import { STATUS_CODES } from 'node:http';
import { ERROR_LIST_FIELD, ERROR_TEXT_FIELDS } from '../defaults';
import type { Redactor } from './redaction';
import {
	array,
	object,
	orElse,
	parse,
	pipe,
	string,
	transform,
	union,
	unknown,
	type Schema,
} from '../../vendor/zod';
import type { TransportResponse } from '../types';

const MAX_LENGTH = 300;

/** The texts of a body, and of the objects in it, at most `depth` levels deep. */
function textsWithin(depth: number): Schema<string[]> {
	const text = pipe(
		string(),
		transform((value) => (value.trim() === '' ? [] : [value.trim()])),
	);
	if (depth === 0) return orElse(text, []);
	const inner = textsWithin(depth - 1);
	const list = pipe(
		array(unknown()),
		transform((entries) => entries.slice(0, 5).flatMap((entry) => parse(inner, entry))),
	);
	const fields = Object.fromEntries(ERROR_TEXT_FIELDS.map((name) => [name, inner]));
	const named = pipe(
		object({ ...fields, [ERROR_LIST_FIELD]: orElse(list, []) }),
		transform((texts) => Object.values(texts).flat()),
	);
	return orElse(union([text, named]), []);
}

const errorBody = textsWithin(3);

/** An id with so many digits may be no safe integer; looked for in the text, so that other bodies cost no more. */
const LONG_ID = /(?:I[dD]|[_"]id)"\s*:\s*-?\d{16}/;
const ID_NAME = /(?:^|_)id$|I[dD]$/;

/** As TypeScript does not know it yet: Node tells how a number is written since version 21. */
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

const BYTE_ORDER_MARK = '\ufeff';

function keepLongId(name: string, value: unknown, context?: { source?: string }): unknown {
	if (typeof value !== 'number' || Number.isSafeInteger(value) || !ID_NAME.test(name)) return value;
	return context?.source ?? value;
}

/** For example `404 Not Found`. */
export function statusText(status: number): string {
	const name = STATUS_CODES[status];
	return name === undefined ? String(status) : `${status} ${name}`;
}

/** What the service gives as the reason, each text once; empty when it gives none. */
export function serverText(response: TransportResponse, redactor: Redactor): string {
	const texts = new Set(parse(errorBody, jsonOf(response)));
	return quotable([...texts].join('; '), redactor);
}

/** Text from outside, made fit for a message. Redacted before it is cut, since part of a secret would not be recognised. */
export function quotable(text: string, redactor: Redactor): string {
	const line = redactor
		.redact(text)
		.replace(/[\s\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]+/g, ' ')
		.trim();
	return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}…` : line;
}
