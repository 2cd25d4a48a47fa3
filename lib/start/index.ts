/** Starts the workflow for items of the ledger: the exports that the polling triggers use. */
export {
	dueIn,
	hasBegun,
	isUnsettled,
	RETENTION_MS,
	start,
	type Start,
	type Startable,
} from './start';
