/** The public words of signature verification. */

/** Which of the two configured secrets a signature belongs to. */
export type SecretName = 'current' | 'previous';

/** Why a delivery is refused; also the reason codes of the log. */
export type SignatureRefusal =
	| 'signature_missing'
	| 'signature_malformed'
	| 'signature_mismatch'
	| 'timestamp_outside_tolerance';

/**
 * Header values by lower-case name. Every occurrence of a header is one entry of its array
 * (Node's `headersDistinct`), which is what shows a repeated header; a plain string is one occurrence.
 */
export type DeliveryHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The fields of the credential `assetServiceSigningSecretApi` as stored; `createVerifier` checks them, so any value is allowed. */
export interface SigningSettings {
	/** The endpoint's secret, used as typed. */
	signingSecret?: unknown;
	/** A second secret that is accepted too, during rotation (specification section 6.7); empty is absent. */
	previousSigningSecret?: unknown;
	/** `timestamped` (default), `standardWebhooks` or `custom`. */
	scheme?: unknown;
	/** For `timestamped` and `custom`; default `X-Webhook-Signature`. */
	signatureHeader?: unknown;
	/** For `custom`: `sha256` (default) or `sha512`. */
	algorithm?: unknown;
	/** For `custom`: `hex` (default) or `base64`. */
	encoding?: unknown;
	/** For `custom`: header that carries the unix time in seconds; empty means no age check. */
	timestampHeader?: unknown;
	/** For `custom`: template of the signed bytes; default `{timestamp}.{body}`. */
	signedPayload?: unknown;
	/** For `custom`: text in front of every signature, such as `sha256=`. */
	signaturePrefix?: unknown;
}

export interface VerifyOptions {
	/** The receiver's clock, unix time in seconds. */
	readonly nowSeconds: number;
	/** How far the timestamp may be from the clock, in the past or the future, in seconds; exactly that far is accepted. */
	readonly toleranceSeconds: number;
}

export interface SignedBy {
	readonly ok: true;
	/** The secret that matched; `current` when both do. */
	readonly secret: SecretName;
	/** The signed unix time in seconds; null where the scheme carries none. */
	readonly timestamp: number | null;
	/** The message's id where the signature covers one: the header `webhook-id` of Standard Webhooks. */
	readonly messageId?: string;
}

export type VerifyResult = SignedBy | { readonly ok: false; readonly reason: SignatureRefusal };

/** Compiled settings: built once, used for every delivery. Holds no state that changes. */
export interface Verifier {
	/**
	 * Reads the headers, and refuses at once what is missing or ill-formed in them; then verifies over the raw bytes of
	 * the body. Never throws on input. The signature is judged before the timestamp's age, so
	 * `timestamp_outside_tolerance` is said only of a signature that is right.
	 */
	verify(headers: DeliveryHeaders, body: Uint8Array, options: VerifyOptions): VerifyResult;
}

export type VerifierResult =
	/** `doubts`: sentences about a secret that was probably not meant as typed. */
	| { readonly ok: true; readonly verifier: Verifier; readonly doubts: readonly string[] }
	/** Sentences for people; each names its field and none holds a secret. */
	| { readonly ok: false; readonly problems: readonly string[] };
