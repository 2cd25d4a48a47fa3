/**
 * Reads the fields of the stored credential and reports their problems in sentences.
 * Checked by hand: it runs during a delivery, and a wrong field must not hide the problems of the next one.
 */
import { createSecretKey, type KeyObject } from 'node:crypto';
import type { SecretName, SigningSettings } from './types';

/** Problems found so far. No sentence repeats a value, which could be a secret pasted into the wrong field. */
export interface Notes {
	/** Why no delivery can be verified. */
	readonly blocking: string[];
	/** Likely mistakes, although deliveries can be verified. */
	readonly remarks: string[];
	/** Likely mistakes in the text of a secret: why no signature may match. */
	readonly doubts: string[];
}

/** RFC 9110, section 5.6.2 (token). */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** The chosen value; the first choice if the field was never stored, or has another value (noted). */
export function readChoice<const Choice extends string>(
	field: string,
	value: unknown,
	choices: readonly [Choice, ...Choice[]],
	notes: Notes,
): Choice {
	if (value === undefined || value === null) return choices[0];
	const choice = choices.find((known) => known === value);
	if (choice !== undefined) return choice;
	notes.blocking.push(`'${field}' must be one of ${choices.join(', ')}.`);
	return choices[0];
}

/** The text; the fallback if the field was never stored, or is not text (noted). */
export function readText(field: string, value: unknown, fallback: string, notes: Notes): string {
	if (value === undefined || value === null) return fallback;
	if (typeof value === 'string') return value;
	notes.blocking.push(`'${field}' is not text. Enter it again.`);
	return fallback;
}

/** The name in lowercase, since header names are compared that way. */
export function readHeaderName(
	field: string,
	value: unknown,
	fallback: string,
	notes: Notes,
): string {
	const name = readText(field, value, fallback, notes);
	if (name === '') {
		notes.blocking.push(`'${field}' is empty. Enter the name of the header, such as ${fallback}.`);
	} else if (!HEADER_NAME.test(name)) {
		notes.blocking.push(
			`'${field}' is not a header name. Use letters, digits and hyphens, without spaces or a colon.`,
		);
	}
	return name.toLowerCase();
}

export interface SigningKey {
	readonly name: SecretName;
	readonly key: KeyObject;
}

/** How a secret becomes the key: its text as UTF-8, or its decoded base64 (Standard Webhooks). */
type SecretForm = 'text' | 'base64';

const CURRENT = 'Signing Secret';
const PREVIOUS = 'Previous Signing Secret';
const BASE64_PREFIX = 'whsec_';
/** Characters that are easily pasted along with a secret. */
const STRAY = /^[\s"'`\u2018-\u201f]|[\s"'`\u2018-\u201f]$|[\r\n\t]/;
/** Any length, padding optional. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/** The current secret's key first. No keys, and a blocking note, if that secret cannot be used, whatever the previous one is. */
export function readSigningKeys(
	settings: SigningSettings,
	form: SecretForm,
	notes: Notes,
): readonly SigningKey[] {
	const { blocking, remarks, doubts } = notes;
	const current = readSecret(CURRENT, settings.signingSecret, form, blocking, doubts);
	// A previous secret that cannot be used counts as not configured; the current one still works.
	const previous = readSecret(PREVIOUS, settings.previousSigningSecret, form, remarks, doubts);
	if (isEmpty(settings.signingSecret)) {
		notes.blocking.push(`'${CURRENT}' is empty. Paste the signing secret of the webhook endpoint.`);
	}
	if (current === undefined) return [];

	const keys: SigningKey[] = [{ name: 'current', key: createSecretKey(current) }];
	if (previous !== undefined) {
		keys.push({ name: 'previous', key: createSecretKey(previous) });
		if (previous.equals(current)) {
			notes.remarks.push(
				`'${PREVIOUS}' is the same as '${CURRENT}'. Clear it, or paste the other secret.`,
			);
		}
	}
	return keys;
}

/** The key's bytes; `undefined` if the field is empty or cannot be used (then with a problem). */
function readSecret(
	field: string,
	value: unknown,
	form: SecretForm,
	problems: string[],
	doubts: string[],
): Buffer | undefined {
	if (isEmpty(value)) return undefined;
	if (typeof value !== 'string') {
		problems.push(`'${field}' is not text. Paste it again.`);
		return undefined;
	}
	// White space only is not a secret: anyone could sign with it.
	if (value.trim() === '') {
		problems.push(`'${field}' contains only white space. Paste the secret, or clear the field.`);
		return undefined;
	}
	if (STRAY.test(value)) {
		doubts.push(
			`'${field}' starts or ends with white space or a quotation mark, or contains a line break or a tab. Secrets are used exactly as typed: remove any character that is not part of the secret.`,
		);
	}
	if (form === 'text') return Buffer.from(value, 'utf8');
	const base64 = value.startsWith(BASE64_PREFIX) ? value.slice(BASE64_PREFIX.length) : value;
	if (base64 !== '' && BASE64.test(base64)) return Buffer.from(base64, 'base64');
	problems.push(
		`'${field}' is not a Standard Webhooks secret, which is Base64 with or without ${BASE64_PREFIX} at the start. Paste it again, or select another scheme.`,
	);
	return undefined;
}

function isEmpty(value: unknown): boolean {
	return value === undefined || value === null || value === '';
}
