/** Ties a claim to n8n's response: commits if n8n stored the execution, otherwise releases, and then lets the response leave. */
import type { Acknowledge, Hold } from '../../lib/ledger';
import { busy } from '../../lib/receiver';

/** The part of a response that matters here. */
export interface EndableResponse {
	statusCode: number;
	/** Whether the connection is closed. */
	readonly destroyed: boolean;
	readonly headersSent: boolean;
	setHeader(name: string, value: string): unknown;
	removeHeader(name: string): unknown;
	end: (...answer: never[]) => unknown;
	once(event: 'close', listener: () => void): unknown;
	off(event: 'close', listener: () => void): unknown;
}

/** How long n8n may take to respond to a sender that has hung up, from the hand-over: the service itself gives up after 30 s. */
const RESPOND_WITHIN_MS = 30_000;

/**
 * Settles `hold` when n8n ends the response: a status below 300 means that the execution is stored, or that it ended
 * without an error if it must succeed.
 *
 * It wraps `end` because no event is reliable: when the caller has hung up, `finish` never fires and `close` fires
 * early with a false 200, but n8n still calls `end` with the status that it decided on.
 * A second call of `end` while the claim is being settled is ignored: the first one has not been sent yet.
 *
 * n8n never responds for a queued execution that a person stopped. So once the sender has hung up and n8n has not responded in
 * time, an event that need only be stored counts as stored. If n8n reports a failure later, the event is given back.
 */
export function settleWithAnswer(
	response: EndableResponse,
	hold: Hold,
	{ acknowledge, retentionMs }: { acknowledge: Acknowledge; retentionMs: number },
): void {
	const end = response.end.bind(response) as (...answer: unknown[]) => unknown;
	let ending = false;
	let isLate = false;
	const commitIfAbandoned = () => {
		if (isLate && response.destroyed && acknowledge === 'stored') void hold.commit(retentionMs);
	};
	const timer = setTimeout(() => {
		isLate = true;
		commitIfAbandoned();
	}, RESPOND_WITHIN_MS).unref();
	response.once('close', commitIfAbandoned);
	response.end = (...answer: unknown[]) => {
		if (ending) return response;
		ending = true;
		clearTimeout(timer);
		response.off('close', commitIfAbandoned);
		const settled = response.statusCode < 300 ? hold.commit(retentionMs) : hold.release();
		void settled.then((outcome) => {
			if (outcome === 'lost') end(...asBusy(response));
			else end(...answer);
		});
		return response;
	};
}

/** The execution did not run with the event, so the service must deliver it again. Returns the body. */
function asBusy(response: EndableResponse): string[] {
	if (response.headersSent) return [];
	const { status, headers = {}, body } = busy.answer;
	response.statusCode = status;
	response.removeHeader('Content-Length');
	for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
	response.setHeader('Content-Type', 'application/json');
	return [JSON.stringify(body)];
}
