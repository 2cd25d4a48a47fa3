/** Endpoints that a trigger registers itself, and the rotation of their secrets. */
export { canDeliverTo, isPublicHttp } from './deliverableUrl';
export { dueSteps } from './dueSteps';
export { watchMark, type WatchedMark } from './mark';
export { hasEndpoint, isBeingUnpublished, load, type Loaded, type Registration } from './record';
export { ensureRegistered, unregister } from './publish';
export { openRegistration, weaknessOf } from './secretBox';
export { nextStepAt, stepRegistration, type RotationPlan } from './steps';
export {
	RegistrationError,
	type RecordSlot,
	type RegistrationContext,
	type WantedEndpoint,
} from './types';
