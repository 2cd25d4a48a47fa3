/** Takes secrets out of what came from elsewhere, such as an answer in which the server repeats them. */
import { ENDPOINT_FIELDS } from '../defaults';
import { isRecord } from '../../shared/values';
import type { ApiRecord } from '../types';

export interface Redactor {
	/** From now on this text, and its usual encodings, are taken out. */
	add(secret: string): void;
	redact(text: string): string;
}

const REPLACEMENT = '[redacted]';

/** A redactor that knows these secrets, except empty ones. */
export function createRedactor(...secrets: readonly string[]): Redactor {
	const hidden = new Set<string>();
	const add = (secret: string) => {
		if (secret === '') return;
		for (const form of writtenForms(secret)) hidden.add(form);
	};
	secrets.forEach(add);
	return {
		add,
		redact: (text) => {
			// The longest first: replacing a shorter form inside a longer one would leave the rest of the longer one.
			const forms = [...hidden].sort((a, b) => b.length - a.length);
			return forms.reduce((rest, form) => rest.replaceAll(form, REPLACEMENT), text);
		},
	};
}

/** The record of a new endpoint without the field of its secret, and without the secret wherever else it stands. */
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

/** As it is, in JSON, in a URL, in a form, in HTML, in Base64. */
function writtenForms(secret: string): string[] {
	const form = new URLSearchParams({ s: secret }).toString().slice(2);
	const bytes = Buffer.from(secret, 'utf8');
	return [
		secret,
		JSON.stringify(secret).slice(1, -1),
		form,
		form.replaceAll('+', '%20'),
		secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
		bytes.toString('base64'),
		bytes.toString('base64url'),
	];
}
