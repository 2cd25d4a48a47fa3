/** The text of a response for an error message: short, on one line and without secrets. */
import { STATUS_CODES } from 'node:http';
import { isRecord } from '../../shared/values';
import { ERROR_LIST_FIELD, ERROR_TEXT_FIELDS } from '../common/defaults';
import type { TransportResponse } from '../common/types';
import { jsonOf } from '../http/json';
import type { Redactor } from './redaction';

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
	const errors = value[ERROR_LIST_FIELD];
	const byField = Object.entries(isRecord(errors) ? errors : {}).slice(0, MAX_ENTRIES);
	return [
		...ERROR_TEXT_FIELDS.flatMap((name) => textsInside(value[name])),
		...(Array.isArray(errors) ? listed(errors) : []),
		...byField.map(([name, inner]) => [name, ...listed(inner)].join(': ')),
	];
}

/** For example `404 Not Found`. */
export function statusText(status: number): string {
	const name = STATUS_CODES[status];
	return name === undefined ? String(status) : `${status} ${name}`;
}

/** The same with the reason, for example `404 Not Found: no such asset`. */
export function statusAndReason(response: TransportResponse, redactor: Redactor): string {
	const reason = serverText(response, redactor);
	return `${statusText(response.status)}${reason === '' ? '' : `: ${reason}`}`;
}

/** The reason that the service gives; empty for a page for browsers. */
export function serverText(response: TransportResponse, redactor: Redactor): string {
	const json = jsonOf(response);
	if (json !== undefined) return reasonIn(json, redactor, STATUS_CODES[response.status]);
	return response.body.trim().startsWith('<') ? '' : quotable(response.body, redactor);
}

/** The reason in the JSON of a response, each text once and without `known`; empty if there is none. */
export function reasonIn(json: unknown, redactor: Redactor, known = ''): string {
	const isNew = (text: string) => text.toLowerCase() !== known.toLowerCase();
	return quotable([...new Set(textsIn(json))].filter(isNew).join('; '), redactor);
}

/** Outside text, made safe for a message. Redacted before it is cut, since part of a secret would not be recognized. */
export function quotable(text: string, redactor: Redactor): string {
	const line = redactor
		.redact(text.slice(0, MAX_READ))
		.replace(/[\s\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ')
		.trim();
	// The sentence that it becomes a part of has its own period.
	return line.length > MAX_LENGTH
		? `${line.slice(0, MAX_LENGTH)}…`
		: line.replace(/(?<=[^.])\.$/, '');
}
