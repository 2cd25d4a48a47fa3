/**
 * The two transports. The default one has keep-alive pools shared by the whole process, goes through the proxy of the
 * environment, and limits parallel requests; the other one is n8n's own HTTP helper, for operators who let n8n check the
 * destination of requests.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isError } from '../shared/errors';
import { type Dispatcher, Agent, Pool, ProxyAgent } from '../vendor/undici';
import { LIMITS } from './defaults';
import { networkFailure, proxyError, invalidProxyError, proxyFor } from './network';
import { ACCEPTED_ENCODINGS, readBoundedBody, tooLongError } from './response';
import {
	TransportError,
	type Transport,
	type TransportRequest,
	type TransportResponse,
	createDeadline,
	raceSignal,
	abortReason,
} from './transport';

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
	const {
		env = process.env,
		timeouts = LIMITS.timeouts,
		maxBodyBytes = LIMITS.bodyBytes,
	} = options;
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
			const message = phase === 'waiting' ? 'all connections were busy' : failure.message;
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

/** Runs the work as soon as the limit allows. Rejects with the signal's reason if the caller gives up before that. */
type ConcurrencyLimit = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/** Limits how many tasks run at the same time; the others wait, first come, first served. */
function createConcurrencyLimit(most: number): ConcurrencyLimit {
	const waiting = new Set<() => void>();
	let going = 0;

	const place = (signal: AbortSignal) =>
		new Promise<void>((resolve, reject) => {
			const go = () => {
				signal.removeEventListener('abort', giveUp);
				resolve();
			};
			const giveUp = () => {
				waiting.delete(go);
				reject(abortReason(signal));
			};
			signal.addEventListener('abort', giveUp, { once: true });
			waiting.add(go);
		});

	return async (work, signal) => {
		if (signal.aborted) throw abortReason(signal);
		if (going < most) going++;
		else await place(signal);
		try {
			return await work();
		} finally {
			// The place goes to the next in line, so that no newcomer takes it first.
			const [next] = waiting;
			if (next === undefined) going--;
			else {
				waiting.delete(next);
				next();
			}
		}
	};
}

interface Pools {
	dispatcher: Dispatcher;
	/** By origin. The queue is our own, because undici does not distinguish waiting from connecting. */
	limits: Map<string, ConcurrencyLimit>;
}

interface RouteOptions {
	env: NodeJS.ProcessEnv;
	connectMs: number;
	/** Whether the certificates of hosts are checked. Those of proxies always are. */
	rejectUnauthorized: boolean;
}

/** One set of pools per proxy and options, as long as the process lives. */
const kept = new Map<string, Pools>();

/**
 * How a request reaches its host: the origin to connect to, the path to request there, and the headers for a proxy that forwards
 * the request. `proxy` is its host and port.
 * @throws {TransportError} if the proxy of the environment is not a URL.
 */
function routeTo(url: string, options: RouteOptions) {
	const target = new URL(url);
	const { origin, pathname, search } = target;
	const found = proxyFor(target, options.env);
	const { url: proxy, host, authorization } = found ?? {};
	// Like n8n: a plain http request is handed to the proxy, which reads it and responds in place of the service if it refuses. An
	// https one goes through a tunnel.
	const isForwarded = target.protocol === 'http:' && /^https?:$/.test(proxy?.protocol ?? '');
	const { connectMs: timeout, rejectUnauthorized } = options;
	const open = () =>
		proxy && !isForwarded
			? tunnels(proxy, authorization, options)
			: new Agent({
					connect: { timeout, rejectUnauthorized: isForwarded || rejectUnauthorized },
				});
	const key = JSON.stringify([proxy?.href ?? '', isForwarded, timeout, rejectUnauthorized]);
	const pools: Pools = kept.get(key) ?? { dispatcher: open(), limits: new Map() };
	kept.set(key, pools);
	const { dispatcher, limits } = pools;
	const limit = limits.get(origin) ?? createConcurrencyLimit(LIMITS.connections);
	limits.set(origin, limit);
	const through = { dispatcher, limit, proxy: host, isForwarded };
	if (!proxy || !isForwarded) return { ...through, origin, path: pathname + search, headers: {} };
	return {
		...through,
		origin: proxy.origin,
		path: origin + pathname + search,
		headers: {
			host: target.host,
			'proxy-connection': 'keep-alive',
			...(authorization !== undefined && { 'proxy-authorization': authorization }),
		},
	};
}

/** The timeouts close connections that no caller waits for; without them a silent proxy would keep one for 5 minutes. */
function tunnels(
	proxy: URL,
	token: string | undefined,
	{ connectMs: timeout, rejectUnauthorized }: RouteOptions,
): Dispatcher {
	try {
		return new ProxyAgent({
			uri: proxy.href,
			...(token !== undefined && { token }),
			proxyTls: { timeout },
			requestTls: { timeout, rejectUnauthorized },
			clientFactory: (address, options) =>
				new Pool(address, { ...options, headersTimeout: timeout }),
		});
	} catch {
		throw invalidProxyError();
	}
}

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
