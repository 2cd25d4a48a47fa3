/** The event ledger: the exports that the nodes use. */
export type {
	Acknowledge,
	Claim,
	Committed,
	Entry,
	EntryState,
	Hold,
	Ledger,
	Records,
} from './common/types';
export { LedgerUnavailableError } from './common/errors';
export { changeRecord } from './common/changeRecord';
export { ledgerKey } from './common/key';
export { claimOrWait } from './claimOrWait';
export type { ClaimHold } from './hold';
export { openLedger } from './open';
export { beginOrWait, markBegun } from './beginOrWait';
export { attemptOf, newAttempt, type Attempt } from './common/attempt';
