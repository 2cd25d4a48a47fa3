/** An ioredis client for the ledger's settings: one connection (or one a node), opened on first use. */
import { Cluster, Redis, type RedisOptions } from '../../vendor/ioredis';
import type { RedisSettings } from './settings';

/** So that deliveries are accepted again within seconds of Redis's return. */
const LONGEST_RECONNECT_MS = 1_000;
const CONNECTION_NAME = 'asset-service-ledger';

export type RedisClient = Redis | Cluster;

/** `isIdle` says that nobody has used the connection for long: it is then not opened again until somebody does. */
export function createRedisClient(settings: RedisSettings, isIdle: () => boolean): RedisClient {
	const reconnectAfter = (attempts: number) =>
		isIdle() ? null : Math.min(attempts * 100, LONGEST_RECONNECT_MS);
	const options: RedisOptions = {
		username: settings.username,
		password: settings.password,
		db: settings.db,
		family: settings.family,
		keepAlive: settings.keepAliveMs,
		...(settings.tls ? { tls: settings.tls } : {}),
		// Client info is sent before the connection is ready, and ioredis 5.11 can then take a lost one for ready, for ever.
		disableClientInfo: true,
		connectTimeout: 1_500,
		disconnectTimeout: 100,
		lazyConnect: true,
		enableReadyCheck: false,
		// Nothing waits in a queue without bound, and nothing is sent again behind the caller's back.
		enableOfflineQueue: false,
		autoResendUnfulfilledCommands: false,
		maxRetriesPerRequest: 0,
		retryStrategy: reconnectAfter,
	};
	if (settings.clusterNodes.length === 0) {
		const client = new Redis({ ...options, ...settings.address });
		watch(client);
		return client;
	}
	const cluster = new Cluster([...settings.clusterNodes], {
		redisOptions: options,
		lazyConnect: true,
		enableOfflineQueue: false,
		clusterRetryStrategy: reconnectAfter,
		slotsRefreshTimeout: settings.slotsRefreshTimeoutMs,
		slotsRefreshInterval: settings.slotsRefreshIntervalMs,
		...(settings.lookupNodeNames
			? {}
			: {
					dnsLookup: (address, found) => {
						found(null, address);
					},
				}),
	});
	cluster.on('+node', watch);
	return cluster;
}

function watch(client: Redis): void {
	client.on('connect', () => {
		// An idle connection keeps no process alive; a call under way does, by its own timer.
		client.stream.unref();
	});
	client.on('ready', () => {
		// For the operator's CLIENT LIST; a user who may not set it does without.
		client.client('SETNAME', CONNECTION_NAME).catch(() => undefined);
	});
}
