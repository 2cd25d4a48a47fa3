/**
 * Turns the stored credential into a verifier, and reports the problems of its fields in sentences.
 * Checked by hand: it runs during a delivery, and a wrong field must not hide the problems of the next one.
 */
import { createSecretKey } from 'node:crypto';
import { Verifier, SCHEMES, compileTemplate } from './verifier';

/**
 * How deliveries are signed (the specification does not say, section 6.10): fields of the signing secret credential, and of a
 * trigger that registers its endpoint itself. Any value is allowed, since all are checked here.
 */
export interface SchemeSettings {
	/** `timestamped` (default), `standardWebhooks` or `custom`. */
	scheme?: unknown;
	/** For `timestamped` and `custom`; default `X-Webhook-Signature`. */
	signatureHeader?: unknown;
	/** For `custom`: `sha256` (default) or `sha512`. */
	algorithm?: unknown;
	/** For `custom`: `hex` (default) or `base64`. */
	encoding?: unknown;
	/** For `custom`: header that carries the Unix time in seconds; empty means no age check. */
	timestampHeader?: unknown;
	/** For `custom`: template of the signed bytes; default `{timestamp}.{body}`. */
	signedPayload?: unknown;
	/** For `custom`: text before each signature, such as `sha256=`. */
	signaturePrefix?: unknown;
}

/** The same with the secrets. */
export interface SigningSettings extends SchemeSettings {
	/** The endpoint's secret, used as typed. */
	signingSecret?: unknown;
	/** A second secret that is also accepted, during rotation (specification section 6.7); empty means none. */
	previousSigningSecret?: unknown;
}

type VerifierResult =
	/** `doubts`: sentences about a secret that probably has a typing mistake. */
	| { readonly ok: true; readonly verifier: Verifier; readonly doubts: readonly string[] }
	/** Sentences for people. Each names its field; none contains a secret. */
	| { readonly ok: false; readonly problems: readonly string[] };

/**
 * Compiles the stored credential once, for use with every delivery.
 *
 * Not ok, with the problems, if no delivery can be verified with these settings: an empty secret, a secret that its
 * scheme cannot decode, a template that does not sign the body. `checkSigningSettings` also reports likely mistakes.
 */
export function createVerifier(settings: SigningSettings): VerifierResult {
	const { verifier, blocking, doubts } = compileCredential(settings);
	return verifier === undefined
		? { ok: false, problems: blocking }
		: { ok: true, verifier, doubts };
}

/** All problems with the format of the settings, as sentences that name the field and contain no secret; empty if none. */
export function checkSigningSettings(settings: SigningSettings): readonly string[] {
	const { blocking, doubts, remarks } = compileCredential(settings);
	return [...blocking, ...doubts, ...remarks];
}

/** The same for the scheme only, before there is a secret. `problems`: why no delivery can be verified. */
export function checkScheme(settings: SchemeSettings): Record<'problems' | 'doubts', string[]> {
	const notes: Notes = { blocking: [], remarks: [], doubts: [] };
	compileScheme(settings, notes);
	return { problems: notes.blocking, doubts: notes.remarks };
}

/** The specification does not define the header (section 6.10); this is the name that the service is known to use. */
const SIGNATURE_HEADER = 'X-Webhook-Signature';
const SIGNED_PAYLOAD = '{timestamp}.{body}';

/** Turns the stored credential into a scheme and its keys, and reports problems in sentences. No verifier if something is blocking. */
function compileCredential(settings: SigningSettings) {
	const notes: Notes = { blocking: [], remarks: [], doubts: [] };
	const { scheme, secretForm } = compileScheme(settings, notes);
	const keys = readSigningKeys(settings, secretForm, notes);
	const isUsable = notes.blocking.length === 0 && scheme !== undefined;
	return { verifier: isUsable ? new Verifier(scheme, keys) : undefined, ...notes };
}

function compileScheme(settings: SchemeSettings, notes: Notes) {
	const name = readChoice(
		'Scheme',
		settings.scheme,
		['timestamped', 'standardWebhooks', 'custom'],
		notes,
	);
	if (name === 'standardWebhooks') {
		return { scheme: SCHEMES.standardWebhooks, secretForm: 'base64' } as const;
	}
	return { scheme: readScheme(name, settings, notes), secretForm: 'text' } as const;
}

function readScheme(name: 'timestamped' | 'custom', settings: SchemeSettings, notes: Notes) {
	const header = readHeaderName(
		'Signature Header',
		settings.signatureHeader,
		SIGNATURE_HEADER,
		notes,
	);
	return name === 'timestamped' ? SCHEMES.timestamped(header) : readCustom(header, settings, notes);
}

