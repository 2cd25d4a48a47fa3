/** A delivery from bytes to verdict: the exports that the webhook trigger uses. */
export {
	ADVICE,
	PROBLEMS,
	type RefusalReason,
	type RejectionReason,
	UNMET_ADVICE,
} from './verdict';
export { deliveryIdOf, receive } from './receive';
export {
	DEFAULT_RETENTION_DAYS,
	DEFAULT_TOLERANCE_SECONDS,
	MAX_RETENTION_DAYS,
	MIN_RETENTION_DAYS,
	readTriggerSettings,
} from './receive';
export type { HandOver } from './batch';
export { accepted, busy, type NoStart, type RefusalLog } from './verdict';
export { createVerifierCache } from './verify';
export type { SecretSource, SignedRefusal } from './verify';
