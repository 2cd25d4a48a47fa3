/** The transport through n8n's own HTTP helper, for servers whose operator has n8n watch where requests go. */
import { createDeadline } from './deadline';
import { MAX_BODY_BYTES, TIMEOUTS } from '../defaults';
import { tooLong } from './boundedBody';
import { TransportError } from '../errors/errors';
import { networkFailure } from './networkFailure';
import { abortReason } from './runtime';
import { isError } from '../../shared/thrown';
import type { Transport, TransportRequest, TransportResponse } from '../types';

export interface HelperTransportOptions {
	/** Milliseconds for one attempt; the helper does not tell the phases apart, so they count together. */
	timeoutMs?: number;
	/** Bytes of one answer. */
	maxBodyBytes?: number;
}

const ALL_PHASES_MS = TIMEOUTS.connectMs + TIMEOUTS.answerMs + TIMEOUTS.bodyMs;

/**
 * Sends each request once through the function handed in, with the bounds and errors of the other transport.
 *
 * `send` answers with any status instead of throwing for it, follows no redirect, heeds the signal where it can, and may
 * throw whatever the helper throws. A refusal of n8n's own (blocked address, domain not allowed) is passed on in its words.
 */
export function helperTransport(
	send: (request: TransportRequest) => Promise<TransportResponse>,
	options: HelperTransportOptions = {},
): Transport {
	const { timeoutMs = ALL_PHASES_MS, maxBodyBytes = MAX_BODY_BYTES } = options;
	return async (request) => {
		const deadline = createDeadline(request.signal);
		try {
			deadline.restart(timeoutMs, 'the answer took too long');
			const response = await deadline.race(send({ ...request, signal: deadline.signal }));
			if (Buffer.byteLength(response.body) > maxBodyBytes) throw tooLong(maxBodyBytes);
			return response;
		} catch (error) {
			if (deadline.signal.aborted) throw abortReason(deadline.signal);
			throw refusalOfN8n(error) ?? networkFailure(error);
		} finally {
			deadline.end();
		}
	};
}

/** n8n's own words, which tell an operator which variable to change; they hold the address and nothing of the request. */
function refusalOfN8n(error: unknown): TransportError | undefined {
	if (!isError(error)) return undefined;
	const description = 'description' in error ? error.description : undefined;
	const blocked = /^Ssrf/.test(error.name) || /^Domain not allowed/.test(error.message);
	if (!blocked) return undefined;
	return new TransportError(`n8n refused it: ${error.message}`, {
		code: 'N8N_REFUSED',
		retryable: false,
		hint: typeof description === 'string' ? description : undefined,
	});
}
