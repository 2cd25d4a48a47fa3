/** n8n's queue mode: the environment of its processes, and their queue in Redis. */
import type { PostgresServer } from '../postgres';
import { type RedisServer, withRedis } from '../redis';

export function queueEnvironment(
	postgres: PostgresServer,
	redis: RedisServer,
): Record<string, string> {
	return {
		EXECUTIONS_MODE: 'queue',
		QUEUE_BULL_REDIS_HOST: '127.0.0.1',
		QUEUE_BULL_REDIS_PORT: String(redis.port),
		DB_TYPE: 'postgresdb',
		DB_POSTGRESDB_HOST: postgres.host,
		DB_POSTGRESDB_PORT: String(postgres.port),
		DB_POSTGRESDB_DATABASE: postgres.database,
		DB_POSTGRESDB_USER: postgres.user,
		DB_POSTGRESDB_PASSWORD: postgres.password,
	};
}

/** Whether no execution is in n8n's queue or with a worker. */
export async function isQueueEmpty({ url }: RedisServer): Promise<boolean> {
	return await withRedis(url, async (redis) => {
		const jobs = ['wait', 'active'].map((list) => redis.llen(`bull:jobs:${list}`));
		return (await Promise.all(jobs)).every((count) => count === 0);
	});
}

/** Deletes n8n's queue, like a Redis that loses its data. Throws if there is none. */
export async function loseQueue({ url }: RedisServer): Promise<void> {
	await withRedis(url, async (redis) => {
		const keys = await redis.keys('bull:*');
		if (keys.length === 0) throw new Error('Redis holds nothing of n8n’s queue.');
		await redis.del(...keys);
	});
}
