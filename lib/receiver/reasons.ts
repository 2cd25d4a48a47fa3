/** Why a delivery does not start a workflow, and what an operator can do about it, for the log and for Get Rejections. */
import { sentence } from '../shared/text';
import type { SignatureRefusal } from '../signature';

/** Why a delivery was rejected: the fixed codes of the log lines. */
export type RefusalReason =
	SignatureRefusal | 'event_invalid' | 'not_configured' | 'ledger_unavailable' | 'busy';

/** The same, plus events that the node does not want. */
type RejectionReason = RefusalReason | 'ignored';

/** What was wrong with such a delivery. */
export const PROBLEMS: Readonly<Record<RejectionReason, string>> = {
	signature_missing: 'it has no signature',
	signature_malformed: 'its signature cannot be read',
	signature_mismatch: 'its signature does not match',
	timestamp_outside_tolerance: 'its timestamp is too old or in the future',
	event_invalid: 'the body is not a JSON object with an ID',
	not_configured: 'the node has no usable signing secret, or a condition that can never match',
	ledger_unavailable: 'the event ledger is not available',
	busy: 'another delivery of this event is still in progress',
	ignored: "its event type is not among 'Trigger On'",
};

/** What is known about one delivery beyond its reason. Its texts contain no secret and nothing of the event. */
export interface Cause {
	/** What was wrong with it. */
	readonly problem?: string | undefined;
	/** What to do, where the general advice does not fit. */
	readonly advice?: string | undefined;
}

/** Each text completes a log line, and becomes a sentence with a capital and a period. */
export const ADVICE: Readonly<Record<RejectionReason, string>> = {
	signature_missing:
		"something else called the URL, or the service uses another header: check 'Signature Header' in the credential",
	signature_malformed:
		"check 'Scheme' in the credential, and look for a proxy that changes headers",
	signature_mismatch:
		'check that the node has the credential with the signing secret of this endpoint (after an import, n8n may have selected another one), and look for a proxy that changes bodies',
	timestamp_outside_tolerance:
		'check the clock of the n8n server, and look for a proxy or queue that delays deliveries',
	event_invalid: 'ask the provider of the service',
	not_configured: 'set the signing secret: select the credential that has it in the node',
	ledger_unavailable:
		'check that the event ledger (its SQLite file or Redis) can be reached and written',
	busy: "the service delivers the event again; if this happens often, check n8n's concurrency limit, its database and how long executions take",
	ignored:
		"nothing to do if the trigger should not start for these events; otherwise check 'Trigger On' in the trigger",
};

/** For an event of a wanted type. */
export const UNMET_ADVICE = ADVICE.ignored.replace("'Trigger On'", "'Conditions'");

/** The problem and the advice in one text, for the log and for a test in the editor. */
export function detailOf(reason: RejectionReason, { problem, advice }: Cause): string {
	const what = advice ?? ADVICE[reason];
	if (problem === undefined) return what;
	return problem.endsWith('.') ? `${problem} ${sentence(what)}` : `${problem}: ${what}`;
}
