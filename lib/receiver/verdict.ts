/** All outcomes of a delivery: the workflow starts, or the sender gets a response that makes it do the right thing. */
import type { ParsedEvent } from '../event';
import type { HandOver } from './batch';
import { ADVICE, type Cause, detailOf, type RefusalReason } from './reasons';

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
