/** The ledger of events seen: what the nodes may use of it. */
export type { Claim, EntryState, Hold, Ledger, Records } from './types';
export { LedgerUnavailableError } from './errors';
export { ledgerKey } from './key';
export { claimOrWait } from './claimOrWait';
export type { ClaimHold } from './hold';
export { openLedger } from './open';
export { beginOrWait, markBegun } from './beginOrWait';
export { newAttempt } from './token';
