/** A delivery from bytes to verdict: the exports that the webhook trigger uses. */
export type { HandOver } from './batch';
export { REASONS, type RefusalReason, UNMET_ADVICE } from './reasons';
export {
	accepted,
	busy,
	deliveryIdOf,
	type NoStart,
	readTriggerSettings,
	receive,
	TRIGGER_NUMBERS,
} from './receive';
export { createVerifierCache, type SecretSource } from './verify';
