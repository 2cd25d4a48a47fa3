/** Puts a scheme and its keys together: reads the headers, then verifies over the raw body. */
import { types } from 'node:util';
import { signsAny } from './compare';
import type { Reading, Scheme } from './scheme';
import type { SigningKey } from './secrets';
import { compileSettings } from './settings';
import { isWithinTolerance } from './timestamp';
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
 * a secret that its scheme cannot decode, a template that does not sign the body. What merely looks
 * like a mistake is told by `checkSigningSettings`.
 */
export function createVerifier(settings: SigningSettings): VerifierResult {
	const { usable, blocking } = compileSettings(settings);
	if (usable === undefined) return { ok: false, problems: blocking };
	return { ok: true, verifier: new CompiledVerifier(usable.scheme, usable.keys) };
}

/** Every problem in the shape of the settings, as sentences that name the field and hold no secret; empty when all is well. */
export function checkSigningSettings(settings: SigningSettings): readonly string[] {
	const { blocking, remarks } = compileSettings(settings);
	return [...blocking, ...remarks];
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

	/** Computes every key's digest, also after a match, so that the time taken does not tell which secret is in use. */
	private match(reading: Reading, body: Uint8Array): SecretName | undefined {
		if (!types.isUint8Array(body)) return undefined;
		let matched: SecretName | undefined;
		for (const { name, key } of this.keys) {
			const { parts, candidates } = reading;
			if (signsAny(this.scheme.algorithm, key, parts, body, candidates)) matched ??= name;
		}
		return matched;
	}
}
