/** The ledger of events seen: what the nodes may use of it. */
export type { Claim, ClaimAnswer, EntryState, Hold, Ledger, Records } from './types';
export { LedgerUnavailableError } from './errors';
export { ledgerKey } from './key';
export { claimOrWait, type ClaimOrWaitOptions, type ClaimOutcome } from './claimOrWait';
export { openLedger, type OpenLedgerOptions } from './open';
export { beginOrWait, type BeginOptions } from './beginOrWait';
