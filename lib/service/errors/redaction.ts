/** Removes secrets from outside text, such as a response in which the server repeats them. */
import { isRecord } from '../../shared/values';
import { ENDPOINT_FIELDS } from '../common/defaults';
import type { ApiRecord } from '../common/types';

export interface Redactor {
	/** Makes `redact` remove this text and its usual encodings. */
	add(secret: string): void;
	/** Removes secrets in any case, and parts of 12 characters or more: a server may cut or change the text that it repeats. */
	redact(text: string): string;
}

const REPLACEMENT = '[redacted]';
/** A part of this length reveals too much of a secret; a shorter one may be a word. */
const TELLING_LENGTH = 12;

/** Creates a redactor for these secrets. */
export function createRedactor(...secrets: readonly string[]): Redactor {
	const known = new Set(secrets);
	let remove: ((text: string) => string) | undefined;
	return {
		add: (secret) => {
			// The token is added with every request.
			if (!known.has(secret)) remove = undefined;
			known.add(secret);
		},
		// Created when needed: most requests have nothing to redact.
		redact: (text) => (remove ??= removerOf([...known].flatMap(partsOf)))(text),
	};
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
	const redactor = createRedactor(secret);
	const clean = (value: unknown): unknown => {
		if (typeof value === 'string') return redactor.redact(value);
		if (Array.isArray(value)) return value.map(clean);
		return isRecord(value) ? cleanFields(value) : value;
	};
	const cleanFields = (fields: ApiRecord): ApiRecord =>
		Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, clean(value)]));
	const { [ENDPOINT_FIELDS.secret]: _, ...rest } = record;
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
