/** The scheme `standardWebhooks` (standardwebhooks.com, symmetric signatures): HMAC-SHA256 over `<id>.<timestamp>.<raw body>`. */
import { digestDecoder } from './encoding';
import { eachEntry, singleHeader } from './headers';
import { BODY, type Scheme } from './scheme';
import { isTimestamp } from './timestamp';

const decode = digestDecoder('sha256', 'base64');

// Standard Webhooks 1.0.0, "Signature scheme": an id with a full stop could pass for another id and timestamp.
const ID = /^[\x21-\x2d\x2f-\x7e]+$/;

export const standardWebhooks: Scheme = {
	algorithm: 'sha256',
	read(headers) {
		const signatures = singleHeader(headers, 'webhook-signature');
		if (signatures === undefined) return 'signature_missing';
		const id = singleHeader(headers, 'webhook-id');
		const timestamp = singleHeader(headers, 'webhook-timestamp');
		if (typeof signatures !== 'string' || typeof id !== 'string' || typeof timestamp !== 'string') {
			return 'signature_malformed';
		}

		const candidates: Buffer[] = [];
		eachEntry(signatures, ' ', (start, end) => {
			// `v1a` is the asymmetric kind, which needs a public key.
			if (!signatures.startsWith('v1,', start)) return;
			const candidate = decode(signatures, start + 3, end);
			if (candidate !== undefined) candidates.push(candidate);
		});
		if (candidates.length === 0 || !ID.test(id) || !isTimestamp(timestamp)) {
			return 'signature_malformed';
		}
		return {
			timestamp: Number(timestamp),
			candidates,
			messageId: id,
			parts: [`${id}.${timestamp}.`, BODY],
		};
	},
};
