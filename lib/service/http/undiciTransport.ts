/** The usual transport: keep-alive pools shared by the whole process, through the proxy of the environment. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { EnvHttpProxyAgent } from '../../vendor/undici';
import { ACCEPTED_ENCODINGS, readBoundedBody } from './boundedBody';
import { createDeadline } from './deadline';
import { MAX_BODY_BYTES, MAX_CONNECTIONS, TIMEOUTS } from '../defaults';
import { TransportError } from '../errors/errors';
import { networkFailure } from './networkFailure';
import { abortReason } from './runtime';
import type { Transport } from '../types';

interface UndiciTransportOptions {
	/** Where HTTP_PROXY, HTTPS_PROXY and NO_PROXY are read from, in upper or lower case. */
	env?: NodeJS.ProcessEnv;
	/** Milliseconds for one attempt. */
	timeouts?: { connectMs: number; answerMs: number; bodyMs: number };
	/** Most bytes of one answer. */
	maxBodyBytes?: number;
}

/** One set of pools for each proxy configuration and connect timeout, as long as the process lives. */
const dispatchers = new Map<string, EnvHttpProxyAgent>();

/**
 * Sends each request once, over connections that stay open between requests and callers. It follows no redirect.
 *
 * Bounds: connect 10 s, head of the answer 30 s, body 60 s in all and 64 MB.
 * @throws {TransportError} when no complete answer came; the signal's reason when the caller cancelled.
 */
export function undiciTransport(options: UndiciTransportOptions = {}): Transport {
	const { env = process.env, timeouts = TIMEOUTS, maxBodyBytes = MAX_BODY_BYTES } = options;
	return async (request) => {
		const dispatcher = dispatcherFor(env, timeouts.connectMs);
		const deadline = createDeadline(request.signal);
		try {
			// undici itself limits connecting and answering; this limits what it does not, such as a silent proxy.
			deadline.restart(timeouts.connectMs + timeouts.answerMs, 'the answer took too long');
			const { origin, pathname, search } = new URL(request.url);
			const answer = await dispatcher.request({
				origin,
				path: pathname + search,
				method: request.method,
				headers: { 'accept-encoding': ACCEPTED_ENCODINGS, ...request.headers },
				body: request.body ?? null,
				headersTimeout: timeouts.answerMs,
				signal: deadline.signal,
			});
			deadline.restart(timeouts.bodyMs, 'the answer took too long to arrive in full');
			const headers = flatten(answer.headers);
			const body = await readBoundedBody(answer.body, headers, maxBodyBytes);
			// For undici the connection is busy until this turn of the event loop ends: the next page would open another one.
			await nextTurn();
			return { status: answer.statusCode, headers, body };
		} catch (error) {
			if (deadline.signal.aborted) throw abortReason(deadline.signal);
			throw networkFailure(error, proxiesOf(env));
		} finally {
			deadline.end();
		}
	};
}

/** Host and port of each proxy, without the password that its address may hold. */
function proxiesOf(env: NodeJS.ProcessEnv): string[] {
	const { httpProxy, httpsProxy } = proxySettings(env);
	return [httpProxy, httpsProxy]
		.filter((address) => URL.canParse(address))
		.map((address) => {
			const { hostname, port, protocol } = new URL(address);
			return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
		});
}

function proxySettings(env: NodeJS.ProcessEnv) {
	// With an empty text undici does not look into the environment of the process.
	return {
		httpProxy: env.http_proxy ?? env.HTTP_PROXY ?? '',
		httpsProxy: env.https_proxy ?? env.HTTPS_PROXY ?? '',
		noProxy: env.no_proxy ?? env.NO_PROXY ?? '',
	};
}

function dispatcherFor(env: NodeJS.ProcessEnv, connectMs: number): EnvHttpProxyAgent {
	const proxies = proxySettings(env);
	const key = JSON.stringify([proxies, connectMs]);
	const kept = dispatchers.get(key);
	if (kept) return kept;
	try {
		const dispatcher = new EnvHttpProxyAgent({
			...proxies,
			connections: MAX_CONNECTIONS,
			connect: { timeout: connectMs },
			proxyTls: { timeout: connectMs },
		});
		dispatchers.set(key, dispatcher);
		return dispatcher;
	} catch {
		// The address may hold a password: it is not repeated.
		throw new TransportError('the proxy address in the environment is not a valid one', {
			code: 'PROXY_INVALID',
			retryable: false,
			hint: 'Correct HTTP_PROXY and HTTPS_PROXY in the environment of n8n, such as http://proxy.example.com:3128.',
		});
	}
}

function flatten(
	headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
	return Object.fromEntries(
		Object.entries(headers).flatMap(([name, value]) =>
			value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
		),
	);
}
