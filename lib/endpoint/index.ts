/** Endpoints that a trigger registers itself, and the rotation of their secrets. */
export { loadSettled, settled, type Settled } from './mark';
export { holdsEndpoint, isBeingUnpublished, load, type Loaded, type Registration } from './record';
export { reconcile, unregister } from './reconcile';
export { openRegistration } from './secretBox';
export { nextStepAt, stepRegistration, type RotationPlan } from './steps';
export {
	RegistrationError,
	type EndpointApi,
	type RecordStore,
	type RegistrationContext,
	type WantedEndpoint,
} from './types';