function readCustom(signatureHeader: string, settings: SchemeSettings, notes: Notes) {
	const algorithm = readChoice('Algorithm', settings.algorithm, ['sha256', 'sha512'], notes);
	const encoding = readChoice('Encoding', settings.encoding, ['hex', 'base64'], notes);
	const timestampHeader = readTimestampHeader(signatureHeader, settings, notes);
	const prefix = readText('Signature Prefix', settings.signaturePrefix, '', notes);
	if (/^[\s,]/.test(prefix)) {
		notes.blocking.push(
			"'Signature Prefix' starts with a space or a comma, which separate signatures. Remove it.",
		);
	}

	const compiled = compileTemplate(
		readText('Signed Payload', settings.signedPayload, SIGNED_PAYLOAD, notes),
	);
	if (!compiled.ok) {
		notes.blocking.push(...compiled.problems.map((problem) => `'Signed Payload' ${problem}`));
		return undefined;
	}
	const { template } = compiled;
	if (timestampHeader === null && template.namesTimestamp) {
		notes.blocking.push(
			"'Signed Payload' contains {timestamp}, but 'Timestamp Header' is empty. Enter the name of that header, or remove {timestamp}.",
		);
	}
	if (timestampHeader !== null && !template.namesTimestamp) {
		notes.remarks.push(
			"'Signed Payload' does not contain {timestamp}, so the time in 'Timestamp Header' is not signed and anyone can change it. Add {timestamp}, or clear 'Timestamp Header'.",
		);
	}
	return SCHEMES.custom({
		signatureHeader,
		algorithm,
		encoding,
		timestampHeader,
		template,
		prefix,
	});
}

/** Null if the field is empty: a delivery then has no age. */
function readTimestampHeader(
	signatureHeader: string,
	settings: SchemeSettings,
	notes: Notes,
): string | null {
	const value = settings.timestampHeader ?? '';
	if (value === '') return null;
	const header = readHeaderName('Timestamp Header', value, 'X-Webhook-Timestamp', notes);
	if (header === signatureHeader) {
		notes.blocking.push(
			"'Timestamp Header' is the same as 'Signature Header'. Enter the header that contains the time, or clear the field.",
		);
	}
	return header;
}

/** Problems found so far. No sentence repeats a value, which could be a secret pasted into the wrong field. */
interface Notes {
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
function readChoice<const Choice extends string>(
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
function readText(field: string, value: unknown, fallback: string, notes: Notes): string {
	if (value === undefined || value === null) return fallback;
	if (typeof value === 'string') return value;
	notes.blocking.push(`'${field}' is not text. Enter it again.`);
	return fallback;
}

/** The name in lowercase, since header names are compared that way. */
function readHeaderName(field: string, value: unknown, fallback: string, notes: Notes): string {
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

/** How a secret becomes the key: its text as UTF-8, or its decoded base64 (Standard Webhooks). */
type SecretForm = 'text' | 'base64';

const CURRENT = 'Signing Secret';
const PREVIOUS = 'Previous Signing Secret';
const BASE64_PREFIX = 'whsec_';
/** 128 bits: with one signed delivery, an attacker can try all shorter secrets in the end. Standard Webhooks asks for 24 to 64 bytes. */
const LEAST_BYTES = 16;
/** Characters that are easily pasted along with a secret. */
const STRAY = /^[\s"'`\u2018-\u201f]|[\s"'`\u2018-\u201f]$|[\r\n\t]/;
/** Any length, padding optional. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/** The current secret's key first. No keys, and a blocking note, if that secret cannot be used, whatever the previous one is. */
function readSigningKeys(settings: SigningSettings, form: SecretForm, notes: Notes) {
	const { blocking, remarks, doubts } = notes;
	const current = readSecret(CURRENT, settings.signingSecret, form, blocking, doubts);
	// A previous secret that cannot be used counts as not configured; the current one still works.
	const previous = readSecret(PREVIOUS, settings.previousSigningSecret, form, remarks, doubts);
	if (isEmpty(settings.signingSecret)) {
		notes.blocking.push(`'${CURRENT}' is empty. Paste the signing secret of the webhook endpoint.`);
	}
	for (const [field, secret] of [
		[CURRENT, current],
		[PREVIOUS, previous],
	] as const) {
		if (secret === undefined || secret.length >= LEAST_BYTES) continue;
		notes.remarks.push(
			`'${field}' has fewer than ${LEAST_BYTES} bytes, so it can be guessed from a delivery. Paste the whole secret, or create a longer one at the service.`,
		);
	}
	if (current === undefined) return [];

	const key = { name: 'current' as const, key: createSecretKey(current) };
	if (previous === undefined) return [key];
	if (previous.equals(current)) {
		notes.remarks.push(
			`'${PREVIOUS}' is the same as '${CURRENT}'. Clear it, or paste the other secret.`,
		);
	}
	return [key, { name: 'previous' as const, key: createSecretKey(previous) }];
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
