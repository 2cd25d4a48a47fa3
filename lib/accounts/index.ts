/** The accounts of a workflow's events: what became of each, who may see and replay them, and which of them are to run again. */
export { type Access, accessOf } from './access';
export {
	notePublication,
	notePublishedAt,
	pollTriggers,
	stationTriggers,
	type Publication,
	readPublication,
	type PublishedSettings,
	triggersOf,
	wantedBy,
	wantedByAny,
} from './publication';
export {
	canReopen,
	forgetWaiting,
	keepWaiting,
	MOST_REPLAYED,
	readWaiting,
	type Requested,
	requestReplay,
	type WaitingReplays,
	waitingKeys,
} from './requests';
export { type ReplayScope, serveWaiting, type StartedReplays } from './serve';
export {
	type ListedAccount,
	accountOf,
	type PlacedEvent,
	type ListedState,
	listedStates,
	STATES,
} from './states';
