/** Endpoints that a trigger registers itself, and the rotation of their secrets. */
export {
	hasEndpoint,
	isBeingUnpublished,
	load,
	type Loaded,
	type Registration,
	type RegistrationContext,
	untilMade,
	type WantedEndpoint,
} from './record';
export { canDeliverTo, ensureRegistered, isPublicHttp, unregister } from './registration';
export { dueSteps, nextStepAt, type RotationPlan, stepRegistration } from './rotation';
export { openRegistration, weaknessOf } from './secretBox';
