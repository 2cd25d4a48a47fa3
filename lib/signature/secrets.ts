/** Turns the two secret fields of the credential into keys, and notes what is wrong with them. */
import { createSecretKey, type KeyObject } from 'node:crypto';
import { decodeBase64 } from './encoding';
import type { Notes } from './fields';
import type { SecretName, SigningSettings } from './types';

export interface SigningKey {
	readonly name: SecretName;
	readonly key: KeyObject;
}

/** How a secret becomes the key: its text as UTF-8, or what its base64 decodes to (Standard Webhooks). */
export type SecretForm = 'text' | 'base64';

const CURRENT = 'Signing Secret';
const PREVIOUS = 'Previous Signing Secret';
const BASE64_PREFIX = 'whsec_';

/** The current secret's key first. None at all, and a blocking note, when that one cannot be used, whatever the previous one holds. */
export function readSigningKeys(
	settings: SigningSettings,
	form: SecretForm,
	notes: Notes,
): readonly SigningKey[] {
	const current = readSecret(CURRENT, settings.signingSecret, form, notes.blocking, notes.remarks);
	// A previous secret that cannot be used counts as not configured; the current one goes on working.
	const previous = readSecret(
		PREVIOUS,
		settings.previousSigningSecret,
		form,
		notes.remarks,
		notes.remarks,
	);
	if (isEmpty(settings.signingSecret)) {
		notes.blocking.push(`${CURRENT} is empty. Paste the signing secret of the webhook endpoint.`);
	}
	if (current === undefined) return [];

	const keys: SigningKey[] = [{ name: 'current', key: createSecretKey(current) }];
	if (previous !== undefined) {
		keys.push({ name: 'previous', key: createSecretKey(previous) });
		if (previous.equals(current)) {
			notes.remarks.push(
				`${PREVIOUS} is the same as ${CURRENT}. Empty it, or paste the other secret.`,
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
	remarks: string[],
): Buffer | undefined {
	if (isEmpty(value)) return undefined;
	if (typeof value !== 'string') {
		problems.push(`${field} is not a text. Paste it again.`);
		return undefined;
	}
	// White space alone is no secret: anyone could sign with it.
	if (value.trim() === '') {
		problems.push(`${field} holds nothing but white space. Paste the secret, or empty the field.`);
		return undefined;
	}
	if (value !== value.trim() || /[\r\n\t]/.test(value)) {
		remarks.push(
			`${field} has white space around it, or line breaks or tabs in it. Secrets are used as typed: remove what does not belong to it.`,
		);
	}
	if (form === 'text') return Buffer.from(value, 'utf8');
	const bytes = decodeBase64(
		value.startsWith(BASE64_PREFIX) ? value.slice(BASE64_PREFIX.length) : value,
	);
	if (bytes === undefined) {
		problems.push(
			`${field} is not a Standard Webhooks secret, which is base64 with or without ${BASE64_PREFIX} in front. Paste it again, or choose another scheme.`,
		);
	}
	return bytes;
}

function isEmpty(value: unknown): boolean {
	return value === undefined || value === null || value === '';
}
