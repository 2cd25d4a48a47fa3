/** n8n in queue mode, as on several machines: a main, webhook processors and workers around PostgreSQL and Redis. */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { Redis } from '../../../lib/vendor/ioredis';
import { type PostgresOptions, type PostgresServer, startPostgres } from '../postgres';
import { type RedisServer, type RedisServerOptions, startRedis } from '../redis';
import { ensureN8n } from './install';
import { type Log, silent } from '../log';
import { installPackage, packPackage } from './package';
import { createN8nClient, type N8nClient, type Owner } from './rest';
import { type N8nCommand, type N8nServer, startN8n } from './server';
import { OWNER, temporaryFolder } from './world';

export interface QueueWorldOptions {
	readonly webhookProcessors: number;
	readonly workers: number;
	/** Whether this package is built, packed and installed in every process; true unless told. */
	readonly withPackage?: boolean;
	/** Added to the environment of every n8n process. */
	readonly env?: Readonly<Record<string, string>>;
	readonly postgres?: PostgresOptions;
	readonly redis?: RedisServerOptions;
	/** Progress lines; none unless told. */
	readonly log?: Log;
}

export interface QueueWorld {
	readonly main: N8nServer;
	readonly webhookProcessors: readonly N8nServer[];
	readonly workers: readonly N8nServer[];
	readonly postgres: PostgresServer;
	readonly redis: RedisServer;
	/** Signed in at the main as the owner. */
	readonly client: N8nClient;
	readonly owner: Owner;
	/** Whether no run waits in n8n's queue or is with a worker. */
	readonly queueIsEmpty: () => Promise<boolean>;
	/** Ends everything and removes it; may be called at any time, and twice. */
	dispose(): Promise<void>;
}

export async function createQueueWorld(options: QueueWorldOptions): Promise<QueueWorld> {
	const { withPackage = true, log = silent } = options;
	await ensureN8n({ log });
	const tgz = withPackage ? await packPackage({ log }) : undefined;

	const endings: (() => Promise<void>)[] = [];
	const dispose = async (): Promise<void> => {
		// Newest first: n8n before what it depends on.
		for (let end = endings.pop(); end; end = endings.pop()) await end();
	};
	try {
		log('Starting PostgreSQL and Redis ...');
		const postgres = await startPostgres(options.postgres);
		endings.push(() => postgres.remove());
		const redis = await startRedis(options.redis);
		endings.push(() => redis.remove());

		const env = { ...queueEnvironment(postgres, redis), ...options.env };
		const encryptionKey = randomBytes(24).toString('hex');
		/** Each process has a folder of its own, as on a machine of its own: what they share is in the two servers. */
		const start = async (command: N8nCommand): Promise<N8nServer> => {
			const userFolder = temporaryFolder();
			endings.push(() => {
				rmSync(userFolder, { recursive: true, force: true });
				return Promise.resolve();
			});
			if (tgz) await installPackage(tgz, userFolder);
			const server = await startN8n({ userFolder, command, env, encryptionKey, log });
			endings.push(async () => {
				await server.kill();
			});
			return server;
		};
		const startMany = async (command: N8nCommand, count: number): Promise<N8nServer[]> => {
			const started = await Promise.allSettled(Array.from({ length: count }, () => start(command)));
			return started.map((result) => {
				if (result.status === 'rejected') throw result.reason;
				return result.value;
			});
		};

		log('Starting n8n’s main ...');
		// Alone and first: it sets up the database that the others expect.
		const main = await start('start');
		const client = createN8nClient(main.url);
		await client.setUpOwner(OWNER);
		log(
			`Starting ${options.webhookProcessors} webhook processors and ${options.workers} workers ...`,
		);
		const webhookProcessors = await startMany('webhook', options.webhookProcessors);
		const workers = await startMany('worker', options.workers);
		const queueIsEmpty = async (): Promise<boolean> => {
			const queue = new Redis(redis.url);
			try {
				const jobs = ['wait', 'active'].map((list) => queue.llen(`bull:jobs:${list}`));
				return (await Promise.all(jobs)).every((count) => count === 0);
			} finally {
				queue.disconnect();
			}
		};
		const servers = { main, webhookProcessors, workers, postgres, redis };
		return { ...servers, client, owner: OWNER, queueIsEmpty, dispose };
	} catch (error) {
		await dispose();
		throw error;
	}
}

function queueEnvironment(postgres: PostgresServer, redis: RedisServer): Record<string, string> {
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
