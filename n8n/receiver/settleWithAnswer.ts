/** Ties a claim to n8n's answer: commits what n8n stored, releases what it could not store, and lets the answer leave after that. */
import type { Hold } from '../../lib/ledger';

/** The part of a response that matters here. */
export interface EndableResponse {
	statusCode: number;
	end: (...answer: never[]) => unknown;
}

/**
 * Settles `hold` when n8n ends the response: a status below 300 says that the execution is stored.
 *
 * It wraps `end` because nothing else fires for certain: when the caller has hung up, `finish` never comes and
 * `close` comes early with a false 200, but n8n still calls `end` with the status that it decided on.
 * A second call of `end` while the claim is being settled is swallowed: the first one has not been sent yet.
 */
export function settleWithAnswer(response: EndableResponse, hold: Hold, retentionMs: number): void {
	const end = response.end.bind(response) as (...answer: unknown[]) => unknown;
	let ending = false;
	response.end = (...answer: unknown[]) => {
		if (ending) return response;
		ending = true;
		const settled = response.statusCode < 300 ? hold.commit(retentionMs) : hold.release();
		void settled.then(() => {
			end(...answer);
		});
		return response;
	};
}
