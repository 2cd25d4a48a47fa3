/** The public types of signature verification. */

/** Which of the two configured secrets matched a signature. */
export type SecretName = 'current' | 'previous';

/** Why a signature is rejected; also the reason codes of the log. */
export type SignatureRefusal =
	| 'signature_missing'
	| 'signature_malformed'
	| 'signature_mismatch'
	| 'timestamp_outside_tolerance';

/**
 * Header values by lowercase name. In an array, each entry is one occurrence of the header (Node's `headersDistinct`),
 * so repeated headers are visible; a plain string is one occurrence.
 */
export type DeliveryHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The fields of the credential `assetServiceSigningSecretApi` as stored; `createVerifier` checks them, so any value is allowed. */
export interface SigningSettings {
	/** The endpoint's secret, used as typed. */
	signingSecret?: unknown;
	/** A second secret that is also accepted, during rotation (specification section 6.7); empty means none. */
	previousSigningSecret?: unknown;
	/** `timestamped` (default), `standardWebhooks` or `custom`. */
	scheme?: unknown;
	/** For `timestamped` and `custom`; default `X-Webhook-Signature`. */
	signatureHeader?: unknown;
	/** For `custom`: `sha256` (default) or `sha512`. */
	algorithm?: unknown;
	/** For `custom`: `hex` (default) or `base64`. */
	encoding?: unknown;
	/** For `custom`: header that carries the Unix time in seconds; empty means no age check. */
	timestampHeader?: unknown;
	/** For `custom`: template of the signed bytes; default `{timestamp}.{body}`. */
	signedPayload?: unknown;
	/** For `custom`: text before each signature, such as `sha256=`. */
	signaturePrefix?: unknown;
}

export interface VerifyOptions {
	/** The receiver's time, in Unix seconds. */
	readonly nowSeconds: number;
	/** How far the timestamp may be from the receiver's time, in the past or the future, in seconds (inclusive). */
	readonly toleranceSeconds: number;
}

export interface SignedBy {
	readonly ok: true;
	/** The secret that matched; `current` if both did. */
	readonly secret: SecretName;
	/** The signed Unix time in seconds; null if the scheme has none. */
	readonly timestamp: number | null;
	/** The message ID, if the signature covers one: the header `webhook-id` of Standard Webhooks. */
	readonly messageId?: string | undefined;
}

export type VerifyResult = SignedBy | { readonly ok: false; readonly reason: SignatureRefusal };

/** Compiled settings: built once and used for every delivery. Immutable. */
export interface Verifier {
	/** The field of the credential that decides in which header the signature is. */
	readonly headerField: string;
	/**
	 * Reads the headers and returns at once if one is missing or malformed, then verifies the raw bytes of the body.
	 * Never throws on input. The signature is checked before the age of the timestamp, so `timestamp_outside_tolerance`
	 * implies a valid signature.
	 */
	verify(headers: DeliveryHeaders, body: Uint8Array, options: VerifyOptions): VerifyResult;
	/** How many seconds the timestamp is behind the time; negative if it is ahead. Undefined without a readable timestamp. */
	secondsBehind(headers: DeliveryHeaders, nowSeconds: number): number | undefined;
}

export type VerifierResult =
	/** `doubts`: sentences about a secret that probably has a typing mistake. */
	| { readonly ok: true; readonly verifier: Verifier; readonly doubts: readonly string[] }
	/** Sentences for people. Each names its field; none contains a secret. */
	| { readonly ok: false; readonly problems: readonly string[] };
