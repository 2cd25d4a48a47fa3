/** A delivery from bytes to verdict: the exports that the webhook trigger uses. */
export type { HandOver } from './batch';
export {
	ADVICE,
	PROBLEMS,
	type RefusalReason,
	type RejectionReason,
	UNMET_ADVICE,
} from './reasons';
export {
	accepted,
	busy,
	DEFAULT_RETENTION_DAYS,
	DEFAULT_TOLERANCE_SECONDS,
	deliveryIdOf,
	type NoStart,
	readTriggerSettings,
	receive,
	type RefusalLog,
	TRIGGER_NUMBERS,
} from './receive';
export { createVerifierCache, type SecretSource, type SignedRefusal } from './verify';
