/** Why a delivery does not start a workflow, and what an operator can do about it, for the log and for Get Rejections. */
import { sentence } from '../shared/text';
import type { SignatureRefusal } from '../signature';

/** Why a delivery was rejected: the fixed codes of the log lines. */
export type RefusalReason =
	| SignatureRefusal
	| 'event_invalid'
	| 'event_too_large'
	| 'not_configured'
	| 'ledger_unavailable'
	| 'busy';

/** The same, plus events that the node does not want. */
type RejectionReason = RefusalReason | 'ignored';

/** What is known about one delivery beyond its reason. Its texts contain no secret and nothing of the event. */
export interface Cause {
	/** What was wrong with it. */
	readonly problem?: string | undefined;
	/** What to do, where the general advice does not fit. */
	readonly advice?: string | undefined;
}

/** What was wrong with such a delivery, and what to do: the advice completes a log line, and becomes a sentence with a capital and a period. */
export const REASONS: Readonly<
	Record<RejectionReason, { readonly problem: string; readonly advice: string }>
> = {
	signature_missing: {
		problem: 'it has no signature',
		advice:
			"something else called the URL, or the service uses another header: check 'Signature Header' in the credential",
	},
	signature_malformed: {
		problem: 'its signature cannot be read',
		advice: "check 'Scheme' in the credential, and look for a proxy that changes headers",
	},
	signature_mismatch: {
		problem: 'its signature does not match',
		advice:
			'check that the node has the credential with the signing secret of this endpoint (after an import, n8n may have selected another one), and look for a proxy that changes bodies',
	},
	timestamp_outside_tolerance: {
		problem: 'its timestamp is too old or in the future',
		advice:
			'check the clock of the n8n server, and look for a proxy or queue that delays deliveries',
	},
	event_invalid: {
		problem: 'the body is not a JSON object with an ID',
		advice: 'ask the provider of the service',
	},
	event_too_large: {
		problem: 'the event is nested too deep, or has too many values or too long an ID',
		advice: 'ask the provider of the service',
	},
	not_configured: {
		problem: 'the node has no usable signing secret, or a condition that can never match',
		advice: 'set the signing secret: select the credential that has it in the node',
	},
	ledger_unavailable: {
		problem: 'the event ledger is not available',
		advice: 'check that the event ledger (its SQLite file or Redis) can be reached and written',
	},
	busy: {
		problem: 'another delivery of this event is still in progress',
		advice:
			"the service delivers the event again; if this happens often, check n8n's concurrency limit, its database and how long executions take",
	},
	ignored: {
		problem: "its event type is not among 'Trigger On'",
		advice:
			"nothing to do if the trigger should not start for these events; otherwise check 'Trigger On' in the trigger",
	},
};

/** For an event of a wanted type. */
export const UNMET_ADVICE = REASONS.ignored.advice.replace("'Trigger On'", "'Conditions'");

/** The problem and the advice in one text, for the log and for a test in the editor. */
export function detailOf(reason: RejectionReason, { problem, advice }: Cause): string {
	const what = advice ?? REASONS[reason].advice;
	if (problem === undefined) return what;
	return problem.endsWith('.') ? `${problem} ${sentence(what)}` : `${problem}: ${what}`;
}
