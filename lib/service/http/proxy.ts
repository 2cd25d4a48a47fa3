/**
 * Finds the proxy of a request in the environment, by the rules of n8n's own HTTP client (`proxy-from-env` 1.1 in n8n
 * 2.41): a node of this package uses the same proxy as n8n's nodes.
 */
import { TransportError } from '../common/errors';

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * The URL of the proxy; undefined if the request goes directly to its host.
 * @throws {TransportError} if it is not a URL; it may contain a password, so it is not repeated.
 */
export function proxyFor(target: URL, env: NodeJS.ProcessEnv): URL | undefined {
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

/** Host and port, without the password that the URL may contain. */
export function hostOf({ hostname, port, protocol }: URL): string {
	return `${hostname}:${port || (DEFAULT_PORTS[protocol] ?? '')}`;
}

/** The value of `proxy-authorization`; undefined if the URL has neither user nor password. */
export function authorizationFor({ username, password }: URL): string | undefined {
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
