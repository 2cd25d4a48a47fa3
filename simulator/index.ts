/** A real HTTP server that behaves like the Asset and Webhook Service, for tests, the demo and development. */
export { introduction } from './introduction';
export { startSimulator } from './simulator';
export type {
	ClientInput,
	CommandStat,
	DeliveredEvent,
	DeliveryAttempt,
	DeliveryRecord,
	DeliveryResponse,
	DeliveryResult,
	EmitAllOptions,
	Emitted,
	EmitOptions,
	Endpoint,
	EndpointInput,
	EventInput,
	Fault,
	Faults,
	Incident,
	Profile,
	RequestStat,
	Scope,
	Simulator,
	SimulatorOptions,
	SimulatorStats,
	StationInput,
	Tamper,
} from './shared/types';
