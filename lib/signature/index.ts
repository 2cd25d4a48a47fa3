/** Verification of a delivery's signature: pure functions that take the time as an argument. */
export {
	checkScheme,
	checkSigningSettings,
	createVerifier,
	type SchemeSettings,
	type SigningSettings,
} from './credential';
export type { DeliveryHeaders, SignatureRefusal, SignedBy, Verifier } from './verifier';
