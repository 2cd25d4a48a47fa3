/** A real redis-server on a free port of 127.0.0.1 that tests can stop, kill, pause and start again. */
import { accessSync, constants, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Redis, type RedisOptions } from '../../lib/vendor/ioredis';
import { freePort } from './ports';
import { baseEnvironment, type RunningProcess, startProcess } from './process';
import { waitFor } from './wait';

export interface RedisServerOptions {
	readonly password?: string;
	/** Data survives a stop or a kill: every write reaches the disk before its response. */
	readonly appendOnly?: boolean;
	/** Serves only TLS, with this certificate. */
	readonly tls?: { readonly certificateFile: string; readonly keyFile: string };
	/** A cluster of this single node, which serves every slot; or a node of a larger cluster. */
	readonly cluster?: 'single' | 'node';
	/** Additional lines of the configuration, such as `['--maxmemory', '2mb']`. */
	readonly args?: readonly string[];
}

export interface RedisServer {
	readonly port: number;
	/** Where the nodes of a cluster talk to each other. */
	readonly busPort: number;
	/** With the password, if there is one. */
	readonly url: string;
	/** Of the running process. */
	readonly pid: number;
	/** Everything that the server has logged. */
	output(): string;
	/** Stops it as an operator does: only data kept by `appendOnly` survives. Does nothing if it is down. */
	stop(): Promise<void>;
	/** As a crash does. */
	kill(): Promise<void>;
	/** Keeps its connections but does not respond, like a machine that hangs. */
	pause(): void;
	resume(): void;
	/** Starts it again on the same port with its remaining data. Resolves when it responds. */
	start(): Promise<void>;
	/** Stops it and removes its folder. */
	remove(): Promise<void>;
}

/** The path of the installed redis-server, or undefined. */
export function redisServer(): string | undefined {
	return (process.env['PATH'] ?? '')
		.split(delimiter)
		.concat('/usr/bin', '/usr/local/bin')
		.map((folder) => join(folder, 'redis-server'))
		.find((file) => {
			if (!existsSync(file)) return false;
			accessSync(file, constants.X_OK);
			return true;
		});
}

/** Resolves when the server responds. If redis-server is not installed, rejects with an error that says what to do. */
export async function startRedis(options: RedisServerOptions = {}): Promise<RedisServer> {
	const command = redisServer();
	if (command === undefined) {
		throw new Error('redis-server is not installed. On Debian: apt-get install redis-server');
	}
	const folder = mkdtempSync(join(tmpdir(), 'asset-service-redis-'));
	const server = new Server(command, folder, await freePort(), await freePort(), options);
	await server.start();
	if (options.cluster === 'single') await server.serveEverySlot();
	return server;
}

class Server implements RedisServer {
	readonly url: string;
	#process: RunningProcess | undefined;

	constructor(
		private readonly command: string,
		private readonly folder: string,
		readonly port: number,
		readonly busPort: number,
		private readonly options: RedisServerOptions,
	) {
		const password = options.password ? `:${encodeURIComponent(options.password)}@` : '';
		this.url = `${options.tls ? 'rediss' : 'redis'}://${password}127.0.0.1:${port}/0`;
	}

	get pid(): number {
		if (!this.#process) throw new Error('redis-server is not running');
		return this.#process.pid;
	}

	output(): string {
		return this.#process?.output() ?? '';
	}

	async start(): Promise<void> {
		this.#process = await startProcess({
			command: this.command,
			args: this.#args(),
			cwd: this.folder,
			env: baseEnvironment(this.folder),
			outputFile: join(this.folder, 'redis.log'),
		});
		await this.#withClient((client) =>
			waitFor(() => this.#answers(client), {
				what: 'redis-server to answer',
				everyMs: 20,
				detail: () => this.output(),
			}),
		);
	}

	async stop(): Promise<void> {
		await this.#process?.stop();
		this.#process = undefined;
	}

	async kill(): Promise<void> {
		await this.#process?.kill();
		this.#process = undefined;
	}

	pause(): void {
		process.kill(this.pid, 'SIGSTOP');
	}

	resume(): void {
		process.kill(this.pid, 'SIGCONT');
	}

	async remove(): Promise<void> {
		await this.kill();
		rmSync(this.folder, { recursive: true, force: true });
	}

	async serveEverySlot(): Promise<void> {
		await this.#withClient(async (client) => {
			await client.cluster('ADDSLOTSRANGE', 0, 16_383);
			await waitFor(async () => /cluster_state:ok/.test(await client.cluster('INFO')), {
				what: 'the cluster to be up',
				everyMs: 20,
			});
		});
	}

	#args(): string[] {
		const { password, appendOnly, tls, cluster, args = [] } = this.options;
		const port = String(this.port);
		return [
			...['--bind', '127.0.0.1', '--dir', this.folder, '--save', ''],
			...(tls ? ['--port', '0', '--tls-port', port, '--tls-auth-clients', 'no'] : ['--port', port]),
			...(tls ? ['--tls-cert-file', tls.certificateFile, '--tls-key-file', tls.keyFile] : []),
			...(password ? ['--requirepass', password] : []),
			...(appendOnly ? ['--appendonly', 'yes', '--appendfsync', 'always'] : []),
			...(cluster ? ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'] : []),
			// Redis' own choice, 10,000 above the port, is among the ports of outgoing connections.
			...(cluster ? ['--cluster-port', String(this.busPort)] : []),
			...args,
		];
	}

	async #answers(client: Redis): Promise<true | undefined> {
		try {
			await client.ping();
			return true;
		} catch {
			if (this.#process?.exit) throw new Error(`redis-server ended:\n${this.output()}`);
			return undefined;
		}
	}

	async #withClient<T>(work: (client: Redis) => Promise<T>): Promise<T> {
		return await withRedis(this.url, work, {
			retryStrategy: () => 20,
			maxRetriesPerRequest: 0,
			// The certificate of a test is its own authority.
			...(this.options.tls ? { tls: { rejectUnauthorized: false } } : {}),
		});
	}
}

/** Runs `work` with its own client. */
export async function withRedis<T>(
	url: string,
	work: (client: Redis) => Promise<T>,
	options: RedisOptions = {},
): Promise<T> {
	const client = new Redis(url, options);
	// Errors are reported by the rejection of the call.
	client.on('error', () => undefined);
	try {
		return await work(client);
	} finally {
		client.disconnect();
	}
}
