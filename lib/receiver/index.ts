/** A delivery from bytes to verdict: the exports that the webhook trigger uses. */
export {
	ADVICE,
	PROBLEMS,
	type RefusalReason,
	type RejectionReason,
	UNMET_ADVICE,
} from './reasons';
export { deliveryIdOf, receive } from './receive';
export {
	DEFAULT_RETENTION_DAYS,
	DEFAULT_TOLERANCE_SECONDS,
	MAX_RETENTION_DAYS,
	MIN_RETENTION_DAYS,
	readTriggerSettings,
} from './triggerSettings';
export type { HandOver } from './batch';
export { accepted, busy, type NoStart, type RefusalLog } from './verdict';
export { createVerifierCache } from './verifierCache';
export type { SecretSource, SignedRefusal } from './verify';
