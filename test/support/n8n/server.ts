/** Starts and stops one n8n process (main, worker or webhook processor) on 127.0.0.1. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Log, silent } from '../log';
import { freePort } from '../ports';
import { baseEnvironment, type Exit, type RunningProcess, startProcess } from '../process';
import { waitFor } from '../wait';
import { ensureN8n } from './install';

export type N8nCommand = 'start' | 'worker' | 'webhook';
type Environment = Readonly<Record<string, string>>;

export interface N8nServerOptions {
	/** Contains `.n8n`: settings, SQLite database and installed packages. */
	readonly userFolder: string;
	/** `start` (a main) by default. */
	readonly command?: N8nCommand;
	/** Added to n8n's environment; these values win. */
	readonly env?: Environment;
	/** By default n8n generates one and keeps it in the user folder. */
	readonly encryptionKey?: string;
	/** Start file of an n8n other than the one from `ensureN8n`. */
	readonly bin?: string;
	readonly log?: Log;
}

export interface N8nServer {
	readonly url: string;
	readonly port: number;
	/** Of the current or last run. */
	readonly pid: number;
	readonly running: boolean;
	/** The last mebibyte of n8n's output, including earlier runs. */
	logs(): string;
	/** Resolves when n8n reports that it is ready; rejects with the end of its output if it ends first or takes over 5 minutes. */
	waitUntilReady(): Promise<void>;
	/** Asks n8n to end, and kills it after 40 s (n8n's own limit is 30). */
	stop(): Promise<Exit>;
	/** Kills n8n and its task runners at once. */
	kill(): Promise<Exit>;
	/** Stops n8n and its task runners for this long, as on a host that is suspended. */
	suspend(ms: number): Promise<void>;
	/** Starts it again on the same port and waits until it is ready; `env` applies to this run only. */
	start(env?: Environment): Promise<void>;
}

/** From a start of a process to its end. */
export interface Run {
	/** Different for each run. */
	readonly name: string;
	/** Host and port of the process. */
	readonly host: string;
	readonly command: N8nCommand;
	/** Unix milliseconds. */
	readonly startedAt: number;
	readonly pauses: { readonly from: number; readonly to: number }[];
	ended?: { readonly at: number; readonly is: 'killed' | 'exited' };
}

/** All runs of the processes that a test file has started, in order. */
export const runs: Run[] = [];

const READY_MS = 300_000;
const STOP_MS = 40_000;
const OUTPUT_LINES = 40;

/** Starts n8n and waits until it is ready to serve. */
export async function startN8n(options: N8nServerOptions): Promise<N8nServer> {
	const { command = 'start', userFolder, log = silent } = options;
	const bin = options.bin ?? (await ensureN8n({ log }));
	// Kept over restarts.
	const port = await freePort();
	const settings = environment(options, port, await freePort());
	const url = `http://127.0.0.1:${port}`;

	const launch = async (env: Environment): Promise<RunningProcess> => {
		const { host } = new URL(url);
		runs.push({ name: `${host} ${runs.length}`, host, command, startedAt: Date.now(), pauses: [] });
		return await startProcess({
			command: nodeBinary(),
			args: [bin, command],
			cwd: userFolder,
			env: { ...settings, ...env },
			outputFile: join(userFolder, `n8n-${command}-${port}.log`),
		});
	};
	const currentRun = () => runs.findLast(({ host }) => url.endsWith(host));
	const hasEnded = (is: 'killed' | 'exited', at: number): void => {
		const run = currentRun();
		if (run) run.ended ??= { is, at };
	};
	let current = await launch({});

	const server: N8nServer = {
		url,
		port,
		get pid() {
			return current.pid;
		},
		get running() {
			return current.exit === undefined;
		},
		logs: () => current.output(),
		async waitUntilReady() {
			const lastLines = (): string =>
				current.output().trimEnd().split('\n').slice(-OUTPUT_LINES).join('\n');
			await waitFor(
				async () => {
					const { exit } = current;
					if (exit) {
						const how = exit.signal ?? `code ${String(exit.code)}`;
						throw new Error(`n8n ${command} ended (${how}) before it was ready:\n${lastLines()}`);
					}
					return await isReady(url);
				},
				{ what: `n8n ${command} on ${url} to be ready`, timeoutMs: READY_MS, detail: lastLines },
			);
		},
		async stop() {
			const exit = await current.stop({ graceMs: STOP_MS });
			hasEnded(exit.signal === 'SIGKILL' ? 'killed' : 'exited', Date.now());
			return exit;
		},
		async kill() {
			hasEnded('killed', Date.now());
			return await current.kill();
		},
		async suspend(ms) {
			const from = Date.now();
			process.kill(-current.pid, 'SIGSTOP');
			await sleep(ms);
			process.kill(-current.pid, 'SIGCONT');
			currentRun()?.pauses.push({ from, to: Date.now() });
		},
		async start(env = {}) {
			if (server.running) throw new Error(`n8n ${command} on ${url} is running already.`);
			current = await launch(env);
			await server.waitUntilReady();
		},
	};
	try {
		await server.waitUntilReady();
	} catch (error) {
		await server.kill();
		throw error;
	}
	return server;
}

async function isReady(url: string): Promise<boolean> {
	try {
		const answer = await fetch(`${url}/healthz/readiness`, { signal: AbortSignal.timeout(10_000) });
		await answer.body?.cancel();
		return answer.status === 200;
	} catch {
		// Not listening yet, or too busy to respond: the caller retries.
		return false;
	}
}

/** n8n 2.41 runs on Node 24, which the `node` package provides, whatever Node version runs this file. */
function nodeBinary(): string {
	const brought = resolve(__dirname, '..', '..', '..', 'node_modules', 'node', 'bin', 'node');
	return existsSync(brought) ? brought : process.execPath;
}

function environment(
	options: N8nServerOptions,
	port: number,
	brokerPort: number,
): Record<string, string> {
	return {
		...baseEnvironment(options.userFolder),
		N8N_USER_FOLDER: options.userFolder,
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_HOST: '127.0.0.1',
		N8N_PORT: String(port),
		// A worker has its own variables for the health check.
		...(options.command === 'worker' && {
			QUEUE_HEALTH_CHECK_ACTIVE: 'true',
			QUEUE_HEALTH_CHECK_PORT: String(port),
			N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
		}),
		N8N_RUNNERS_BROKER_PORT: String(brokerPort),
		...(options.encryptionKey && { N8N_ENCRYPTION_KEY: options.encryptionKey }),
		N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
		// Plain http on this machine: the session cookie must work without TLS.
		N8N_SECURE_COOKIE: 'false',
		// No requests to the outside.
		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_PERSONALIZATION_ENABLED: 'false',
		N8N_HIRING_BANNER_ENABLED: 'false',
		EXTERNAL_FRONTEND_HOOKS_URLS: '',
		N8N_DISABLED_MODULES: 'mcp-registry',
		GENERIC_TIMEZONE: 'UTC',
		...options.env,
	};
}
