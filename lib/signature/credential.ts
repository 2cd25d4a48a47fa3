/** Turns the stored credential into a scheme and its keys, and reports problems in sentences. */
import {
	readChoice,
	readHeaderName,
	readSigningKeys,
	readText,
	type Notes,
	type SigningKey,
} from './fields';
import { custom, standardWebhooks, timestamped, type Scheme } from './schemes';
import { compileTemplate } from './template';
import type { SigningSettings } from './types';

/** The specification does not define the header (section 6.10); this is the name that the service is known to use. */
const SIGNATURE_HEADER = 'X-Webhook-Signature';
const SIGNED_PAYLOAD = '{timestamp}.{body}';

interface Compiled {
	/** Undefined if something is blocking. */
	readonly usable: { readonly scheme: Scheme; readonly keys: readonly SigningKey[] } | undefined;
	/** Why no delivery can be verified. */
	readonly blocking: readonly string[];
	/** Likely mistakes, although deliveries can be verified. */
	readonly remarks: readonly string[];
	/** Likely mistakes in the text of a secret: why no signature may match. */
	readonly doubts: readonly string[];
}

export function compileCredential(settings: SigningSettings): Compiled {
	const notes: Notes = { blocking: [], remarks: [], doubts: [] };
	const name = readChoice(
		'Scheme',
		settings.scheme,
		['timestamped', 'standardWebhooks', 'custom'],
		notes,
	);
	const keys = readSigningKeys(settings, name === 'standardWebhooks' ? 'base64' : 'text', notes);
	const scheme = name === 'standardWebhooks' ? standardWebhooks : readScheme(name, settings, notes);
	const usable = notes.blocking.length === 0 && scheme !== undefined ? { scheme, keys } : undefined;
	return { usable, ...notes };
}

function readScheme(
	name: 'timestamped' | 'custom',
	settings: SigningSettings,
	notes: Notes,
): Scheme | undefined {
	const header = readHeaderName(
		'Signature Header',
		settings.signatureHeader,
		SIGNATURE_HEADER,
		notes,
	);
	return name === 'timestamped' ? timestamped(header) : readCustom(header, settings, notes);
}

function readCustom(
	signatureHeader: string,
	settings: SigningSettings,
	notes: Notes,
): Scheme | undefined {
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
	return custom({ signatureHeader, algorithm, encoding, timestampHeader, template, prefix });
}

/** Null if the field is empty: a delivery then has no age. */
function readTimestampHeader(
	signatureHeader: string,
	settings: SigningSettings,
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
