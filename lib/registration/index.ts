/** Endpoints that a trigger registers itself, and the rotation of their secrets. */
export { openRegistration, type Registration } from './record';
export { loadRegistration, loadSettled, recognise, register, unregister } from './registration';
export { nextStepAt, replaceLostEndpoint, stepRotation, type RotationPlan } from './rotation';
export {
	RegistrationError,
	type EndpointApi,
	type RecordStore,
	type RegistrationContext,
	type WantedEndpoint,
} from './types';
