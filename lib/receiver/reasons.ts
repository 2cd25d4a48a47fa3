/** Why a delivery does not start a workflow, and what an operator can do about it: for the log, and for Get Rejections. */
import type { SignatureRefusal } from '../signature';

/** Why a delivery was refused: the fixed codes of the log lines. */
export type RefusalReason =
	SignatureRefusal | 'event_invalid' | 'not_configured' | 'ledger_unavailable' | 'busy';

/** The same, and events that the node does not want. */
export type RejectionReason = RefusalReason | 'ignored';

/** Each completes a line of the log, and is a sentence but for its capital and its period. */
export const ADVICE: Readonly<Record<RejectionReason, string>> = {
	signature_missing:
		'something other than the service called the URL, or the service signs in another header: check the scheme and the header in the signing secret credential',
	signature_malformed:
		'check the scheme in the signing secret credential, and that no proxy changes or repeats headers',
	signature_mismatch:
		'check that the credential holds the signing secret of this endpoint, and that no proxy changes the body',
	timestamp_outside_tolerance:
		'check the clock of this host, and that the delivery was not sent again by something other than the service',
	event_invalid:
		'the signed body is not a JSON object with an ID: report it to the provider of the service',
	not_configured: 'set the signing secret in the credential of the node',
	ledger_unavailable:
		'check that the event ledger (its SQLite file or Redis) can be reached and written',
	busy: 'the service delivers the event again; if this happens often, check the concurrency limit of n8n, its database and how long executions take',
	ignored:
		'nothing to do if the trigger should not start for these events; otherwise check its event types and conditions',
};
