/** What an answer says in words, for an error message: short, on one line and without secrets. */
import { STATUS_CODES } from 'node:http';
import { ERROR_LIST_FIELD, ERROR_TEXT_FIELDS } from '../defaults';
import type { Redactor } from './redaction';
import { isRecord } from '../../shared/values';
import type { TransportResponse } from '../types';

const MAX_LENGTH = 300;

/** The body as JSON; undefined when it is empty or something else. */
export function jsonOf(response: TransportResponse): unknown {
	try {
		return JSON.parse(response.body) as unknown;
	} catch {
		return undefined;
	}
}

/** For example `404 Not Found`. */
export function statusText(status: number): string {
	const name = STATUS_CODES[status];
	return name === undefined ? String(status) : `${status} ${name}`;
}

/** What the service gives as the reason, each text once; empty when it gives none. */
export function serverText(response: TransportResponse, redactor: Redactor): string {
	const texts = [...new Set(textsIn(jsonOf(response)))];
	return quotable(texts.join('; '), redactor);
}

/** Text from outside, fit to stand in a message: redacted first, since a cut secret would not be recognised. */
export function quotable(text: string, redactor: Redactor): string {
	const line = redactor
		.redact(text)
		.replace(/[\s\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]+/g, ' ')
		.trim();
	return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}…` : line;
}

function textsIn(value: unknown, depth = 3): string[] {
	if (typeof value === 'string') return value.trim() === '' ? [] : [value.trim()];
	if (depth === 0 || !isRecord(value)) return [];
	const named = ERROR_TEXT_FIELDS.flatMap((field) => textsIn(value[field], depth - 1));
	const list = value[ERROR_LIST_FIELD];
	const listed = Array.isArray(list)
		? list.slice(0, 5).flatMap((entry: unknown) => textsIn(entry, depth - 1))
		: [];
	return [...named, ...listed];
}
