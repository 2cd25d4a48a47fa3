/** An ioredis client for the ledger's settings: one connection (or one per cluster node), opened on first use. */
import { Cluster, Redis, type RedisOptions } from '../../vendor/ioredis';
import type { RedisSettings } from './settings';

/** Deliveries are accepted again within seconds after Redis returns. */
const LONGEST_RECONNECT_MS = 1_000;
const CONNECTION_NAME = 'asset-service-ledger';

export type RedisClient = Redis | Cluster;

/** `isIdle`: the connection has not been used for long; it then stays closed until the next use. */
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
		// Client info is sent before the connection is ready, and ioredis 5.11 can then consider a lost connection ready forever.
		disableClientInfo: true,
		connectTimeout: 1_500,
		disconnectTimeout: 100,
		lazyConnect: true,
		enableReadyCheck: false,
		// No unbounded queue, and no resending without the caller's knowledge.
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
		// It needs the permission for CLUSTER INFO, and reports nothing.
		enableReadyCheck: false,
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
		// An idle connection does not keep the process alive; a pending call does, by its own timer.
		client.stream.unref();
	});
	client.on('ready', () => {
		// For the operator's CLIENT LIST. Optional: the Redis user may lack the permission.
		client.client('SETNAME', CONNECTION_NAME).catch(() => undefined);
	});
}
