/** IDs and secrets in the formats that the service is known to use. */
import { randomBytes } from 'node:crypto';

type IdPrefix = 'whevt' | 'we' | 'whdel' | 'client';

export function newId(prefix: IdPrefix): string {
	return `${prefix}_${randomBytes(12).toString('hex')}`;
}

/** A signing secret: 24 random bytes in base64, which Standard Webhooks libraries can also decode. */
export function newSigningSecret(): string {
	return `whsec_${randomBytes(24).toString('base64')}`;
}

/** A client secret or an access token: 32 random bytes. */
export function newSecret(): string {
	return randomBytes(32).toString('base64url');
}
