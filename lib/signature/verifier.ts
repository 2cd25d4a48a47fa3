/** Combines a scheme and its keys: reads the headers, then verifies the raw body. */
import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import { types } from 'node:util';
import {
	type SigningKey,
	readChoice,
	readHeaderName,
	readSigningKeys,
	readText,
	type Notes,
} from './fields';
import { type ReadSignature, type Scheme, custom, standardWebhooks, timestamped } from './schemes';
import { BODY, compileTemplate } from './template';
import type {
	DeliveryHeaders,
	SecretName,
	SigningSettings,
	Verifier,
	VerifierResult,
	VerifyOptions,
	VerifyResult,
} from './types';

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

/** Turns the stored credential into a scheme and its keys, and reports problems in sentences. */
function compileCredential(settings: SigningSettings): Compiled {
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

/**
 * Compiles the stored credential once, for use with every delivery.
 *
 * Not ok, with the problems, if no delivery can be verified with these settings: an empty secret, a secret that its
 * scheme cannot decode, a template that does not sign the body. `checkSigningSettings` also reports likely mistakes.
 */
export function createVerifier(settings: SigningSettings): VerifierResult {
	const { usable, blocking, doubts } = compileCredential(settings);
	if (usable === undefined) return { ok: false, problems: blocking };
	return { ok: true, verifier: new CompiledVerifier(usable.scheme, usable.keys), doubts };
}

/** All problems with the format of the settings, as sentences that name the field and contain no secret; empty if none. */
export function checkSigningSettings(settings: SigningSettings): readonly string[] {
	const { blocking, doubts, remarks } = compileCredential(settings);
	return [...blocking, ...doubts, ...remarks];
}

class CompiledVerifier implements Verifier {
	constructor(
		private readonly scheme: Scheme,
		private readonly keys: readonly SigningKey[],
	) {}

	get headerField(): string {
		return this.scheme.headerField;
	}

	verify(headers: DeliveryHeaders, body: Uint8Array, options: VerifyOptions): VerifyResult {
		const signature = this.scheme.read(headers);
		if (typeof signature === 'string') return { ok: false, reason: signature };

		const secret = this.match(signature, body);
		if (secret === undefined) return { ok: false, reason: 'signature_mismatch' };

		const { timestamp, messageId } = signature;
		if (timestamp !== null && !isWithinTolerance(timestamp, options)) {
			return { ok: false, reason: 'timestamp_outside_tolerance' };
		}
		return { ok: true, secret, timestamp, messageId };
	}

	secondsBehind(headers: DeliveryHeaders, nowSeconds: number): number | undefined {
		const signature = this.scheme.read(headers);
		if (typeof signature === 'string' || signature.timestamp === null) return undefined;
		return nowSeconds - signature.timestamp;
	}

	/** Computes every key's digest, even after a match, so that the time taken does not show which secret is in use. */
	private match(signature: ReadSignature, body: Uint8Array): SecretName | undefined {
		if (!types.isUint8Array(body)) return undefined;
		const matching = this.keys.filter(({ key }) => this.signs(key, signature, body));
		return matching[0]?.name;
	}

	/**
	 * Whether one of the candidates is the digest for this key. The body is hashed as bytes: decoding it would change what was
	 * signed. Every candidate is compared, even after a match, so that the time taken does not show which one it was.
	 */
	private signs(key: KeyObject, { parts, candidates }: ReadSignature, body: Uint8Array): boolean {
		const hmac = createHmac(this.scheme.algorithm, key);
		for (const part of parts) hmac.update(part === BODY ? body : part);
		const digest = hmac.digest();
		return candidates.filter((candidate) => timingSafeEqual(candidate, digest)).length > 0;
	}
}

/** True up to and including the tolerance, in both directions (specification section 6.3). */
export function isWithinTolerance(timestamp: number, options: VerifyOptions): boolean {
	// Written so that NaN on either side is outside.
	return Math.abs(options.nowSeconds - timestamp) <= options.toleranceSeconds;
}
