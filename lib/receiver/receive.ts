/** A delivery from bytes to verdict, step by step: signature, event, type, conditions, claim, batch. Independent of n8n. */
import {
	BATCH_SIZE,
	isWanted,
	parseEvent,
	withReplay,
	readAcknowledge,
	readBatchSize,
	readNumber,
	type ReadParameter,
	readWanted,
	type Wanted,
	type ParsedEvent,
} from '../event';
import {
	claimOrWait,
	type EntryState,
	type Ledger,
	ledgerKey,
	LedgerUnavailableError,
} from '../ledger';
import { DAY_MS } from '../shared/time';
import { asRecord } from '../shared/values';
import type { DeliveryHeaders, SignedBy } from '../signature';
import { handOverOne, takeTurn, type HandOver } from './batch';
import { type RefusalReason, type Cause, REASONS, detailOf } from './reasons';
import { type createVerifierCache, type SecretSource, verifyDelivery } from './verify';

interface Receiver {
	readonly verifiers: ReturnType<typeof createVerifierCache>;
	readonly secrets: SecretSource;
	/** Called when there is an event to claim. Undefined while the editor listens for a test event: nothing is recorded then. */
	readonly openLedger?: () => Promise<Ledger>;
	readonly workflowId: string;
	/** Whether n8n responds once it has stored the execution: by the URL that the delivery arrived at. */
	readonly isEarly: boolean;
	readonly settings: TriggerSettings;
	readonly now?: () => Date;
}

interface Delivery {
	readonly headers: DeliveryHeaders;
	/** The bytes as sent; undefined if n8n does not have them. */
	readonly body: Uint8Array | undefined;
}

/**
 * Never throws on input. An event may be acknowledged only once its execution is stored, or was before. Every other
 * verdict makes the service deliver it again, or says that there is nothing to do.
 */
export async function receive(
	{ headers, body: bytes }: Delivery,
	receiver: Receiver,
): Promise<Verdict> {
	const { verifiers, secrets, openLedger, workflowId, isEarly, settings } = receiver;
	const { now = () => new Date() } = receiver;
	const receivedAt = now();
	const body = bytes ?? new Uint8Array();
	const delivery = { headers, body, receivedAt };
	const signed = await verifyDelivery(verifiers, secrets, delivery, settings.toleranceSeconds);
	if (bytes === undefined && (signed.ok || signed.reason === 'signature_mismatch')) {
		return unreadable(firstHeader(headers, 'content-type'));
	}
	if (!signed.ok) return refused(signed.reason, signed.detail);

	const parsed = parseEvent(body, signed.messageId, signed.form);
	if (!parsed.ok) return refused(parsed.reason, { problem: parsed.problem });
	const { event } = parsed;

	const { conditions, includeDelivery } = settings;
	if (conditions.problems.length > 0)
		return refused('not_configured', {
			problem: conditions.problems.join(' '),
			advice: "correct 'Conditions' in the trigger, then publish the workflow again",
		});
	if (!isWanted(event, settings)) return ignored(event);

	const facts = { _delivery: deliveryFacts(headers, signed, receivedAt) };
	const record = includeDelivery ? { ...event.record, ...facts } : event.record;
	if (openLedger === undefined) return { start: true, items: [{ record }] };
	const claimed = await claim(openLedger, ledgerKey(workflowId, event.id), settings);
	if (!('hold' in claimed)) return claimed;
	const { hold, attempts, reopenedAt } = claimed;
	const { acknowledge, retentionMs, batchSize } = settings;
	const settling = { acknowledge, isEarly, retentionMs };
	const member = { item: { record: withReplay(record, reopenedAt) }, hold, bytes: body.length };
	// An event that has failed runs by itself: it may be why its batch failed.
	if (batchSize === 1 || attempts > 0) {
		return { start: true, ...handOverOne(member, settling) };
	}
	const node = JSON.stringify([secrets.key, acknowledge, isEarly]);
	const turn = await takeTurn(node, member, batchSize, settling);
	if (turn.start) return turn;
	return turn.outcome === 'accepted' ? accepted : busy;
}

/** With "Start Again", n8n may still lose a stored execution, or it may fail: the service has to deliver the event again. */
const IS_OPEN: ReadonlySet<EntryState> = new Set(['pending', 'stored', 'overdue', 'running']);

/** The hold of the event, or the verdict if it was not claimed. */
async function claim(
	openLedger: () => Promise<Ledger>,
	key: string,
	{ acknowledge }: Pick<TriggerSettings, 'acknowledge'>,
) {
	try {
		const ledger = await openLedger();
		const outcome = await claimOrWait(ledger, key);
		if (outcome.state === 'claimed') {
			const { claim, ...history } = outcome;
			return { hold: { ledger, claims: [claim] }, ...history };
		}
		if (outcome.state === 'committed') {
			if (acknowledge === 'stored') return duplicate;
			const { state } = await ledger.look(key);
			return IS_OPEN.has(state) ? busy : duplicate;
		}
		return outcome.retryAfterMs === undefined ? busy : busyFor(outcome.retryAfterMs);
	} catch (error) {
		const detail = error instanceof LedgerUnavailableError ? error.message : undefined;
		return refused('ledger_unavailable', detail);
	}
}

