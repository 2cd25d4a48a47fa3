/** Verification of a delivery's signature: pure functions that take the time as an argument. */
export type { DeliveryHeaders } from './schemes';
export type { SigningSettings } from './credential';
export {
	checkSigningSettings,
	createVerifier,
	type SignatureRefusal,
	type SignedBy,
	type Verifier,
	type VerifierResult,
	type VerifyOptions,
	type VerifyResult,
} from './verifier';
