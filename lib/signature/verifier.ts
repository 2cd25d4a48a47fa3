/** Combines a scheme and its keys: reads the headers, then verifies the raw body. */
import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import { types } from 'node:util';
import { compileCredential } from './credential';
import type { SigningKey } from './fields';
import type { ReadSignature, Scheme } from './schemes';
import { BODY } from './template';
import type {
	DeliveryHeaders,
	SecretName,
	SigningSettings,
	Verifier,
	VerifierResult,
	VerifyOptions,
	VerifyResult,
} from './types';

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
