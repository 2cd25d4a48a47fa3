/** Signs a body as the service does, for the simulator and for tests. */
import { createHmac } from 'node:crypto';

/**
 * The value of `X-Webhook-Signature`: `t=<timestamp>,v1=<hex>`, HMAC-SHA256 over `<timestamp>.<body>` with the text of
 * the secret as the key. The specification does not define the form (section 6.10); this one is the default, see
 * docs/api-assumptions.md.
 *
 * @param timestamp Unix seconds; a text is used unchanged, so that malformed ones can be signed, too
 * @param body text is signed as UTF-8
 */
export function signTimestamped(
	secret: string,
	timestamp: number | string,
	body: Uint8Array | string,
): string {
	const digest = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
	return `t=${timestamp},v1=${digest}`;
}
