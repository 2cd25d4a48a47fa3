/** What lies between n8n and the service: the proxy of the environment, and failures of the network in words for people. */
import { codeOf, isError } from '../shared/errors';
import { TransportError } from './transport';

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * The proxy; undefined if the request goes directly to its host.
 * @throws {TransportError} if it is not a URL; it may contain a password, so it is not repeated.
 */
export function proxyFor(target: URL, env: NodeJS.ProcessEnv) {
	const url = proxyUrl(target, env);
	if (url === undefined) return undefined;
	return {
		url,
		/** Host and port, without the password that the URL may contain. */
		host: `${url.hostname}:${url.port || (DEFAULT_PORTS[url.protocol] ?? '')}`,
		/** The value of `proxy-authorization`; undefined if the URL has neither user nor password. */
		get authorization() {
			return authorizationFor(url);
		},
	};
}

function proxyUrl(target: URL, env: NodeJS.ProcessEnv): URL | undefined {
	const read = (name: string) => env[name] || env[name.toUpperCase()] || '';
	if (isExempt(target, read('npm_config_no_proxy') || read('no_proxy'))) return undefined;
	const scheme = target.protocol.slice(0, -1);
	const proxy =
		read(`npm_config_${scheme}_proxy`) ||
		read(`${scheme}_proxy`) ||
		read('npm_config_proxy') ||
		read('all_proxy');
	if (proxy === '') return undefined;
	const address = proxy.includes('://') ? proxy : `${scheme}://${proxy}`;
	if (URL.canParse(address)) return new URL(address);
	throw invalidProxyError();
}

function authorizationFor({ username, password }: URL): string | undefined {
	if (username === '' && password === '') return undefined;
	try {
		const given = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
		return `Basic ${Buffer.from(given).toString('base64')}`;
	} catch {
		throw invalidProxyError();
	}
}

function isExempt({ hostname, port, protocol }: URL, noProxy: string): boolean {
	const list = noProxy.toLowerCase();
	return (
		list === '*' ||
		list
			.split(/[,\s]/)
			.filter((entry) => entry !== '')
			.some((entry) => {
				const [, name = entry, only = ''] = /^(.+):(\d+)$/.exec(entry) ?? [];
				if (Number(only) !== 0 && Number(only) !== Number(port || DEFAULT_PORTS[protocol])) {
					return false;
				}
				return /^[.*]/.test(name) ? hostname.endsWith(name.replace(/^\*/, '')) : hostname === name;
			})
	);
}

export function invalidProxyError(): TransportError {
	return new TransportError('the proxy URL in the environment is not valid', {
		code: 'PROXY_INVALID',
		retryable: false,
		neverSent: true,
		hint: 'Correct HTTP_PROXY, HTTPS_PROXY or ALL_PROXY in the environment of n8n. Example: http://proxy.example.com:3128',
	});
}

interface Explanation {
	message: string;
	retryable: boolean;
	hint?: string;
}

const again = (message: string): Explanation => ({ message, retryable: true });
const final = (message: string): Explanation => ({ message, retryable: false });
const untrusted = (message: string): Explanation => ({
	...final(message),
	hint: "If the certificate comes from your own authority, make n8n trust it: set NODE_EXTRA_CA_CERTS to the file with the certificate and restart n8n. Only for a test, turn on 'Ignore SSL Issues (Insecure)' in the Asset Service API credential.",
});

const EXPLANATIONS: Readonly<Record<string, Explanation>> = {
	// Both can be temporary: the name server may respond next time, and a new record may not be everywhere yet.
	ENOTFOUND: again('the host name does not exist'),
	EAI_AGAIN: again('the name server did not respond'),
	ECONNREFUSED: again('the connection was refused'),
	ECONNRESET: again('the connection was reset'),
	ECONNABORTED: again('the connection was closed'),
	EPIPE: again('the connection was closed'),
	EHOSTUNREACH: again('there is no route to that host'),
	ENETUNREACH: again('there is no route to that network'),
	ENETDOWN: again('the network is down'),
	ETIMEDOUT: again('the connection took too long'),
	UND_ERR_CONNECT_TIMEOUT: again('the connection took too long'),
	UND_ERR_HEADERS_TIMEOUT: again('the response took too long'),
	UND_ERR_BODY_TIMEOUT: again('the response took too long'),
	UND_ERR_SOCKET: again('the connection was closed'),
	CERT_HAS_EXPIRED: final('its TLS certificate has expired'),
	DEPTH_ZERO_SELF_SIGNED_CERT: untrusted('its TLS certificate is self-signed'),
	SELF_SIGNED_CERT_IN_CHAIN: untrusted('its TLS certificate is signed by an unknown authority'),
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted('its TLS certificate cannot be verified'),
	UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted(
		'its TLS certificate is signed by an unknown authority',
	),
	ERR_TLS_CERT_ALTNAME_INVALID: final('its TLS certificate is for another host'),
	EPROTO: final('the server does not speak TLS on this port'),
	ERR_SSL_WRONG_VERSION_NUMBER: final('the server does not speak TLS on this port'),
};

/**
 * Explains the first cause with a known code; an unknown failure is not retried.
 * `proxy` is the host with port that the request goes through: a failure there is not the service's.
 */
export function networkFailure(error: unknown, proxy?: string): TransportError {
	if (error instanceof TransportError) return error;
	const all = causes(error);
	for (const cause of all) {
		const code = codeOf(cause);
		const known = code === undefined ? undefined : EXPLANATIONS[code];
		if (known) {
			const { message, retryable, hint } = known;
			const isOfProxy = proxy !== undefined && all.some((each) => isAbout(each, proxy));
			return !isOfProxy
				? new TransportError(message, { code, retryable, hint })
				: new TransportError(`the proxy ${proxy} failed: ${message}`, {
						code,
						retryable,
						hint: PROXY_HINT,
					});
		}
		const tunnel = /^Proxy response \((\d{3})\)/.exec(cause.message);
		if (tunnel) return proxyError(tunnel[1] ?? '');
	}
	const code = codeOf(error);
	const noHttp = isError(error) && error.name === 'HTTPParserError';
	return new TransportError(noHttp ? 'the server does not speak HTTP' : 'the request failed', {
		code,
		retryable: false,
	});
}

const PROXY_HINT =
	'Check HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY in the environment of n8n.';

export function proxyError(status: string): TransportError {
	return new TransportError(`the proxy rejected the request with status ${status}`, {
		retryable: status.startsWith('5'),
		hint: PROXY_HINT,
		neverSent: true,
	});
}

/** Whether a failure to connect happened at this host and port: Node names the host, or the address that it resolves to. */
function isAbout(cause: Error, proxy: string): boolean {
	const { hostname, port } = new URL(`http://${proxy}`);
	if ('hostname' in cause) return cause.hostname === hostname;
	if (cause.message.includes(`${proxy},`)) return true;
	return 'port' in cause && cause.port === Number(port);
}

/** The error, its causes, and the errors collected in it (one per address of a host), a few levels deep. */
function causes(error: unknown, depth = 4): Error[] {
	if (!isError(error) || depth === 0) return [];
	const gathered: unknown = 'errors' in error ? error.errors : [];
	const inner: readonly unknown[] = Array.isArray(gathered) ? gathered : [];
	return [error, ...[error.cause, ...inner].flatMap((cause) => causes(cause, depth - 1))];
}
