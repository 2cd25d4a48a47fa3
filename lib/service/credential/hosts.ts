/** Whether a host name is local or private, and whether n8n allows it for a credential. */
import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** "This network", RFC 1918, link-local and unique local addresses. */
const PRIVATE = new BlockList();
PRIVATE.addSubnet('0.0.0.0', 8);
PRIVATE.addSubnet('10.0.0.0', 8);
PRIVATE.addSubnet('172.16.0.0', 12);
PRIVATE.addSubnet('192.168.0.0', 16);
PRIVATE.addSubnet('169.254.0.0', 16);
PRIVATE.addSubnet('fe80::', 10, 'ipv6');
PRIVATE.addSubnet('fc00::', 7, 'ipv6');

/** Names that only a private network resolves (RFC 6761, 6762, 8375; `.internal` by ICANN), and names without a dot. */
const PRIVATE_NAME = /^[^.]+$|\.(?:local|internal|lan|home\.arpa|test)$/;

/** Whether the host of a URL is this machine. */
export function isLoopback(hostname: string): boolean {
	return (
		/^127(?:\.\d{1,3}){3}$/.test(hostname) ||
		hostname === '[::1]' ||
		hostname === 'localhost' ||
		hostname.endsWith('.localhost')
	);
}

/** Whether the host of a URL is in a private network, as far as the name shows. */
export function isPrivate(hostname: string): boolean {
	const host = hostname.replace(/^\[|\]$|\.$/g, '');
	if (isIPv4(host)) return PRIVATE.check(host);
	return isIPv6(host) ? PRIVATE.check(host, 'ipv6') : PRIVATE_NAME.test(host);
}

/** Whether a list in n8n's format (`example.com, *.example.org`) contains the host of a URL; `*.` matches only subdomains. */
export function isListed(hostname: string, list: string): boolean {
	const host = hostname.replace(/\.$/, '');
	return list
		.split(',')
		.map((entry) => entry.trim().toLowerCase().replace(/\.$/, ''))
		.some((entry) =>
			/^\*\../.test(entry) ? host.endsWith(entry.slice(1)) : entry !== '' && host === entry,
		);
}
