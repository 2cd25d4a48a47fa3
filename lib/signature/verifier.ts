/** The signature schemes: each reads the headers of a delivery into signatures to try and bytes to sign. The verifier of a scheme then checks the raw body. */
import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import { types } from 'node:util';
import { escapedForPattern, printable } from '../shared/text';
import { own } from '../shared/values';

/** Why a signature is rejected; also the reason codes of the log. */
export type SignatureRefusal =
	| 'signature_missing'
	| 'signature_malformed'
	| 'signature_mismatch'
	| 'timestamp_outside_tolerance';

/** Which of the two configured secrets matched a signature. */
type SecretName = 'current' | 'previous';

interface SigningKey {
	readonly name: SecretName;
	readonly key: KeyObject;
}

interface VerifyOptions {
	/** The receiver's time, in Unix seconds. */
	readonly nowSeconds: number;
	/** How far the timestamp may be from the receiver's time, in the past or the future, in seconds (inclusive). */
	readonly toleranceSeconds: number;
}

export interface SignedBy {
	readonly ok: true;
	/** The secret that matched; `current` if both did. */
	readonly secret: SecretName;
	/** The signed Unix time in seconds; null if the scheme has none. */
	readonly timestamp: number | null;
	/** The message ID, if the signature covers one: the header `webhook-id` of Standard Webhooks. */
	readonly messageId?: string | undefined;
}

type VerifyResult = SignedBy | { readonly ok: false; readonly reason: SignatureRefusal };

/** Compiled settings: built once and used for every delivery. Immutable. */
export class Verifier {
	constructor(
		private readonly scheme: Scheme,
		private readonly keys: readonly SigningKey[],
	) {}

	/** The field of the credential that decides in which header the signature is. */
	get headerField(): string {
		return this.scheme.headerField;
	}

	/**
	 * Reads the headers and returns at once if one is missing or malformed, then verifies the raw bytes of the body.
	 * Never throws on input. The signature is checked before the age of the timestamp, so `timestamp_outside_tolerance`
	 * implies a valid signature.
	 */
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

