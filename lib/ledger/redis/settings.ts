/** Where the ledger's Redis is: that of n8n's queue, from n8n's own variables, or `ASSET_SERVICE_LEDGER_REDIS_URL`. */
import { type Environment, readBoolean, readNumber, readText } from '../common/environment';
import { LedgerUnavailableError } from '../common/errors';

export const URL_VARIABLE = 'ASSET_SERVICE_LEDGER_REDIS_URL';
const KEY_PREFIX = 'asset-service:ledger:';
/** n8n leaves this to the system (hours); here a connection is idle whenever no events arrive. */
const DEFAULT_KEEP_ALIVE_MS = 30_000;
/** n8n's own default; keys then have no additional name. */
const DEFAULT_QUEUE_PREFIX = 'bull';

interface RedisAddress {
	readonly host: string;
	readonly port: number;
}

/** How to reach Redis; names, defaults and meaning as in n8n 2.41.1 (`ScalingModeConfig`, `RedisClientService`). */
export interface RedisSettings {
	/** One server, or the nodes to discover a cluster with. */
	readonly address: RedisAddress;
	readonly clusterNodes: readonly RedisAddress[];
	readonly db: number;
	readonly username: string;
	readonly password: string;
	readonly tls: { readonly servername?: string; readonly rejectUnauthorized: boolean } | undefined;
	/** 0 accepts IPv4 and IPv6; 4 is the default of the client that n8n uses. */
	readonly family: 0 | 4;
	/** How long a connection may be idle before the system checks whether it is alive, in milliseconds. */
	readonly keepAliveMs: number;
	readonly reconnectOnFailover: boolean;
	readonly slotsRefreshTimeoutMs: number;
	readonly slotsRefreshIntervalMs: number;
	/** False uses the nodes' names unresolved, for clusters behind TLS whose certificates contain names. */
	readonly lookupNodeNames: boolean;
	/** The prefix of every key. n8n instances that share a Redis with different `QUEUE_BULL_PREFIX` get separate keys. */
	readonly keyPrefix: string;
	/** The variable that an operator has to check if the address is wrong. */
	readonly source: string;
}

/** Throws `LedgerUnavailableError` if a `_FILE` cannot be read or the URL is not valid. */
export function readRedisSettings(env: Environment): RedisSettings {
	const queue = readQueueSettings(env);
	const url = readText(env, URL_VARIABLE);
	return url ? { ...queue, ...parseUrl(url) } : queue;
}

function readQueueSettings(env: Environment): RedisSettings {
	const redis = (name: string) => `QUEUE_BULL_REDIS_${name}`;
	const clusterNodes = parseNodes(readText(env, redis('CLUSTER_NODES')) ?? '');
	const servername = readText(env, redis('TLS_SERVERNAME'));
	return {
		address: {
			host: readText(env, redis('HOST')) || 'localhost',
			port: readNumber(env, redis('PORT')) ?? 6379,
		},
		clusterNodes,
		db: readNumber(env, redis('DB')) ?? 0,
		username: readText(env, redis('USERNAME')) ?? '',
		password: readText(env, redis('PASSWORD')) ?? '',
		tls: readBoolean(env, redis('TLS'))
			? {
					...(servername ? { servername } : {}),
					rejectUnauthorized: readBoolean(env, redis('TLS_VALIDATE_CERTIFICATE')) ?? true,
				}
			: undefined,
		family: readBoolean(env, redis('DUALSTACK')) ? 0 : 4,
		keepAliveMs: readBoolean(env, redis('KEEP_ALIVE'))
			? (readNumber(env, redis('KEEP_ALIVE_DELAY')) ?? 5_000)
			: DEFAULT_KEEP_ALIVE_MS,
		reconnectOnFailover: readBoolean(env, redis('RECONNECT_ON_FAILOVER')) ?? true,
		slotsRefreshTimeoutMs: readNumber(env, redis('SLOT_REFRESH_TIMEOUT')) ?? 1_000,
		slotsRefreshIntervalMs: readNumber(env, redis('SLOT_REFRESH_INTERVAL')) ?? 5_000,
		lookupNodeNames: readText(env, redis('DNS_LOOKUP_STRATEGY')) !== 'NONE',
		keyPrefix: keyPrefix(readText(env, 'QUEUE_BULL_PREFIX') ?? DEFAULT_QUEUE_PREFIX),
		source: clusterNodes.length > 0 ? redis('CLUSTER_NODES') : redis('HOST'),
	};
}

/** Braces would put all keys of a cluster into one slot. */
function keyPrefix(queuePrefix: string): string {
	const name = queuePrefix.replace(/[{}]/g, '');
	return name === DEFAULT_QUEUE_PREFIX || name === '' ? KEY_PREFIX : `${KEY_PREFIX}${name}:`;
}

function parseNodes(list: string): RedisAddress[] {
	return list
		.split(',')
		.filter((pair) => pair.trim().length > 0)
		.map((pair) => {
			const [host = '', port = ''] = pair.trim().split(':');
			return { host, port: Number.parseInt(port, 10) || 6379 };
		});
}

function redisUrl(text: string): URL | undefined {
	let address: URL;
	try {
		address = new URL(text);
	} catch {
		// The error contains the text.
		return undefined;
	}
	const { protocol, hostname, pathname } = address;
	const isRedis = /^rediss?:$/.test(protocol) && hostname !== '' && /^\/?\d*$/.test(pathname);
	return isRedis ? address : undefined;
}

function parseUrl(text: string): Partial<RedisSettings> {
	const address = redisUrl(text);
	if (!address) {
		// The text is not repeated, since it may contain a password.
		throw new LedgerUnavailableError(
			`${URL_VARIABLE} is not the URL of a Redis server. Use redis://user:password@host:6379/0, or rediss:// for TLS, and URL-encode special characters in the password.`,
		);
	}
	return {
		address: {
			host: address.hostname.replace(/^\[(.*)\]$/, '$1'),
			port: address.port === '' ? 6379 : Number(address.port),
		},
		clusterNodes: [],
		db: Number(address.pathname.slice(1)),
		username: decode(address.username),
		password: decode(address.password),
		tls: address.protocol === 'rediss:' ? { rejectUnauthorized: true } : undefined,
		family: 0,
		source: URL_VARIABLE,
	};
}

/** A percent sign that does not start a code is kept, since people paste passwords unencoded. */
function decode(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

/** A name, or an IPv4 or IPv6 address. */
const HOST_FORM = /^([\p{L}\p{N}._-]{1,255}|[\da-f:.]{2,45}(%\w{1,20})?)$/iu;

/** The address for a log line or an error: never a user or a password, even if a person entered a URL as the host. */
export function describeRedis(settings: RedisSettings): string {
	const name = ({ host, port }: RedisAddress) => {
		if (!HOST_FORM.test(host)) return 'a host with an invalid name';
		return `${host.includes(':') ? `[${host}]` : host}:${port}`;
	};
	const tls = settings.tls ? ', TLS' : '';
	return settings.clusterNodes.length > 0
		? `Redis cluster at ${settings.clusterNodes.map(name).join(', ')} (${settings.source}${tls})`
		: `Redis at ${name(settings.address)}, database ${settings.db} (${settings.source}${tls})`;
}
