/** Puts a scheme and its keys together: reads the headers, then verifies over the raw body. */
import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import { types } from 'node:util';
import { compileCredential } from './credential';
import type { SigningKey } from './fields';
import type { Reading, Scheme } from './schemes';
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
 * Compiles the stored credential once, to be used for every delivery.
 *
 * Not ok, with the problems, when no delivery can be verified with these settings: an empty secret,
 * a secret that its scheme cannot decode, a template that does not sign the body. `checkSigningSettings`
 * reports what merely looks like a mistake.
 */
export function createVerifier(settings: SigningSettings): VerifierResult {
	const { usable, blocking, doubts } = compileCredential(settings);
	if (usable === undefined) return { ok: false, problems: blocking };
	return { ok: true, verifier: new CompiledVerifier(usable.scheme, usable.keys), doubts };
}

/** Every problem in the shape of the settings, as sentences that name the field and hold no secret; empty when all is well. */
export function checkSigningSettings(settings: SigningSettings): readonly string[] {
	const { blocking, doubts, remarks } = compileCredential(settings);
	return [...blocking, ...doubts, ...remarks];
}

class CompiledVerifier implements Verifier {
	constructor(
		private readonly scheme: Scheme,
		private readonly keys: readonly SigningKey[],
	) {}

	verify(headers: DeliveryHeaders, body: Uint8Array, options: VerifyOptions): VerifyResult {
		const reading = this.scheme.read(headers);
		if (typeof reading === 'string') return { ok: false, reason: reading };

		const secret = this.match(reading, body);
		if (secret === undefined) return { ok: false, reason: 'signature_mismatch' };

		const { timestamp, messageId } = reading;
		if (timestamp !== null && !isWithinTolerance(timestamp, options)) {
			return { ok: false, reason: 'timestamp_outside_tolerance' };
		}
		return { ok: true, secret, timestamp, ...(messageId !== undefined && { messageId }) };
	}

	/** Computes every key's digest, also after a match, so that the time taken does not show which secret is in use. */
	private match(reading: Reading, body: Uint8Array): SecretName | undefined {
		if (!types.isUint8Array(body)) return undefined;
		const matching = this.keys.filter(({ key }) => this.signs(key, reading, body));
		return matching[0]?.name;
	}

	/**
	 * Whether one of the candidates is the digest that this key gives. The body goes in as bytes: decoding it would change
	 * what was signed. Every candidate is compared, also after a match, so that the time taken does not show which one it was.
	 */
	private signs(key: KeyObject, { parts, candidates }: Reading, body: Uint8Array): boolean {
		const hmac = createHmac(this.scheme.algorithm, key);
		for (const part of parts) hmac.update(part === BODY ? body : part);
		const digest = hmac.digest();
		return candidates.filter((candidate) => timingSafeEqual(candidate, digest)).length > 0;
	}
}

/** True up to and including the tolerance, in both directions (specification section 6.3). */
export function isWithinTolerance(timestamp: number, options: VerifyOptions): boolean {
	// Written so that a NaN on any side is outside.
	return Math.abs(options.nowSeconds - timestamp) <= options.toleranceSeconds;
}
