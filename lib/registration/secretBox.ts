/** Keeps an endpoint's signing secret encrypted, so that it stands nowhere in plain text. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const VERSION = 'v1';
const SALT_BYTES = 16;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const INFO = 'n8n-nodes-asset-service signing secret';

/**
 * Encrypts `secret` (AES-256-GCM) with a key derived (HKDF-SHA256, a fresh salt) from the client secret.
 * `context` is bound to the result: it opens with the same context only, so a sealed secret cannot be moved to another endpoint.
 */
export function sealSecret(secret: string, clientSecret: string, context: string): string {
	const salt = randomBytes(SALT_BYTES);
	const iv = randomBytes(IV_BYTES);
	const cipher = createCipheriv('aes-256-gcm', deriveKey(clientSecret, salt), iv);
	cipher.setAAD(Buffer.from(context, 'utf8'));
	const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
	const parts = [salt, iv, cipher.getAuthTag(), sealed];
	return [VERSION, ...parts.map((part) => part.toString('base64url'))].join('.');
}

/** Decrypts what `sealSecret` gave; undefined for another client secret, another context or a changed text. Never throws. */
export function openSecret(
	sealed: string,
	clientSecret: string,
	context: string,
): string | undefined {
	const [version, ...texts] = sealed.split('.');
	if (version !== VERSION || texts.length !== 4) return undefined;
	const [salt, iv, tag, body] = texts.map((text) => Buffer.from(text, 'base64url'));
	if (salt === undefined || iv === undefined || tag === undefined || body === undefined) {
		return undefined;
	}
	if (iv.length !== IV_BYTES || tag.length !== TAG_BYTES) return undefined;
	try {
		const decipher = createDecipheriv('aes-256-gcm', deriveKey(clientSecret, salt), iv);
		decipher.setAAD(Buffer.from(context, 'utf8'));
		decipher.setAuthTag(tag);
		return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
	} catch {
		return undefined;
	}
}

/** HKDF without stretching: a client secret is random text of a machine, not a password of a person. */
function deriveKey(clientSecret: string, salt: Buffer): Buffer {
	return Buffer.from(hkdfSync('sha256', clientSecret, salt, INFO, 32));
}
