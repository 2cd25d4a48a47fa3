/** Builds the body and headers of one delivery, either valid or wrong in a chosen way. */

import { createHmac } from 'node:crypto';
import { newSigningSecret } from '../shared/ids';
import type { DeliveredEvent, ServiceForm, Sign, Tamper } from '../shared/types';

export interface SignedDelivery {
	headers: Record<string, string>;
	body: string;
}

/** Twice the tolerance of 5 minutes (specification section 8), so that no clock difference makes it valid. */
const OUTSIDE_TOLERANCE_SECONDS = 600;
const TRUNCATED_HEX_DIGITS = 32;

/**
 * A delivery of an event, signed now:
 * `none` is valid, `forged` is signed with another secret, `altered` has a different body than was signed,
 * `stale` and `future` are correctly signed 10 minutes ago or from now, `truncated` has the first half of the signature,
 * `unsigned` has no signature header.
 */
export function signedDelivery(
	event: DeliveredEvent,
	options: {
		secret: string;
		deliveryId: string;
		nowMs: number;
		tamper?: Tamper | undefined;
		sign?: Sign | undefined;
		/** The body for the event; the event itself by default. */
		bodyOf?: ServiceForm['deliveredEvent'];
	},
): SignedDelivery {
	const { deliveryId, nowMs, tamper = 'none', sign = asTheService, bodyOf } = options;
	const body = JSON.stringify(bodyOf?.(event) ?? event);
	const timestamp = Math.floor(nowMs / 1000) + clockError(tamper);
	const secret = tamper === 'forged' ? newSigningSecret() : options.secret;
	const headers: Record<string, string> = {
		'content-type': 'application/json',
		...sign({ secret, deliveryId, timestamp, body }),
	};
	const { [SIGNATURE]: signature } = headers;
	if (tamper === 'truncated' && signature) headers[SIGNATURE] = truncated(signature);
	if (tamper === 'unsigned') Reflect.deleteProperty(headers, SIGNATURE);
	return { headers, body: tamper === 'altered' ? altered(event) : body };
}

const SIGNATURE = 'x-webhook-signature';

/** The headers of the default, see docs/api-assumptions.md. */
const asTheService: Sign = ({ secret, deliveryId, timestamp, body }) => ({
	'x-webhook-delivery-id': deliveryId,
	'x-webhook-timestamp': String(timestamp),
	[SIGNATURE]: signTimestamped(secret, timestamp, body),
});

function clockError(tamper: Tamper): number {
	if (tamper === 'stale') return -OUTSIDE_TOLERANCE_SECONDS;
	return tamper === 'future' ? OUTSIDE_TOLERANCE_SECONDS : 0;
}

function truncated(signature: string): string {
	return signature.slice(0, -TRUNCATED_HEX_DIGITS);
}

function altered(event: DeliveredEvent): string {
	return JSON.stringify({ ...event, data: { ...event.data, altered: true } });
}

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
