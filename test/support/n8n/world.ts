/** A complete n8n for one test file, as one process or in queue mode: package installed, owner set up, client signed in. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Log, silent } from '../log';
import { type PostgresServer, startPostgres } from '../postgres';
import { type RedisServer, type RedisServerOptions, startRedis } from '../redis';
import { ensureN8n } from './install';
import { installPackage, packPackage } from './package';
import { queueEnvironment } from './queue';
import { createN8nClient, type N8nClient, type Owner } from './rest';
import { type N8nCommand, type N8nServer, type N8nServerOptions, startN8n } from './server';

interface WorldOptions {
	/** Added to the environment of every n8n process. */
	readonly env?: Readonly<Record<string, string>>;
	/** Start file of an n8n other than the one from `ensureN8n`. */
	readonly bin?: string;
	/** Progress lines; none by default. */
	readonly log?: Log;
}

export interface World {
	/** The only process, or the main. */
	readonly server: N8nServer;
	readonly url: string;
	/** Base URLs of the processes that receive webhooks. */
	readonly bases: readonly [string, ...string[]];
	/** Its user folder, which contains `.n8n`. Removed by `dispose`. */
	readonly userFolder: string;
	/** Signed in as the owner, also after restarts. */
	readonly client: N8nClient;
	readonly owner: Owner;
	/** Stops `server` gracefully and starts it again with its data; `env` applies to the new run. */
	restart(env?: Readonly<Record<string, string>>): Promise<void>;
	/** Stops and removes everything; can be called at any time, even twice. */
	dispose(): Promise<void>;
}

interface QueueWorldOptions extends WorldOptions {
	readonly webhookProcessors: number;
	readonly workers: number;
	readonly redis?: RedisServerOptions;
	/** False leaves `EXECUTIONS_MODE` out of the workers' environment: n8n's worker command sets the mode by itself. */
	readonly workersAreToldMode?: boolean;
}

export interface QueueWorld extends World {
	readonly webhookProcessors: readonly N8nServer[];
	readonly workers: readonly N8nServer[];
	readonly postgres: PostgresServer;
	readonly redis: RedisServer;
}

/** The owner of every n8n that the tests and the demo set up, which exist only on this machine and for minutes. */
export const OWNER: Owner = {
	email: 'owner@example.com',
	password: 'Assets4Everyone',
	firstName: 'Olive',
	lastName: 'Owner',
};

/** One process that does everything, with SQLite. */
export async function createWorld({
	env = {},
	log = silent,
	...n8n
}: WorldOptions = {}): Promise<World> {
	return await setUp({ log, ...n8n }, async (start) => await startMain(start, { env }));
}

/** As on several machines: a main, webhook processors and workers around PostgreSQL and Redis. */
export async function createQueueWorld(options: QueueWorldOptions): Promise<QueueWorld> {
	const { log = silent, bin } = options;
	return await setUp({ log, ...(bin && { bin }) }, async (start, endings) => {
		log('Starting PostgreSQL and Redis ...');
		const postgres = await startPostgres();
		endings.push(() => postgres.remove());
		const redis = await startRedis(options.redis);
		endings.push(() => redis.remove());

		const env = { ...queueEnvironment(postgres, redis), ...options.env };
		const shared = { env, encryptionKey: randomBytes(24).toString('hex') };
		const startMany = async (
			command: N8nCommand,
			count: number,
			options = shared,
		): Promise<N8nServer[]> => {
			const starts = Array.from({ length: count }, () => start(command, options));
			return (await Promise.allSettled(starts)).map((result) => {
				if (result.status === 'rejected') throw result.reason;
				return result.value.server;
			});
		};
		// First and by itself: it sets up the database that the others expect.
		const main = await startMain(start, shared);
		const webhookProcessors = await startMany('webhook', options.webhookProcessors);
		const { EXECUTIONS_MODE: _told, ...untold } = env;
		const workerEnv = options.workersAreToldMode === false ? untold : env;
		const workers = await startMany('worker', options.workers, { ...shared, env: workerEnv });
		const [base = main.url, ...otherBases] = webhookProcessors.map(({ url }) => url);
		const servers = { webhookProcessors, workers, postgres, redis };
		return { ...main, bases: [base, ...otherBases], ...servers };
	});
}

/** Each process has its own folder, as on its own machine; they share only the database and Redis. */
type Start = (
	command: N8nCommand,
	options: Pick<N8nServerOptions, 'env' | 'encryptionKey'>,
) => Promise<Pick<World, 'server' | 'userFolder'>>;

/** Runs `work` with the package, and adds a function that ends everything it started. */
async function setUp<T>(
	{ log, bin }: { readonly log: Log; readonly bin?: string },
	work: (start: Start, endings: (() => unknown)[]) => Promise<T>,
): Promise<T & Pick<World, 'dispose'>> {
	// Before creating any folder: these two take minutes the first time and may fail.
	const startFile = bin ?? (await ensureN8n({ log }));
	const tgz = await packPackage({ log });

	const endings: (() => unknown)[] = [];
	const dispose = async (): Promise<void> => {
		// Newest first: n8n before its dependencies.
		for (let end = endings.pop(); end; end = endings.pop()) await end();
	};
	const start: Start = async (command, options) => {
		const userFolder = mkdtempSync(join(tmpdir(), 'asset-service-n8n-'));
		mkdirSync(join(userFolder, '.n8n'));
		endings.push(() => {
			rmSync(userFolder, { recursive: true, force: true });
		});
		log('Installing the package in a fresh n8n ...');
		await installPackage(tgz, userFolder);
		log(command === 'start' ? 'Starting n8n ...' : `Starting a ${command} process of n8n ...`);
		const server = await startN8n({ userFolder, command, log, bin: startFile, ...options });
		endings.push(() => server.kill());
		return { server, userFolder };
	};
	try {
		return { ...(await work(start, endings)), dispose };
	} catch (error) {
		await dispose();
		throw error;
	}
}

async function startMain(
	start: Start,
	options: Parameters<Start>[1],
): Promise<Omit<World, 'dispose'>> {
	const { server, userFolder } = await start('start', options);
	const { url } = server;
	const client = createN8nClient(url);
	await client.setUpOwner(OWNER);
	return {
		...{ server, url, bases: [url], userFolder, client, owner: OWNER },
		async restart(env) {
			await server.stop();
			await server.start(env);
		},
	};
}
