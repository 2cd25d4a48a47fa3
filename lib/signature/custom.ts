/** The scheme `custom`: header, algorithm, encoding, prefix and signed bytes as the credential says. */
import { digestDecoder, type Algorithm, type Encoding } from './encoding';
import { singleHeader } from './headers';
import type { Scheme } from './scheme';
import type { Template } from './template';
import { isTimestamp } from './timestamp';

export interface CustomSettings {
	/** Lower-case name. */
	readonly signatureHeader: string;
	readonly algorithm: Algorithm;
	readonly encoding: Encoding;
	/** Lower-case name; null: no timestamp, hence no age check, and the template names none. */
	readonly timestampHeader: string | null;
	readonly template: Template;
	/** Begins neither with white space nor with a comma, but may hold them, as `HMAC ` does. */
	readonly prefix: string;
}

export function custom(settings: CustomSettings): Scheme {
	const { signatureHeader, algorithm, timestampHeader, template } = settings;
	const decode = digestDecoder(algorithm, settings.encoding);
	const entries = entryPattern(settings.prefix);
	return {
		algorithm,
		read(headers) {
			const value = singleHeader(headers, signatureHeader);
			if (value === undefined) return 'signature_missing';
			if (value === null) return 'signature_malformed';

			const candidates: Buffer[] = [];
			for (const [, text = ''] of value.matchAll(entries)) {
				const candidate = decode(text, 0, text.length);
				if (candidate !== undefined) candidates.push(candidate);
			}
			if (candidates.length === 0) return 'signature_malformed';
			if (timestampHeader === null) {
				return { timestamp: null, candidates, parts: template.fill('') };
			}
			const timestamp = singleHeader(headers, timestampHeader);
			if (typeof timestamp !== 'string' || !isTimestamp(timestamp)) return 'signature_malformed';
			return { timestamp: Number(timestamp), candidates, parts: template.fill(timestamp) };
		},
	};
}

/** Finds what follows the prefix in each entry of a list separated by commas and white space. */
function entryPattern(prefix: string): RegExp {
	const literal = prefix.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
	return new RegExp(`(?<![^\\s,])${literal}([^\\s,]+)`, 'g');
}
