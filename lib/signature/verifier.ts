/** Verifies the raw body of a delivery with a scheme and its keys: pure functions that take the time as an argument. */
import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import { types } from 'node:util';
import {
	type SecretName,
	type SigningKey,
	type SigningSettings,
	compileCredential,
} from './credential';
import { type DeliveryHeaders, type ReadSignature, type Scheme, BODY } from './schemes';

/** Why a signature is rejected; also the reason codes of the log. */
export type SignatureRefusal =
	| 'signature_missing'
	| 'signature_malformed'
	| 'signature_mismatch'
	| 'timestamp_outside_tolerance';

export interface VerifyOptions {
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

export type VerifyResult = SignedBy | { readonly ok: false; readonly reason: SignatureRefusal };

/** Compiled settings: built once and used for every delivery. Immutable. */
export interface Verifier {
	/** The field of the credential that decides in which header the signature is. */
	readonly headerField: string;
	/**
	 * Reads the headers and returns at once if one is missing or malformed, then verifies the raw bytes of the body.
	 * Never throws on input. The signature is checked before the age of the timestamp, so `timestamp_outside_tolerance`
	 * implies a valid signature.
	 */
	verify(headers: DeliveryHeaders, body: Uint8Array, options: VerifyOptions): VerifyResult;
	/** How many seconds the timestamp is behind the time; negative if it is ahead. Undefined without a readable timestamp. */
	secondsBehind(headers: DeliveryHeaders, nowSeconds: number): number | undefined;
}

export type VerifierResult =
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
function isWithinTolerance(timestamp: number, options: VerifyOptions): boolean {
	// Written so that NaN on either side is outside.
	return Math.abs(options.nowSeconds - timestamp) <= options.toleranceSeconds;
}