	/** How many seconds the timestamp is behind the time; negative if it is ahead. Undefined without a readable timestamp. */
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
function isWithinTolerance(timestamp: number, options: VerifyOptions): boolean {
	// Written so that NaN on either side is outside.
	return Math.abs(options.nowSeconds - timestamp) <= options.toleranceSeconds;
}

/**
 * Header values by lowercase name. In an array, each entry is one occurrence of the header (Node's `headersDistinct`),
 * so repeated headers are visible; a plain string is one occurrence.
 */
export type DeliveryHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

type Algorithm = 'sha256' | 'sha512';
type Encoding = 'hex' | 'base64';

/** The contents of a delivery's headers. */
interface ReadSignature {
	/** Unix seconds; null if the scheme has no timestamp. */
	readonly timestamp: number | null;
	/** Every signature to try, each as long as the digest. */
	readonly candidates: readonly Buffer[];
	/** The message ID, if it is among the signed parts. */
	readonly messageId?: string;
	/** The signed parts, in order. */
	readonly parts: readonly SignedPart[];
}

interface Scheme {
	readonly algorithm: Algorithm;
	/** The field of the credential that decides in which header the signature is. */
	readonly headerField: 'Scheme' | 'Signature Header';
	/** Never throws. */
	read(headers: DeliveryHeaders): ReadSignature | 'signature_missing' | 'signature_malformed';
}

/** The scheme `timestamped`: one header, `t=<unix seconds>,v1=<hex>`, HMAC-SHA256 over `<t>.<raw body>`. */
function timestamped(header: string): Scheme {
	return {
		algorithm: 'sha256',
		headerField: 'Signature Header',
		read(headers) {
			const value = singleHeader(headers, header);
			if (value === undefined) return 'signature_missing';
			const entries = entriesOf(value, ',');
			const candidates = digestsIn(withoutPrefix(entries, 'v1='), 'sha256', 'hex');
			const [timestamp, ...others] = withoutPrefix(entries, 't=');
			// Two timestamps would leave open which one was signed.
			if (others.length > 0 || !isTimestamp(timestamp) || candidates.length === 0) {
				return 'signature_malformed';
			}
			return { timestamp: Number(timestamp), candidates, parts: [`${timestamp}.`, BODY] };
		},
	};
}

// Standard Webhooks 1.0.0, "Signature scheme": an ID with a full stop could pass for another ID and timestamp.
const ID = /^[\x21-\x2d\x2f-\x7e]+$/;

/** The scheme `standardWebhooks` (standardwebhooks.com, symmetric signatures): HMAC-SHA256 over `<id>.<timestamp>.<raw body>`. */
const standardWebhooks: Scheme = {
	algorithm: 'sha256',
	headerField: 'Scheme',
	read(headers) {
		const signatures = singleHeader(headers, 'webhook-signature');
		if (signatures === undefined) return 'signature_missing';
		const id = singleHeader(headers, 'webhook-id');
		const timestamp = singleHeader(headers, 'webhook-timestamp');
		// `v1a` is the asymmetric kind, which needs a public key.
		const symmetric = withoutPrefix(entriesOf(signatures, ' '), 'v1,');
		const candidates = digestsIn(symmetric, 'sha256', 'base64');
		if (candidates.length === 0 || id === undefined || !ID.test(id) || !isTimestamp(timestamp)) {
			return 'signature_malformed';
		}
		const parts = [`${id}.${timestamp}.`, BODY] as const;
		return { timestamp: Number(timestamp), candidates, messageId: id, parts };
	},
};

interface CustomSettings {
	/** In lowercase. */
	readonly signatureHeader: string;
	readonly algorithm: Algorithm;
	readonly encoding: Encoding;
	/** In lowercase; null: no timestamp, so no age check, and the template does not use one. */
	readonly timestampHeader: string | null;
	readonly template: Template;
	/** Does not begin with white space or a comma, but may contain them, as `HMAC ` does. */
	readonly prefix: string;
}

/** The scheme `custom`: header, algorithm, encoding, prefix and signed bytes from the credential. */
function custom(settings: CustomSettings): Scheme {
	const { signatureHeader, algorithm, encoding, timestampHeader, template } = settings;
	const literal = escapedForPattern(settings.prefix);
	/** The text after the prefix in each entry of a list separated by commas and white space. */
	const signatures = new RegExp(`(?<![^\\s,])${literal}([^\\s,]+)`, 'g');
	return {
		algorithm,
		headerField: 'Signature Header',
		read(headers) {
			const value = singleHeader(headers, signatureHeader);
			if (value === undefined) return 'signature_missing';
			const found = Array.from(value.matchAll(signatures), ([, text = '']) => text);
			const candidates = digestsIn(found, algorithm, encoding);
			if (candidates.length === 0) return 'signature_malformed';
			if (timestampHeader === null) {
				return { timestamp: null, candidates, parts: template.fill('') };
			}
			const timestamp = singleHeader(headers, timestampHeader);
			if (!isTimestamp(timestamp)) return 'signature_malformed';
			return { timestamp: Number(timestamp), candidates, parts: template.fill(timestamp) };
		},
	};
}

/** By value of the credential's field. */
export const SCHEMES = { timestamped, standardWebhooks, custom };

/**
 * The single value of the header, trimmed; `undefined` if it is absent; empty, which no scheme accepts, if it is
 * repeated or not text, which no honest sender does.
 */
function singleHeader(headers: DeliveryHeaders, name: string): string | undefined {
	const value = own(headers, name);
	const occurrences: readonly unknown[] = Array.isArray(value) ? value : [value];
	if (value === undefined || occurrences.length === 0) return undefined;
	const [first] = occurrences;
	return occurrences.length === 1 && typeof first === 'string' ? first.trim() : '';
}

function entriesOf(list: string, separator: ',' | ' '): string[] {
	return list.split(separator).map((entry) => entry.trim());
}

/** The rest of each entry that has the prefix. */
function withoutPrefix(entries: readonly string[], prefix: string): string[] {
	const found = entries.filter((entry) => entry.startsWith(prefix));
	return found.map((entry) => entry.slice(prefix.length));
}

/** 1 to 12 decimal digits: Unix seconds, well within the safe integers. */
function isTimestamp(text: string | undefined): text is string {
	return text !== undefined && /^[0-9]{1,12}$/.test(text);
}

/**
 * Texts of exactly one digest: hex in any case; base64 or base64url, with or without padding. `Buffer.from` skips
 * unknown characters, and bits beyond the digest must be zero, otherwise several texts would pass for one signature.
 */
const DIGESTS: Readonly<Record<Algorithm, Readonly<Record<Encoding, RegExp>>>> = {
	sha256: { hex: /^[0-9a-f]{64}$/i, base64: /^[\w+/-]{42}[AEIMQUYcgkosw048]=?$/ },
	sha512: { hex: /^[0-9a-f]{128}$/i, base64: /^[\w+/-]{85}[AQgw](?:==)?$/ },
};

/** The texts that are valid digests, decoded. */
function digestsIn(texts: readonly string[], algorithm: Algorithm, encoding: Encoding): Buffer[] {
	const form = DIGESTS[algorithm][encoding];
	return texts.filter((text) => form.test(text)).map((text) => Buffer.from(text, encoding));
}

/** Represents the raw body among the signed parts. */
const BODY = Symbol('body');

/** Text is signed as UTF-8. */
type SignedPart = string | typeof BODY;

interface Template {
	readonly namesTimestamp: boolean;
	/** The signed parts, with this timestamp filled in. */
	fill(timestamp: string): readonly SignedPart[];
}

type TemplateResult =
	| { readonly ok: true; readonly template: Template }
	/** Each problem continues a sentence that begins with the field's name. */
	| { readonly ok: false; readonly problems: readonly string[] };

const PLACEHOLDER = /(\{[^{}]*\})/;

/** A brace outside a `{name}` is plain text, so that JSON can be written around the placeholders. */
export function compileTemplate(text: string): TemplateResult {
	// Splitting by a captured pattern puts the placeholders at the odd indexes.
	const pieces = text.split(PLACEHOLDER);
	const named = pieces.filter((_, index) => index % 2 === 1);
	const unknown = named.filter((name) => name !== '{body}' && name !== '{timestamp}');
	const problems = [...new Set(unknown)].map(
		(name) => `contains ${printable(name, 60)}, which is unknown. Use only {timestamp} and {body}.`,
	);
	if (!named.includes('{body}')) {
		problems.push('does not contain {body}, so the event itself would not be signed. Add {body}.');
	}
	if (problems.length > 0) return { ok: false, problems };
	return {
		ok: true,
		template: {
			namesTimestamp: named.includes('{timestamp}'),
			fill: (timestamp) => fill(pieces, timestamp),
		},
	};
}

function fill(pieces: readonly string[], timestamp: string): SignedPart[] {
	const parts: SignedPart[] = [];
	let text = '';
	for (const piece of pieces) {
		if (piece === '{body}') {
			if (text !== '') parts.push(text);
			parts.push(BODY);
			text = '';
		} else {
			text += piece === '{timestamp}' ? timestamp : piece;
		}
	}
	if (text !== '') parts.push(text);
	return parts;
}
