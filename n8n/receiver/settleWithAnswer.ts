/** Ties a hand-over to n8n's response: settles it when n8n responds, and then lets the response leave. */
import { accepted, busy, type HandOver, type NoStart } from '../../lib/receiver';

/** The part of a response that matters here. */
export interface EndableResponse {
	statusCode: number;
	/** Whether the connection is closed. */
	readonly destroyed: boolean;
	readonly headersSent: boolean;
	setHeader(name: string, value: string): unknown;
	removeHeader(name: string): unknown;
	end: (...given: never[]) => unknown;
	once(event: 'close', listener: () => void): unknown;
	off(event: 'close', listener: () => void): unknown;
}

/** How long n8n may take to respond to a sender that has hung up, from the hand-over: the service itself gives up after 30 s. */
const RESPOND_WITHIN_MS = 30_000;

/**
 * Settles the hand-over when n8n ends the response, and sends what the service has to get.
 *
 * It wraps `end` because no event is reliable: when the caller has hung up, `finish` never fires and `close` fires
 * early with a false 200, but n8n still calls `end` with the status that it decided on.
 * A second call of `end` while the claim is being settled is ignored: the first one has not been sent yet.
 *
 * n8n never responds for a queued execution that a user stopped. So the events count as stored once the sender has hung
 * up and n8n has not responded in time.
 */
export function settleWithAnswer(
	response: EndableResponse,
	{ settle, abandon }: Pick<HandOver, 'settle' | 'abandon'>,
): void {
	const end = response.end.bind(response) as (...given: unknown[]) => unknown;
	let ending = false;
	let isLate = false;
	const abandonIfLate = () => {
		if (isLate && response.destroyed) void abandon();
	};
	const timer = setTimeout(() => {
		isLate = true;
		abandonIfLate();
	}, RESPOND_WITHIN_MS).unref();
	response.once('close', abandonIfLate);
	response.end = (...given: unknown[]) => {
		if (ending) return response;
		ending = true;
		clearTimeout(timer);
		response.off('close', abandonIfLate);
		const isOk = response.statusCode < 300;
		void settle(isOk).then((outcome) => {
			if (outcome === 'busy') end(...instead(response, busy));
			else if (outcome === 'accepted' && !isOk) end(...instead(response, accepted));
			else end(...given);
		});
		return response;
	};
}

/** Another response than n8n's. Returns its body. */
function instead(response: EndableResponse, { response: other }: NoStart): string[] {
	if (response.headersSent) return [];
	const { status, headers = {}, body } = other;
	response.statusCode = status;
	response.removeHeader('Content-Length');
	for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
	response.setHeader('Content-Type', 'application/json');
	return [JSON.stringify(body)];
}
