/** The default transport: keep-alive pools shared by the whole process, through the proxy of the environment. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Dispatcher } from '../../vendor/undici';
import { MAX_BODY_BYTES, TIMEOUTS } from '../common/defaults';
import { TransportError } from '../common/errors';
import type { Transport } from '../common/types';
import { ACCEPTED_ENCODINGS, readBoundedBody } from './boundedBody';
import { createDeadline, raceSignal } from './deadline';
import { networkFailure, proxyError } from './networkFailure';
import { routeTo } from './pools';
import { abortReason } from './runtime';

interface UndiciTransportOptions {
	/** The source of HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY, in upper or lower case. */
	env?: NodeJS.ProcessEnv;
	/** Milliseconds per attempt. */
	timeouts?: { connectMs: number; responseMs: number; bodyMs: number };
	/** Most bytes per response. */
	maxBodyBytes?: number;
}

const PROXY_AUTH_REQUIRED = 407;

/**
 * Sends each request once, over connections that stay open between requests and callers. It follows no redirect.
 *
 * Limits: connect 10 s including proxy and TLS, head of the response 30 s from when the request was sent, body 60 s and
 * 64 MB. Before that, a request may wait for one of 64 connections, for as long as its signal allows.
 * @throws {TransportError} if no complete response arrived; the signal's reason if the caller cancelled.
 */
export function undiciTransport(options: UndiciTransportOptions = {}): Transport {
	const { env = process.env, timeouts = TIMEOUTS, maxBodyBytes = MAX_BODY_BYTES } = options;
	return async (request) => {
		const route = routeTo(request.url, {
			env,
			connectMs: timeouts.connectMs,
			rejectUnauthorized: request.allowUnauthorizedCerts !== true,
		});
		const deadline = createDeadline(request.signal);
		const { signal } = deadline;
		let phase = 'waiting' as 'waiting' | 'connecting' | 'sent';
		// undici obeys a signal only once it has a connection, and a timeout only once it is connecting: both are raced.
		const send = async () => {
			phase = 'connecting';
			deadline.restart(timeouts.connectMs, 'the connection took too long');
			const started = whenStarted(() => {
				phase = 'sent';
				deadline.restart(timeouts.responseMs, 'the response took too long');
			});
			const response = await raceSignal(
				route.dispatcher.compose(started).request({
					origin: route.origin,
					path: route.path,
					method: request.method,
					headers: { 'accept-encoding': ACCEPTED_ENCODINGS, ...request.headers, ...route.headers },
					body: request.body ?? null,
					headersTimeout: 0,
					bodyTimeout: 0,
					signal,
				}),
				signal,
			);
			deadline.restart(timeouts.bodyMs, 'the response took too long to arrive completely');
			const headers = flatten(response.headers);
			const body = await raceSignal(readBoundedBody(response.body, headers, maxBodyBytes), signal);
			// undici considers the connection busy until this turn of the event loop ends: the next page would open another one.
			await nextTurn();
			if (route.isForwarded && response.statusCode === PROXY_AUTH_REQUIRED) {
				throw proxyError(String(response.statusCode));
			}
			return { status: response.statusCode, headers, body };
		};
		try {
			return await route.limit(send, signal);
		} catch (error) {
			const failure = signal.aborted ? abortReason(signal) : networkFailure(error, route.proxy);
			if (!(failure instanceof TransportError) || phase === 'sent') throw failure;
			const message = phase === 'waiting' ? 'all connections stayed busy' : failure.message;
			const { code, retryable, hint } = failure;
			throw new TransportError(message, { code, retryable, hint, neverSent: true });
		} finally {
			deadline.end();
		}
	};
}

/** Calls `onStart` when undici has a connection and begins to write the request to it. */
function whenStarted(onStart: () => void): Dispatcher.DispatcherComposeInterceptor {
	return (dispatch) => (options, handler) => {
		const start = handler.onRequestStart?.bind(handler);
		handler.onRequestStart = (controller, context) => {
			onStart();
			start?.(controller, context);
		};
		return dispatch(options, handler);
	};
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
