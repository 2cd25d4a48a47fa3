/** Verification of a delivery's signature: pure functions that take the time as an argument. */
export { signTimestamped } from './sign';
export type {
	DeliveryHeaders,
	SignatureRefusal,
	SignedBy,
	SigningSettings,
	Verifier,
	VerifierResult,
	VerifyOptions,
	VerifyResult,
} from './types';
export { checkSigningSettings, createVerifier } from './verifier';
