/** Where the ledger's Redis is: that of n8n's queue, from n8n's own variables, or `ASSET_SERVICE_LEDGER_REDIS_URL`; and what to do if it fails. */
import { fieldOf } from '../../shared/values';
import { variablesIn } from '../common/environment';
import { LedgerUnavailableError } from '../common/store';

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
	/** The address for a log line or an error: never a user or a password, even if a person entered a URL as the host. */
	readonly description: string;
}

type RedisPlace = Omit<RedisSettings, 'description'>;

/** Throws `LedgerUnavailableError` if a `_FILE` cannot be read or the URL is not valid. */
export function readRedisSettings(env: NodeJS.ProcessEnv): RedisSettings {
	const queue = readQueueSettings(env);
	const url = variablesIn(env).text(URL_VARIABLE);
	const settings = url ? { ...queue, ...parseUrl(url) } : queue;
	return { ...settings, description: describe(settings) };
}

function readQueueSettings(env: NodeJS.ProcessEnv): RedisPlace {
	const { text, number, boolean } = variablesIn(env);
	const redis = (name: string) => `QUEUE_BULL_REDIS_${name}`;
	const clusterNodes = parseNodes(text(redis('CLUSTER_NODES')) ?? '');
	const servername = text(redis('TLS_SERVERNAME'));
	return {
		address: {
			host: text(redis('HOST')) || 'localhost',
			port: number(redis('PORT')) ?? 6379,
		},
		clusterNodes,
		db: number(redis('DB')) ?? 0,
		username: text(redis('USERNAME')) ?? '',
		password: text(redis('PASSWORD')) ?? '',
		tls: boolean(redis('TLS'))
			? {
					...(servername ? { servername } : {}),
					rejectUnauthorized: boolean(redis('TLS_VALIDATE_CERTIFICATE')) ?? true,
				}
			: undefined,
		family: boolean(redis('DUALSTACK')) ? 0 : 4,
		keepAliveMs: boolean(redis('KEEP_ALIVE'))
			? (number(redis('KEEP_ALIVE_DELAY')) ?? 5_000)
			: DEFAULT_KEEP_ALIVE_MS,
		reconnectOnFailover: boolean(redis('RECONNECT_ON_FAILOVER')) ?? true,
		slotsRefreshTimeoutMs: number(redis('SLOT_REFRESH_TIMEOUT')) ?? 1_000,
		slotsRefreshIntervalMs: number(redis('SLOT_REFRESH_INTERVAL')) ?? 5_000,
		lookupNodeNames: text(redis('DNS_LOOKUP_STRATEGY')) !== 'NONE',
		keyPrefix: keyPrefix(text('QUEUE_BULL_PREFIX') ?? DEFAULT_QUEUE_PREFIX),
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

function parseUrl(text: string): Partial<RedisPlace> {
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

function describe(settings: RedisPlace): string {
	const name = ({ host, port }: RedisAddress) => {
		if (!HOST_FORM.test(host)) return 'a host with an invalid name';
		return `${host.includes(':') ? `[${host}]` : host}:${port}`;
	};
	const tls = settings.tls ? ', TLS' : '';
	return settings.clusterNodes.length > 0
		? `Redis cluster at ${settings.clusterNodes.map(name).join(', ')} (${settings.source}${tls})`
		: `Redis at ${name(settings.address)}, database ${settings.db} (${settings.source}${tls})`;
}

/** By the first word of Redis's error, or the system's error code. */
const ADVICE: Readonly<Record<string, string>> = {
	NOAUTH: 'it asks for a password: set the user and password',
	WRONGPASS: 'it rejects the user or the password: correct them',
	NOPERM:
		'its user is not allowed to do what the ledger needs: allow it EVAL, EVALSHA, TIME, GET, SET, DEL and PTTL on the keys asset-service:ledger:*, SELECT for a database other than 0, and CLUSTER SLOTS and ASKING on a cluster',
	LOADING: 'it is still loading its data: wait until it has finished',
	READONLY: 'it is a read-only replica: use the host of the primary',
	MASTERDOWN: 'it is a replica without its primary: use the host of the primary',
	OOM: 'its memory is full: raise maxmemory',
	MISCONF: 'it cannot save to its disk and accepts no writes: check its log',
	CLUSTERDOWN: 'the cluster is down: check its nodes',
	ECONNREFUSED: 'no server is listening there: start it, or correct the host and the port',
	ENOTFOUND: 'the host name does not exist: correct it',
	EAI_AGAIN: 'the host name cannot be resolved at the moment: check the DNS',
	ECONNRESET: 'it closed the connection: check whether it expects TLS',
	DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed: set NODE_EXTRA_CA_CERTS to it',
	SELF_SIGNED_CERT_IN_CHAIN:
		'its certificate is signed by a private authority: set NODE_EXTRA_CA_CERTS to the certificate of that authority',
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate cannot be verified: set NODE_EXTRA_CA_CERTS',
	ERR_TLS_CERT_ALTNAME_INVALID:
		'its certificate is for another name: correct the host in ASSET_SERVICE_LEDGER_REDIS_URL or, if that is not set, the host or QUEUE_BULL_REDIS_TLS_SERVERNAME',
};

const LASTING = new Set(['NOAUTH', 'WRONGPASS', 'NOPERM', 'OOM', 'MISCONF']);

/** The wording for a command within a script, in Redis 6 and 7.0, and since Redis 7.2. */
const DENIED_IN_SCRIPT =
	/^ERR (Error running script .*|)(The user executing the script can't|ACL failure in script:)/;

/** The first word of Redis's error (`WRONGPASS`), or the system's code (`ECONNREFUSED`). */
function codeOf(error: unknown): string | undefined {
	const code = fieldOf(error, 'code');
	if (typeof code === 'string') return code;
	// If no node of a cluster responds, the error contains that of the last one.
	const nodeError = fieldOf(error, 'lastNodeError');
	if (nodeError !== undefined) return codeOf(nodeError);
	const message = String(fieldOf(error, 'message'));
	if (DENIED_IN_SCRIPT.test(message)) return 'NOPERM';
	return /^[A-Z]{2,}(?=[ :]|$)/.exec(message)?.[0];
}

/** What an error of a call to Redis says. */
export function failureOf(error: unknown) {
	const code = codeOf(error);
	const isRefused = code === 'NOAUTH' || code === 'WRONGPASS';
	return {
		code,
		/** A retry a moment later would get it again. */
		isLasting: LASTING.has(code ?? ''),
		/** Redis has responded to a user that it accepts, even with an error. */
		isResponse: fieldOf(error, 'name') === 'ReplyError' && !isRefused,
	};
}

/** Never repeats Redis's own text, which can contain user names. */
export function redisUnavailableError(
	settings: RedisSettings,
	error: unknown,
): LedgerUnavailableError {
	const { code } = failureOf(error);
	const advice =
		ADVICE[code ?? ''] ?? 'it did not respond in time: check that it runs and can be reached';
	return new LedgerUnavailableError(
		`The event ledger is not available. ${settings.description}: ${advice}${code ? ` (${code})` : ''}.`,
	);
}
