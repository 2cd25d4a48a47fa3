/** The event ledger: the exports that the nodes use. */
export type { Records } from './common/store';
export type { EntryState } from './life/states';
export type { Account } from './life/account';
export type { Outcome } from './life/steps';
export type { Acknowledge, Claim, Ledger } from './types';
export { LedgerUnavailableError } from './common/errors';
export { changeRecord } from './common/changeRecord';
export { ledgerKey } from './common/key';
export { attemptOf, newAttempt, type Attempt } from './life/attempt';
export { MOST_ATTEMPTS } from './life/states';
export { openLedger } from './open';
export { claimOrWait } from './claimOrWait';
export { commitHold, type Hold, releaseHold } from './hold';
export { beginOrWait } from './beginOrWait';
export { untilWritten } from './later';
