/** The connections of the process: keep-alive pools, through the proxy of the environment, with a limit on parallel requests. */
import { Agent, type Dispatcher, Pool, ProxyAgent } from '../../vendor/undici';
import { MAX_CONNECTIONS } from '../common/defaults';
import { authorizationFor, hostOf, invalidProxyError, proxyFor } from './proxy';
import { abortReason } from './runtime';

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

/** How a request reaches its host. */
interface Route {
	dispatcher: Dispatcher;
	limit: ConcurrencyLimit;
	/** The origin to connect to, the path to request there, and the headers for a proxy that forwards the request. */
	origin: string;
	path: string;
	headers: Readonly<Record<string, string>>;
	/** Host and port of the proxy. */
	proxy: string | undefined;
	/** Whether the proxy reads the request, and responds in place of the service if it refuses. */
	isForwarded: boolean;
}

interface RouteOptions {
	env: NodeJS.ProcessEnv;
	connectMs: number;
	/** Whether the certificates of hosts are checked. Those of proxies always are. */
	rejectUnauthorized: boolean;
}

/** One set of pools per proxy and options, as long as the process lives. */
const kept = new Map<string, Pools>();

/** @throws {TransportError} if the proxy of the environment is not a URL. */
export function routeTo(url: string, options: RouteOptions): Route {
	const target = new URL(url);
	const { origin, pathname, search } = target;
	const proxy = proxyFor(target, options.env);
	const authorization = proxy && authorizationFor(proxy);
	// Like n8n: a plain http request is handed to the proxy, an https one goes through a tunnel.
	const isForwarded = target.protocol === 'http:' && /^https?:$/.test(proxy?.protocol ?? '');
	const key = [proxy?.href ?? '', isForwarded, options.connectMs, options.rejectUnauthorized];
	const { dispatcher, limits } = poolsFor(JSON.stringify(key), () =>
		proxy && !isForwarded
			? tunnels(proxy, authorization, options)
			: direct({ ...options, ...(isForwarded && { rejectUnauthorized: true }) }),
	);
	const limit = limits.get(origin) ?? createConcurrencyLimit(MAX_CONNECTIONS);
	limits.set(origin, limit);
	const through = { dispatcher, limit, proxy: proxy && hostOf(proxy), isForwarded };
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

function poolsFor(key: string, open: () => Dispatcher): Pools {
	const pools = kept.get(key) ?? { dispatcher: open(), limits: new Map() };
	kept.set(key, pools);
	return pools;
}

function direct({ connectMs: timeout, rejectUnauthorized }: RouteOptions): Dispatcher {
	return new Agent({ connect: { timeout, rejectUnauthorized } });
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
