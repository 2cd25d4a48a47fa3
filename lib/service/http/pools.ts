/** The connections of the process: keep-alive pools, through the proxy of the environment, and how many requests use them at once. */
import { Agent, type Dispatcher, Pool, ProxyAgent } from '../../vendor/undici';
import { MAX_CONNECTIONS } from '../common/defaults';
import { createConcurrencyLimit, type ConcurrencyLimit } from './concurrencyLimit';
import { authorizationFor, hostOf, invalidProxyError, proxyFor } from './proxy';

interface Pools {
	dispatcher: Dispatcher;
	/** By origin. We keep the queue ourselves: undici does not distinguish waiting from connecting. */
	limits: Map<string, ConcurrencyLimit>;
}

/** How a request gets to its host. */
interface Route {
	dispatcher: Dispatcher;
	limit: ConcurrencyLimit;
	/** Whom to connect to, what to ask there for, and the headers for a proxy that forwards the request. */
	origin: string;
	path: string;
	headers: Readonly<Record<string, string>>;
	/** Host and port of the proxy. */
	proxy: string | undefined;
	/** Whether the proxy reads the request, and responds in the service's place when it refuses. */
	isForwarded: boolean;
}

interface RouteOptions {
	env: NodeJS.ProcessEnv;
	connectMs: number;
	/** Whether the certificates of hosts are checked. Those of proxies always are. */
	rejectUnauthorized: boolean;
}

/** One set of pools for each proxy and these options, as long as the process lives. */
const kept = new Map<string, Pools>();

/** @throws {TransportError} when the proxy of the environment is no address. */
export function routeTo(url: string, options: RouteOptions): Route {
	const target = new URL(url);
	const { origin, pathname, search } = target;
	const proxy = proxyFor(target, options.env);
	const authorization = proxy && authorizationFor(proxy);
	// As n8n does it: a plain http request is handed to the proxy, an https one goes through a tunnel.
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

/** The times close what a caller has long left; without them a silent proxy would keep a connection for 5 minutes. */
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
