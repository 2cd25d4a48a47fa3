/** What a response says in words, for an error message: short, on one line and without secrets. */
import { STATUS_CODES } from 'node:http';
import { isRecord } from '../../shared/values';
import {
	array,
	custom,
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
import { ERROR_LIST_FIELD, ERROR_TEXT_FIELDS } from '../common/defaults';
import type { TransportResponse } from '../common/types';
import { jsonOf } from '../http/json';
import type { Redactor } from './redaction';

const MAX_LENGTH = 300;
/** Far more than is shown, so that what is taken out leaves enough; a body of 64 MB would take seconds. */
const MAX_READ = 10_000;

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
	const either = union([list, inner]);
	const byField = pipe(
		custom<Record<string, unknown>>(isRecord),
		transform((entries) =>
			Object.entries(entries)
				.slice(0, 5)
				.map(([name, value]) => [name, ...parse(either, value)].join(': ')),
		),
	);
	const fields = Object.fromEntries(ERROR_TEXT_FIELDS.map((name) => [name, inner]));
	const named = pipe(
		object({ ...fields, [ERROR_LIST_FIELD]: orElse(union([list, byField]), []) }),
		transform((texts) => Object.values(texts).flat()),
	);
	return orElse(union([text, named]), []);
}

const errorBody = textsWithin(3);

/** For example `404 Not Found`. */
export function statusText(status: number): string {
	const name = STATUS_CODES[status];
	return name === undefined ? String(status) : `${status} ${name}`;
}

/** What the service gives as the reason; a page for a browser gives none. */
export function serverText(response: TransportResponse, redactor: Redactor): string {
	const json = jsonOf(response);
	if (json !== undefined) return reasonIn(json, redactor);
	return response.body.trim().startsWith('<') ? '' : quotable(response.body, redactor);
}

/** What the JSON of a response gives as the reason, each text once; empty when it gives none. */
export function reasonIn(json: unknown, redactor: Redactor): string {
	return quotable([...new Set(parse(errorBody, json))].join('; '), redactor);
}

/** Text from outside, made fit for a message. Redacted before it is cut, since part of a secret would not be recognised. */
export function quotable(text: string, redactor: Redactor): string {
	const line = redactor
		.redact(text.slice(0, MAX_READ))
		.replace(/[\s\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ')
		.trim();
	return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}…` : line;
}
