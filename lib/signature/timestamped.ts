/** The scheme `timestamped`: one header, `t=<unix seconds>,v1=<hex>`, HMAC-SHA256 over `<t>.<raw body>`. */
import { digestDecoder } from './encoding';
import { eachEntry, singleHeader } from './headers';
import { BODY, type Scheme } from './scheme';
import { isTimestamp } from './timestamp';

const decode = digestDecoder('sha256', 'hex');

/** `header` is the lower-case name of the signature header. */
export function timestamped(header: string): Scheme {
	return {
		algorithm: 'sha256',
		read(headers) {
			const value = singleHeader(headers, header);
			if (value === undefined) return 'signature_missing';
			if (value === null) return 'signature_malformed';

			let timestamp = '';
			let timestamps = 0;
			const candidates: Buffer[] = [];
			eachEntry(value, ',', (start, end) => {
				if (value.startsWith('v1=', start)) {
					const candidate = decode(value, start + 3, end);
					if (candidate !== undefined) candidates.push(candidate);
				} else if (value.startsWith('t=', start)) {
					timestamp = value.slice(start + 2, end);
					timestamps += 1;
				}
			});
			// Two timestamps would leave open which one was signed.
			if (timestamps !== 1 || !isTimestamp(timestamp) || candidates.length === 0) {
				return 'signature_malformed';
			}
			return { timestamp: Number(timestamp), candidates, parts: [`${timestamp}.`, BODY] };
		},
	};
}
