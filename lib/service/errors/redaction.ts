/** Takes secrets out of what came from elsewhere, such as an answer in which the server repeats them. */
import { isRecord } from '../../shared/values';
import { ENDPOINT_FIELDS } from '../common/defaults';
import type { ApiRecord } from '../common/types';

export interface Redactor {
	/** From now on this text, and its usual encodings, are taken out. */
	add(secret: string): void;
	/** In any case, and also a part of 12 characters or more: a server may cut or change what it repeats. */
	redact(text: string): string;
}

const REPLACEMENT = '[redacted]';
/** As much of a secret tells too much; less of it may be a word. */
const TELLING_LENGTH = 12;

/**
 * Parts of secrets in small letters, by their length: every part of the telling length of a written form, and a shorter form
 * as a whole.
 */
type Parts = Map<number, Set<string>>;

/** A redactor that knows these secrets, except empty ones. */
export function createRedactor(...secrets: readonly string[]): Redactor {
	const hidden = new Set(['']);
	const parts: Parts = new Map();
	// Taken apart when it is needed: most requests give no reason to redact anything.
	let unread: string[] = [];
	const add = (secret: string) => {
		// The token is added with every request.
		if (hidden.has(secret)) return;
		hidden.add(secret);
		unread.push(secret);
	};
	secrets.forEach(add);
	return {
		add,
		redact: (text) => {
			for (const secret of unread) addParts(parts, secret);
			unread = [];
			return withoutParts(text, parts);
		},
	};
}

function addParts(parts: Parts, secret: string): void {
	for (const form of writtenForms(secret)) {
		const letters = inSmallLetters(form);
		const length = Math.min(letters.length, TELLING_LENGTH);
		const known = parts.get(length) ?? new Set<string>();
		parts.set(length, known);
		for (let at = 0; at + length <= letters.length; at++) known.add(letters.slice(at, at + length));
	}
}

/** Replaces each stretch of the text that known parts cover together. */
function withoutParts(text: string, parts: Parts): string {
	const letters = inSmallLetters(text);
	let kept = '';
	let keptTo = 0;
	let from = 0;
	let to = 0;
	const cut = () => {
		if (to > from) kept += text.slice(keptTo, from) + REPLACEMENT;
		keptTo = to;
	};
	for (let at = 0; at < letters.length; at++) {
		for (const [length, known] of parts) {
			if (!known.has(letters.slice(at, at + length))) continue;
			if (at > to) {
				cut();
				from = at;
			}
			to = Math.max(to, at + length);
		}
	}
	cut();
	return kept + text.slice(keptTo);
}

/** As long as before: a few letters have small forms of another length, and then A to Z alone become small. */
function inSmallLetters(text: string): string {
	const small = text.toLowerCase();
	if (small.length === text.length) return small;
	return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
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

/** As it is, in JSON, in a URL, in a form, in HTML, in hex, in Base64. */
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
