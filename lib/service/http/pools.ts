/** The connections of the process: keep-alive pools through the proxy of the environment, and who may use them when. */
import { EnvHttpProxyAgent, Pool } from '../../vendor/undici';
import { MAX_CONNECTIONS } from '../defaults';
import { TransportError } from '../errors/errors';
import { createTurns, type Turns } from './turns';

interface Pools {
	dispatcher: EnvHttpProxyAgent;
	/** The turns of an origin. We keep the queue ourselves: undici does not tell waiting from connecting. */
	turnsOf: (origin: string) => Turns;
	/** As `proxyHosts`. */
	proxies: readonly string[];
}

interface Proxies {
	httpProxy: string;
	httpsProxy: string;
	noProxy: string;
}

interface PoolOptions {
	env: NodeJS.ProcessEnv;
	connectMs: number;
	/** Whether the certificates of hosts are checked. Those of proxies always are. */
	rejectUnauthorized: boolean;
}

/** One set of pools for each of these options, as long as the process lives. */
const kept = new Map<string, Pools>();

export function poolsFor({ env, connectMs, rejectUnauthorized }: PoolOptions): Pools {
	const proxies = proxiesIn(env);
	const key = JSON.stringify([proxies, connectMs, rejectUnauthorized]);
	const pools = kept.get(key) ?? {
		dispatcher: dispatcherOf(proxies, { timeout: connectMs, rejectUnauthorized }),
		turnsOf: turns(),
		proxies: proxyHosts(env),
	};
	kept.set(key, pools);
	return pools;
}

/** With an empty text undici does not look into the environment of the process. */
function proxiesIn(env: NodeJS.ProcessEnv): Proxies {
	return {
		httpProxy: env.http_proxy ?? env.HTTP_PROXY ?? '',
		httpsProxy: env.https_proxy ?? env.HTTPS_PROXY ?? '',
		noProxy: env.no_proxy ?? env.NO_PROXY ?? '',
	};
}

/** Host and port of each proxy of the environment, without the password that its address may hold. */
export function proxyHosts(env: NodeJS.ProcessEnv): string[] {
	const { httpProxy, httpsProxy } = proxiesIn(env);
	return [httpProxy, httpsProxy].filter((url) => URL.canParse(url)).map(hostOf);
}

function hostOf(address: string): string {
	const { hostname, port, protocol } = new URL(address);
	return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
}

function turns(): Pools['turnsOf'] {
	const byOrigin = new Map<string, Turns>();
	return (origin) => {
		const turnsOfOrigin = byOrigin.get(origin) ?? createTurns(MAX_CONNECTIONS);
		byOrigin.set(origin, turnsOfOrigin);
		return turnsOfOrigin;
	};
}

/** The times close what a caller has long left; without them a silent proxy would keep a connection for 5 minutes. */
function dispatcherOf(
	proxies: Proxies,
	toHosts: { timeout: number; rejectUnauthorized: boolean },
): EnvHttpProxyAgent {
	const { timeout } = toHosts;
	try {
		return new EnvHttpProxyAgent({
			...proxies,
			connect: toHosts,
			proxyTls: { timeout },
			requestTls: toHosts,
			clientFactory: (proxy, options) => new Pool(proxy, { ...options, headersTimeout: timeout }),
		});
	} catch {
		// The address may hold a password: it is not repeated.
		throw new TransportError('the proxy address in the environment is not a valid one', {
			code: 'PROXY_INVALID',
			retryable: false,
			neverSent: true,
			hint: 'Correct HTTP_PROXY and HTTPS_PROXY in the environment of n8n, such as http://proxy.example.com:3128.',
		});
	}
}
