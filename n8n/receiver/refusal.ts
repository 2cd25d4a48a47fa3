/** Every way to answer a delivery without starting the workflow, with the status that makes the sender do the right thing. */
import type { Logger } from 'n8n-workflow';
import { printable } from '../../lib/shared/printable';
import type { SignatureRefusal } from '../../lib/receiver/signature';
import { createLogLimiter, type LogLimiter } from '../logLimiter';

/** Why a delivery was refused: the fixed codes of the log lines. */
export type RefusalReason =
	SignatureRefusal | 'event_invalid' | 'not_configured' | 'ledger_unavailable' | 'busy';

export interface Answer {
	readonly status: number;
	readonly body: { readonly status: string };
	readonly headers?: Readonly<Record<string, string>>;
}

/** Nothing is to be done for these, and the sender must not come again: 200. */
export const duplicate: Answer = { status: 200, body: { status: 'duplicate' } };
export const ignored: Answer = { status: 200, body: { status: 'ignored' } };

const rejected: Answer = { status: 401, body: { status: 'rejected' } };
const unavailable: Answer = { status: 503, body: { status: 'unavailable' } };

/** A 5xx makes the sender deliver again, so an event refused for a reason on this side is not lost. */
const answers: Readonly<Record<RefusalReason, Answer>> = {
	signature_missing: rejected,
	signature_malformed: rejected,
	signature_mismatch: rejected,
	timestamp_outside_tolerance: rejected,
	event_invalid: { status: 400, body: { status: 'invalid' } },
	not_configured: unavailable,
	ledger_unavailable: unavailable,
	busy: { status: 503, body: { status: 'busy' }, headers: { 'Retry-After': '60' } },
};

const advice: Readonly<Partial<Record<RefusalReason, string>>> = {
	not_configured: 'set the signing secret in the credential of the node',
	signature_mismatch: 'check that the credential holds the signing secret of this endpoint',
	timestamp_outside_tolerance: 'check the clock of this host',
};

const limiters = new WeakMap<Logger, LogLimiter>();

function limiterOf(logger: Logger): LogLimiter {
	let limiter = limiters.get(logger);
	if (limiter === undefined) {
		limiter = createLogLimiter((line) => {
			logger.warn(line);
		});
		limiters.set(logger, limiter);
	}
	return limiter;
}

/** Where a delivery came in, for the log. */
export interface DeliveryPlace {
	readonly workflowId: string;
	readonly nodeId: string;
	readonly nodeName: string;
}

/**
 * Logs the reason in one line and gives the answer to send.
 * `detail` is for operators (an address, a path); it must hold no secret and nothing of the payload.
 */
export function refuse(
	logger: Logger,
	{ workflowId, nodeName }: DeliveryPlace,
	reason: RefusalReason,
	detail: string | undefined = advice[reason],
): Answer {
	const source = `Asset Service Trigger (node "${printable(nodeName)}", workflow ${printable(workflowId)})`;
	limiterOf(logger).write(source, reason, () => {
		const line = `${source}: delivery refused: ${reason}`;
		return detail === undefined ? line : `${line}; ${printable(detail, 1000)}`;
	});
	return answers[reason];
}
