/** Decides which webhook URLs the service can deliver to. */
import { isLoopback, isPrivate } from '../service';

/**
 * True for plain http on a public host: the service does not deliver there (specification 6.1).
 * False for https, and for hosts of this machine or a private network: it may be behind a proxy, or a test.
 */
export function isPublicHttp(url: string): boolean {
	if (!URL.canParse(url)) return false;
	const { protocol, hostname } = new URL(url);
	return protocol === 'http:' && !isLoopback(hostname) && !isPrivate(hostname);
}

/**
 * Whether an endpoint with this URL can get deliveries: https, or http on this machine, for a simulator (specification 6.1).
 */
export function canDeliverTo(url: string): boolean {
	if (!URL.canParse(url)) return false;
	const { protocol, hostname } = new URL(url);
	return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}
