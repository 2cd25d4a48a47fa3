/** Shared by the signature tests: verifies a delivery in one call. */
import {
	createVerifier,
	type DeliveryHeaders,
	type SigningSettings,
	type Verifier,
} from '../../../lib/signature';

export const NOW = 1_700_000_000;
export const SECRET = 'a signing secret';
export const BODY = Buffer.from('{"id":"whevt_1"}');

export function verifierOf(settings: SigningSettings): Verifier {
	const made = createVerifier(settings);
	if (!made.ok) throw new Error(made.problems.join(' '));
	return made.verifier;
}

export interface Delivery {
	readonly settings?: SigningSettings;
	readonly headers: DeliveryHeaders;
	readonly body?: Uint8Array;
	readonly options?: Partial<Parameters<Verifier['verify']>[2]>;
}

/** Verifies as the trigger does; by default at `NOW` with the tolerance of the specification. */
export function judge({
	settings,
	headers,
	body = BODY,
	options,
}: Delivery): ReturnType<Verifier['verify']> {
	const verifier = verifierOf({ signingSecret: SECRET, ...settings });
	return verifier.verify(headers, body, {
		nowSeconds: NOW,
		toleranceSeconds: 300,
		...options,
	});
}

/** A copy with one bit turned over. */
export function flipBit(bytes: Uint8Array, bit: number): Buffer {
	const copy = Buffer.from(bytes);
	const index = Math.floor(bit / 8);
	copy[index] = (copy[index] ?? 0) ^ (1 << (bit % 8));
	return copy;
}
