/** The event ledger: the exports that the nodes use. */
export { claimOrWait } from './claimOrWait';
export { contentOf, type Format, numbered, type RecordFormat, recordFormat } from './common/format';
export { changeRecord, changeRecords, LedgerUnavailableError, type Records } from './common/store';
export { type Account, type EntryState, MOST_ATTEMPTS } from './life/states';
export { attemptOf, newAttempt, type Outcome } from './life/steps';
export { openLedger } from './open';
export { type Acknowledge, type Claim, type Ledger, ledgerKey } from './types';
export {
	BEGUN_FOR_GOOD_MS,
	beginOrWait,
	commitHold,
	type Hold,
	releaseHold,
	untilWritten,
} from './untilWritten';
