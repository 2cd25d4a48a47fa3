/** Encrypts an endpoint's signing secret: it is never stored in plain text. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Registration } from './record';

const VERSION = 'v1';
const SALT_BYTES = 16;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const INFO = 'n8n-nodes-asset-service signing secret';

/** Shorter client secrets could be brute-forced from a stolen record. */
const STRONG_LENGTH = 16;

/** The warning for operators about a client secret that is too weak to seal a signing secret with; undefined for a strong one. */
export function weaknessOf(clientSecret: string): string | undefined {
	if (clientSecret.length >= STRONG_LENGTH) return undefined;
	return `the client secret of the credential is weak (under ${STRONG_LENGTH} characters), and the signing secret is encrypted with it: anyone who can read the ledger could brute-force both. Request a longer client secret from the service`;
}

/**
 * Creates the record of an endpoint, with its secret encrypted (AES-256-GCM) with a key derived (HKDF-SHA256, a fresh salt) from
 * the client secret. Its ID is bound to the result, so that a sealed secret cannot be moved to another endpoint.
 */
export function sealEndpoint(
	{ id, secret }: { readonly id: string; readonly secret: string },
	clientSecret: string,
	createdAt: number,
): NonNullable<Registration['current']> {
	const salt = randomBytes(SALT_BYTES);
	const iv = randomBytes(IV_BYTES);
	const cipher = createCipheriv('aes-256-gcm', deriveKey(clientSecret, salt), iv);
	cipher.setAAD(Buffer.from(id, 'utf8'));
	const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
	const parts = [salt, iv, cipher.getAuthTag(), sealed].map((part) => part.toString('base64url'));
	return { id, sealedSecret: [VERSION, ...parts].join('.'), createdAt };
}

/** The secrets in plain text, in the form that the verifier takes; undefined without an endpoint, and if they were sealed with another client secret. */
export function openRegistration({ current, previous }: Registration, clientSecret: string) {
	const signingSecret = current && openSecret(current, clientSecret);
	if (signingSecret === undefined) return undefined;
	const previousSigningSecret = previous && openSecret(previous, clientSecret);
	return { signingSecret, ...(previousSigningSecret !== undefined && { previousSigningSecret }) };
}

/** Decrypts what `sealEndpoint` sealed; undefined for another client secret, another endpoint or a changed text. Never throws. */
function openSecret(
	{ id, sealedSecret }: NonNullable<Registration['current']>,
	clientSecret: string,
): string | undefined {
	const [version, ...texts] = sealedSecret.split('.');
	if (version !== VERSION || texts.length !== 4) return undefined;
	const [salt, iv, tag, body] = texts.map((text) => Buffer.from(text, 'base64url'));
	if (salt === undefined || body === undefined) return undefined;
	if (iv?.length !== IV_BYTES || tag?.length !== TAG_BYTES) return undefined;
	try {
		const decipher = createDecipheriv('aes-256-gcm', deriveKey(clientSecret, salt), iv);
		decipher.setAAD(Buffer.from(id, 'utf8'));
		decipher.setAuthTag(tag);
		return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
	} catch {
		return undefined;
	}
}

/** HKDF without stretching: a client secret is random text from a machine, not a person's password. */
function deriveKey(clientSecret: string, salt: Buffer): Buffer {
	return Buffer.from(hkdfSync('sha256', clientSecret, salt, INFO, 32));
}
