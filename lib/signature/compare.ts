/** Computes a delivery's digest and compares it in constant time. */
import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import { DIGEST_BYTES, type Algorithm } from './encoding';
import { BODY, type SignedPart } from './scheme';

/** The digest being compared; overwritten by the next one and never handed out. */
const DIGESTS: Readonly<Record<Algorithm, Buffer>> = {
	sha256: Buffer.alloc(DIGEST_BYTES.sha256),
	sha512: Buffer.alloc(DIGEST_BYTES.sha512),
};

/**
 * Whether one of the candidates, each as long as the digest, signs the parts with this key.
 * The body goes in as bytes: decoding it would change what was signed. Every candidate is compared,
 * also after a match, so that the time taken does not tell which one it was.
 */
export function signsAny(
	algorithm: Algorithm,
	key: KeyObject,
	parts: readonly SignedPart[],
	body: Uint8Array,
	candidates: readonly Buffer[],
): boolean {
	const hmac = createHmac(algorithm, key);
	for (const part of parts) hmac.update(part === BODY ? body : part);
	// Measured: Node hands a digest over faster as a text of one character a byte than as a new buffer.
	const digest = DIGESTS[algorithm];
	digest.write(hmac.digest('binary'), 'binary');

	let equal = false;
	for (const candidate of candidates) {
		if (timingSafeEqual(candidate, digest)) equal = true;
	}
	return equal;
}
