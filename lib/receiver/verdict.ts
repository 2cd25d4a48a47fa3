/** All outcomes of a delivery: the workflow starts, or the sender gets a response that makes it do the right thing, and an operator the reason. */
import type { ParsedEvent } from '../event';
import { sentence } from '../shared/text';
import type { SignatureRefusal } from '../signature';
import type { HandOver } from './batch';

/** Why a delivery was rejected: the fixed codes of the log lines. */
export type RefusalReason =
	SignatureRefusal | 'event_invalid' | 'not_configured' | 'ledger_unavailable' | 'busy';

/** The same, plus events that the node does not want. */
export type RejectionReason = RefusalReason | 'ignored';

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
function detailOf(reason: RejectionReason, { problem, advice }: Cause): string {
	const what = advice ?? ADVICE[reason];
	if (problem === undefined) return what;
	return problem.endsWith('.') ? `${problem} ${sentence(what)}` : `${problem}: ${what}`;
}

interface Response {
	readonly status: number;
	readonly body: { readonly status: string };
	readonly headers?: Readonly<Record<string, string>>;
}

/** For operators: `detail` says what to do and contains neither a secret nor any part of the payload. */
export interface RefusalLog {
	readonly reason: RefusalReason;
	readonly detail: string;
	/** Its parts; absent if the detail is the general advice or contains its own. */
	readonly cause?: Cause;
}

export type Verdict = StartVerdict | NoStart;

/** Start the workflow with these items. A test in the editor has nothing to settle. */
interface StartVerdict extends Partial<HandOver> {
	readonly start: true;
	readonly items: HandOver['items'];
}

export interface NoStart {
	readonly start: false;
	readonly response: Response;
	readonly log?: RefusalLog;
	/** The unwanted event, for a person who is testing the node. */
	readonly ignored?: ParsedEvent;
}

/** Nothing left to do, and the sender must not retry: 200. */
export const accepted = finished('accepted');
export const duplicate = finished('duplicate');
export function ignored(event: ParsedEvent): NoStart {
	return { ...finished('ignored'), ignored: event };
}

/** A body without bytes to check a signature over: 401, since anyone may have sent it. */
export function unreadable(contentType: string | undefined): NoStart {
	const detail = /^multipart\/form-data\b/i.test(contentType ?? '')
		? 'the body is multipart/form-data, which n8n parses without keeping the signed bytes: ask the provider of the service to send JSON'
		: 'n8n could not read the body: it broke off, cannot be decompressed, or is larger than N8N_PAYLOAD_SIZE_MAX';
	return { ...refused('event_invalid', detail), response: rejected };
}

const rejected: Response = { status: 401, body: { status: 'rejected' } };
const unavailable: Response = { status: 503, body: { status: 'unavailable' } };

/** A 5xx makes the sender retry, so an event is not lost when the reason is on this side. */
const responses: Readonly<Record<RefusalReason, Response>> = {
	signature_missing: rejected,
	signature_malformed: rejected,
	signature_mismatch: rejected,
	timestamp_outside_tolerance: rejected,
	event_invalid: { status: 400, body: { status: 'invalid' } },
	not_configured: unavailable,
	ledger_unavailable: unavailable,
	busy: { status: 503, body: { status: 'busy' }, headers: { 'Retry-After': '60' } },
};

/** The verdict for a rejection, with the general advice unless more is known. A text contains its own advice. */
export function refused(reason: RefusalReason, known: Cause | string = ADVICE[reason]): NoStart {
	const log =
		typeof known === 'string'
			? { reason, detail: known }
			: { reason, detail: detailOf(reason, known), cause: known };
	return { start: false, response: responses[reason], log };
}

function finished(status: string): NoStart {
	return { start: false, response: { status: 200, body: { status } } };
}

/** Another execution may have the event; the sender should retry. */
export const busy = refused('busy');

const NOT_DUE: Cause = {
	problem: 'the last execution of this event did not succeed',
	advice:
		'look at the failed execution. A delivery starts the event again after a pause, which grows with each attempt',
};

/** The event is due again in so many milliseconds: its last execution did not succeed. */
export function busyFor(ms: number): NoStart {
	const { response, ...rest } = refused('busy', NOT_DUE);
	const headers = { 'Retry-After': String(Math.max(1, Math.ceil(ms / 1000))) };
	return { ...rest, response: { ...response, headers } };
}
