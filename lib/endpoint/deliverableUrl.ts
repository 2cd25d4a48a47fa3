/** Tells which webhook URLs the service can deliver to. */
import { isIP } from 'node:net';
import { isLoopback } from '../service';

const PRIVATE_NAMES = [
	'localhost',
	'.localhost',
	'.local',
	'.internal',
	'.lan',
	'.home.arpa',
	'.test',
];

/**
 * True for plain http on a host that others can reach: the service does not deliver there (specification 6.1).
 * False for https, and for hosts of this machine or of a private network: there may be a proxy in front, or it is a test.
 */
export function isPublicHttp(url: string): boolean {
	if (!URL.canParse(url)) return false;
	const { protocol, hostname } = new URL(url);
	return protocol === 'http:' && !isPrivateHost(hostname.toLowerCase());
}

/**
 * Whether an endpoint with this URL can get deliveries: https, or http on this machine, for a simulator (specification 6.1).
 */
export function canDeliverTo(url: string): boolean {
	if (!URL.canParse(url)) return false;
	const { protocol, hostname } = new URL(url);
	return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

function isPrivateHost(hostname: string): boolean {
	const address = hostname.replace(/^\[|\]$/g, '');
	if (isIP(address) === 4) {
		const [a = 0, b = 0] = address.split('.').map(Number);
		return (
			[0, 10, 127].includes(a) ||
			(a === 172 && b >= 16 && b < 32) ||
			(a === 192 && b === 168) ||
			(a === 169 && b === 254)
		);
	}
	if (isIP(address) === 6) return address === '::1' || /^(f[cd]|fe80)/.test(address);
	return (
		!hostname.includes('.') ||
		PRIVATE_NAMES.some(
			(name) => hostname === name || (name.startsWith('.') && hostname.endsWith(name)),
		)
	);
}
