/** The accounts of a workflow's events: what became of each, who may see and replay them, and which of them are to run again. */
export {
	notePublication,
	notePublishedAt,
	type Publication,
	readPublication,
	type PublishedSettings,
	triggersIn,
} from './publication';
export { canReopen, MOST_REPLAYED, type Requested, requestReplay, serveWaiting } from './requests';
export { type ListedAccount, accountOf, listedStates, STATES } from './states';
