/** A real PostgreSQL on a free port of 127.0.0.1, with a database for n8n, that tests can stop, kill and start again. */
import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './ports';
import { baseEnvironment, type RunningProcess, startProcess } from './process';
import { waitFor } from './wait';
import { forget, watch } from './watchdog';

export interface PostgresOptions {
	/** Added to the server's settings, such as `{ track_commit_timestamp: 'on' }`. */
	readonly settings?: Readonly<Record<string, string>>;
}

export interface PostgresServer {
	readonly host: '127.0.0.1';
	readonly port: number;
	readonly database: string;
	readonly user: string;
	readonly password: string;
	/** Of the present or the last run. */
	readonly pid: number;
	output(): string;
	/** Runs SQL as n8n's own user, by `psql`; gives the rows of the last statement, each column as text. */
	query(sql: string): Promise<string[][]>;
	/** As an operator stops it: open sessions are ended, everything committed is on the disk. */
	stop(): Promise<void>;
	/** As a crash does; the next start recovers from the log. */
	kill(): Promise<void>;
	/** Keeps its connections and answers nothing, as a machine that hangs does. */
	pause(): void;
	resume(): void;
	/** Again on the same port with the same data. Resolves when it accepts connections. */
	start(): Promise<void>;
	/** Ends it for good and removes its data. */
	remove(): Promise<void>;
}

/** Where Debian keeps the programs of each version, which are not on the PATH. */
const DEBIAN = '/usr/lib/postgresql';
const READY = 'database system is ready to accept connections';

/** Makes an empty database cluster and starts it; rejects with a way out when PostgreSQL is not installed. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
	const programs = programFolder();
	const folder = mkdtempSync(join(tmpdir(), 'asset-service-postgres-'));
	const user = unprivilegedUser();
	const password = randomBytes(16).toString('hex');
	const passwordFile = join(folder, 'password');
	writeFileSync(passwordFile, password, { mode: 0o600 });
	if (user) for (const path of [folder, passwordFile]) chownSync(path, user.uid, user.gid);

	const data = join(folder, 'data');
	const env = baseEnvironment(folder);
	execFileSync(
		join(programs, 'initdb'),
		// What a test loses in a power cut is of no interest: no sync, here or below.
		[
			...[`--pgdata=${data}`, '--username=n8n', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'],
			...['--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'],
		],
		{ cwd: folder, env, stdio: 'pipe', ...user },
	);

	const port = await freePort();
	const settings = {
		listen_addresses: '127.0.0.1',
		port: String(port),
		unix_socket_directories: '',
		fsync: 'off',
		...options.settings,
	};
	let runs = 0;
	const launch = async (): Promise<RunningProcess> => {
		const launched = await startProcess({
			command: join(programs, 'postgres'),
			args: [
				'-D',
				data,
				...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
			],
			cwd: folder,
			env,
			outputFile: join(folder, `postgres-${++runs}.log`),
			...(user && { user }),
		});
		await waitFor(
			() => {
				if (launched.exit) throw new Error(`PostgreSQL ended:\n${launched.output()}`);
				return launched.output().includes(READY) ? true : undefined;
			},
			{ what: 'PostgreSQL to accept connections', everyMs: 50, detail: () => launched.output() },
		);
		return launched;
	};
	let current = await launch();

	const server: PostgresServer = {
		host: '127.0.0.1',
		port,
		database: 'postgres',
		user: 'n8n',
		password,
		get pid() {
			return current.pid;
		},
		output: () => current.output(),
		async query(sql) {
			const { stdout } = await promisify(execFile)(
				join(programs, 'psql'),
				[
					...['--no-psqlrc', '--quiet', '--no-align', '--tuples-only', '--field-separator=\t'],
					...['--set=ON_ERROR_STOP=1', '--host=127.0.0.1', `--port=${port}`],
					...['--username=n8n', '--dbname=postgres', `--command=${sql}`],
				],
				{ cwd: folder, env: { ...env, PGPASSWORD: password }, maxBuffer: 64 * 1024 * 1024 },
			);
			return stdout
				.split('\n')
				.filter((line) => line !== '')
				.map((line) => line.split('\t'));
		},
		async stop() {
			// SIGINT is PostgreSQL's "fast" shutdown; SIGTERM would wait for every client to leave.
			await current.stop({ signal: 'SIGINT' });
		},
		async kill() {
			await current.kill();
		},
		pause() {
			// The parent first, so that no further child is born.
			process.kill(current.pid, 'SIGSTOP');
			for (const child of childrenOf(current.pid)) {
				process.kill(child, 'SIGSTOP');
				// Stopped, it would outlive its parent.
				watch(child);
			}
		},
		resume() {
			for (const child of childrenOf(current.pid)) {
				process.kill(child, 'SIGCONT');
				forget(child);
			}
			process.kill(current.pid, 'SIGCONT');
		},
		async start() {
			current = await launch();
		},
		async remove() {
			if (current.exit === undefined) server.resume();
			await server.kill();
			rmSync(folder, { recursive: true, force: true });
		},
	};
	return server;
}

function programFolder(): string {
	const versions = existsSync(DEBIAN)
		? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a))
		: [];
	const folders = [
		...versions.map((version) => join(DEBIAN, version, 'bin')),
		...(process.env.PATH ?? '').split(delimiter),
	];
	const found = folders.find((folder) =>
		['initdb', 'postgres', 'psql'].every((program) => existsSync(join(folder, program))),
	);
	if (!found)
		throw new Error('PostgreSQL is not installed. On Debian: apt-get install postgresql-15');
	return found;
}

/** Each session of PostgreSQL is a process of its own, in a group of its own. */
function childrenOf(parent: number): number[] {
	return execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' })
		.split('\n')
		.map((line) => line.trim().split(/\s+/))
		.filter(([, ppid, state = '']) => ppid === String(parent) && !state.startsWith('Z'))
		.map(([pid]) => Number(pid));
}

/** PostgreSQL refuses to run as root; Debian's package brings a user for it. */
function unprivilegedUser(): { uid: number; gid: number } | undefined {
	if (process.getuid?.() !== 0) return undefined;
	const id = (what: '-u' | '-g'): number =>
		Number(execFileSync('id', [what, 'postgres'], { encoding: 'utf8' }));
	return { uid: id('-u'), gid: id('-g') };
}
