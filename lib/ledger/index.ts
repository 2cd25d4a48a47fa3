/** The event ledger: the exports that the nodes use. */
export type { Records } from './common/store';
export type { EntryState } from './life/states';
export type { Account } from './life/states';
export type { Outcome } from './life/steps';
export type { Acknowledge, Claim, Ledger } from './types';
export { LedgerUnavailableError } from './common/store';
export { changeRecord } from './common/store';
export { ledgerKey } from './types';
export { attemptOf, newAttempt, type Attempt } from './life/steps';
export { MOST_ATTEMPTS } from './life/states';
export { openLedger } from './open';
export { claimOrWait } from './claimOrWait';
export { commitHold, type Hold, releaseHold } from './untilWritten';
export { beginOrWait } from './untilWritten';
export { untilWritten } from './untilWritten';
