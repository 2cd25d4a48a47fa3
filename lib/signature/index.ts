/** Verification of a delivery's signature: pure functions that take the time as an argument. */
export {
	checkSigningSettings,
	createVerifier,
	type SigningSettings,
	type VerifierResult,
} from './credential';
export type {
	DeliveryHeaders,
	SignatureRefusal,
	SignedBy,
	Verifier,
	VerifyOptions,
} from './verifier';
