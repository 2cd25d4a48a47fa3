/**
 * Reads the fields of the stored credential and notes in sentences what is wrong with them.
 * Checked by hand: it happens within a delivery, and a wrong field must not hide what is wrong with the next one.
 */
import { createSecretKey, type KeyObject } from 'node:crypto';
import type { SecretName, SigningSettings } from './types';

/** Problems found so far. No sentence repeats a value that could be a secret pasted into the wrong field. */
export interface Notes {
	/** Why no delivery can be verified. */
	readonly blocking: string[];
	/** What is likely a mistake, although deliveries can be verified. */
	readonly remarks: string[];
	/** The same about the text of a secret: why no signature may match. */
	readonly doubts: string[];
}

/** RFC 9110, section 5.6.2 (token). */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** The chosen value; the first choice when the field was never stored, or holds none of them (noted). */
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

/** The text; the fallback when the field was never stored, or holds no text (noted). */
export function readText(field: string, value: unknown, fallback: string, notes: Notes): string {
	if (value === undefined || value === null) return fallback;
	if (typeof value === 'string') return value;
	notes.blocking.push(`'${field}' is not text. Enter it again.`);
	return fallback;
}

/** The name in lower case, as header names are compared. */
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

/** How a secret becomes the key: its text as UTF-8, or what its base64 decodes to (Standard Webhooks). */
type SecretForm = 'text' | 'base64';

const CURRENT = 'Signing Secret';
const PREVIOUS = 'Previous Signing Secret';
const BASE64_PREFIX = 'whsec_';
/** What is easily pasted along with a secret. */
const STRAY = /^[\s"'`\u2018-\u201f]|[\s"'`\u2018-\u201f]$|[\r\n\t]/;
/** Of any length, padding optional. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/** The current secret's key first. None at all, and a blocking note, when that one cannot be used, whatever the previous one holds. */
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

/** The key's bytes; `undefined` when the field is empty, or cannot be used (then with a problem). */
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
	// White space by itself is no secret: anyone could sign with it.
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
