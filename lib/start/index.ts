/** Starts the workflow for items of the ledger: the exports that the polling triggers use. */
export {
	isDue,
	hasBegun,
	isUnsettled,
	RETENTION_MS,
	start,
	type Start,
	type Startable,
} from './start';