function deliveryFacts(
	headers: DeliveryHeaders,
	{ secret, timestamp }: SignedBy,
	receivedAt: Date,
): Readonly<Record<string, unknown>> {
	const id = deliveryIdOf(headers) ?? null;
	return { id, timestamp, secret, receivedAt: receivedAt.toISOString() };
}

/** No signature covers it, except that of Standard Webhooks. */
export function deliveryIdOf(headers: DeliveryHeaders): string | undefined {
	return firstHeader(headers, 'x-webhook-delivery-id') ?? firstHeader(headers, 'webhook-id');
}

function firstHeader(headers: DeliveryHeaders, name: string): string | undefined {
	const value = headers[name];
	return typeof value === 'string' ? value : value?.[0];
}

/** Specification section 8: the tolerance of the signature is 5 minutes by default. A recorded delivery can be sent again within it. */
const tolerance = {
	name: 'toleranceSeconds',
	label: 'Tolerance (Seconds)',
	fallback: 300,
	least: 0,
	most: 86_400,
};
/** The service lists and delivers an event for 30 days (specification 6.6): an event that is forgotten earlier would run again. */
const retention = {
	name: 'retentionDays',
	label: 'Retention (Days)',
	fallback: 35,
	least: 31,
	most: 365,
};
/** The numbers among the settings of the webhook trigger. */
export const TRIGGER_NUMBERS = { batchSize: BATCH_SIZE, tolerance, retention };

interface TriggerSettings extends Wanted {
	/** The most events per execution; 1 if each event starts its own execution. */
	readonly batchSize: number;
	readonly toleranceSeconds: number;
	readonly retentionMs: number;
	readonly includeDelivery: boolean;
	/** The value of the parameter; a delivery follows the URL that it arrived at. */
	readonly acknowledge: 'stored' | 'succeeded';
}

/** Reads the settings; a value out of bounds becomes the nearest bound, one of the wrong kind its default. */
export function readTriggerSettings(read: ReadParameter): TriggerSettings {
	const options = asRecord(read('options', {}));
	return {
		...readWanted(read),
		batchSize: readBatchSize(read),
		toleranceSeconds: readNumber(read, tolerance),
		retentionMs: readNumber(read, retention) * DAY_MS,
		includeDelivery: options['includeDelivery'] === true,
		acknowledge: readAcknowledge(read),
	};
}

interface Response {
	readonly status: number;
	readonly body: { readonly status: string };
	readonly headers?: Readonly<Record<string, string>>;
}

/** For operators: `detail` says what to do and contains neither a secret nor any part of the payload. */
interface RefusalLog {
	readonly reason: RefusalReason;
	readonly detail: string;
	/** Its parts; absent if the detail is the general advice or contains its own. */
	readonly cause?: Cause;
}

type Verdict = StartVerdict | NoStart;

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
const duplicate = finished('duplicate');
function ignored(event: ParsedEvent): NoStart {
	return { ...finished('ignored'), ignored: event };
}

/** A body without bytes to check a signature over: 401, since anyone may have sent it. */
function unreadable(contentType: string | undefined): NoStart {
	const detail = /^multipart\/form-data\b/i.test(contentType ?? '')
		? 'the body is multipart/form-data, which n8n parses without keeping the signed bytes: ask the provider of the service to send JSON'
		: 'n8n could not read the body: it broke off, cannot be decompressed, or is larger than N8N_PAYLOAD_SIZE_MAX';
	return { ...refused('event_invalid', detail), response: rejected };
}

const rejected: Response = { status: 401, body: { status: 'rejected' } };
const invalid: Response = { status: 400, body: { status: 'invalid' } };
const unavailable: Response = { status: 503, body: { status: 'unavailable' } };

/** A 5xx makes the sender retry, so an event is not lost when the reason is on this side. */
const responses: Readonly<Record<RefusalReason, Response>> = {
	signature_missing: rejected,
	signature_malformed: rejected,
	signature_mismatch: rejected,
	timestamp_outside_tolerance: rejected,
	event_invalid: invalid,
	event_too_large: invalid,
	not_configured: unavailable,
	ledger_unavailable: unavailable,
	busy: { status: 503, body: { status: 'busy' }, headers: { 'Retry-After': '60' } },
};

/** The verdict for a rejection, with the general advice unless more is known. A text contains its own advice. */
function refused(reason: RefusalReason, known: Cause | string = REASONS[reason].advice): NoStart {
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
function busyFor(ms: number): NoStart {
	const { response, ...rest } = refused('busy', NOT_DUE);
	const headers = { 'Retry-After': String(Math.max(1, Math.ceil(ms / 1000))) };
	return { ...rest, response: { ...response, headers } };
}
