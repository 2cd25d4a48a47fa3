/** The accounts of a workflow's events: what became of each, who may see and replay them, and which of them are to run again. */
export {
	type Access,
	accessOf,
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
	MOST_REPLAYED,
	type ReplayScope,
	type Requested,
	requestReplay,
	serveWaiting,
	type StartedReplays,
} from './requests';
export {
	type ListedAccount,
	accountOf,
	type PlacedEvent,
	type ListedState,
	listedStates,
	STATES,
} from './states';
