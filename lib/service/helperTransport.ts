/** The transport through n8n's own HTTP helper, for operators who let n8n check the destination of requests. */
import { isError } from '../shared/errors';
import { LIMITS } from './defaults';
import { networkFailure, proxyFor } from './network';
import {
	TransportError,
	type Transport,
	type TransportRequest,
	type TransportResponse,
	tooLongError,
	createDeadline,
	raceSignal,
	abortReason,
} from './transport';

interface HelperTransportOptions {
	/** The environment with the helper's proxy, so that its failures are not attributed to the service. */
	env?: NodeJS.ProcessEnv;
	/** Milliseconds per attempt, all phases together: the helper does not distinguish them. */
	timeoutMs?: number;
	/** Most bytes per response. */
	maxBodyBytes?: number;
}

const ALL_PHASES_MS = Object.values(LIMITS.timeouts).reduce((sum: number, ms) => sum + ms, 0);

/**
 * Sends each request once through `send`, with the limits and errors of the other transport.
 *
 * `send` resolves with any status instead of throwing for it, follows no redirect, obeys the signal if it can, and may throw
 * any error of the helper. If n8n itself refuses (blocked address, domain not allowed), the error says so in n8n's words.
 */
export function helperTransport(
	send: (request: TransportRequest) => Promise<TransportResponse>,
	options: HelperTransportOptions = {},
): Transport {
	const { env = process.env, timeoutMs = ALL_PHASES_MS, maxBodyBytes = LIMITS.bodyBytes } = options;
	return async (request) => {
		const deadline = createDeadline(request.signal);
		try {
			deadline.restart(timeoutMs, 'the response took too long');
			const { signal } = deadline;
			const response = await raceSignal(send({ ...request, signal }), signal);
			if (Buffer.byteLength(response.body) > maxBodyBytes) throw tooLongError(maxBodyBytes);
			return response;
		} catch (error) {
			if (deadline.signal.aborted) throw abortReason(deadline.signal);
			throw n8nRefusalError(error) ?? networkFailure(error, proxyHost(request.url, env));
		} finally {
			deadline.end();
		}
	};
}

function proxyHost(url: string, env: NodeJS.ProcessEnv): string | undefined {
	try {
		return proxyFor(new URL(url), env)?.host;
	} catch {
		return undefined;
	}
}

/** In n8n's own words, which name the variable to change. They contain the address and nothing else of the request. */
function n8nRefusalError(error: unknown): TransportError | undefined {
	if (!isError(error)) return undefined;
	const description = 'description' in error ? error.description : undefined;
	const blocked = /^Ssrf/.test(error.name) || /^Domain not allowed/.test(error.message);
	if (!blocked) return undefined;
	return new TransportError(`n8n blocked the request: ${error.message}`, {
		code: 'N8N_REFUSED',
		retryable: false,
		neverSent: true,
		hint: typeof description === 'string' ? description : undefined,
	});
}
