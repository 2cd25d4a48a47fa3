/** A real PostgreSQL on a free port of 127.0.0.1 with a database for n8n. Tests can make it hang. */
import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './ports';
import { baseEnvironment, startProcess } from './process';
import { waitFor } from './wait';
import { forget, watch } from './watchdog';

export interface PostgresServer {
	readonly host: '127.0.0.1';
	readonly port: number;
	readonly database: string;
	readonly user: string;
	readonly password: string;
	/** Runs SQL as n8n's own user with `psql`; returns the rows of the last statement, each column as text. */
	query(sql: string): Promise<string[][]>;
	/** Keeps its connections but does not respond, like a machine that hangs. */
	pause(): void;
	resume(): void;
	/** Stops it and removes its data. */
	remove(): Promise<void>;
}

/** Debian's folder with the programs of each version, which are not on the PATH. */
const DEBIAN = '/usr/lib/postgresql';
const READY = 'database system is ready to accept connections';

/** Creates an empty database cluster and starts it. If PostgreSQL is not installed, rejects with an error that says what to do. */
export async function startPostgres(): Promise<PostgresServer> {
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
		// Test data need not survive a power cut: no sync, here or below.
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
	};
	const running = await startProcess({
		command: join(programs, 'postgres'),
		args: [
			'-D',
			data,
			...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
		],
		cwd: folder,
		env,
		outputFile: join(folder, 'postgres.log'),
		...(user && { user }),
	});
	await waitFor(
		() => {
			if (running.exit) throw new Error(`PostgreSQL ended:\n${running.output()}`);
			return running.output().includes(READY);
		},
		{ what: 'PostgreSQL to accept connections', everyMs: 50, detail: () => running.output() },
	);

	const server: PostgresServer = {
		host: '127.0.0.1',
		port,
		database: 'postgres',
		user: 'n8n',
		password,
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
		pause() {
			// The parent first, so that it starts no more children.
			process.kill(running.pid, 'SIGSTOP');
			for (const child of childrenOf(running.pid)) {
				process.kill(child, 'SIGSTOP');
				// Stopped, it would outlive its parent.
				watch(child);
			}
		},
		resume() {
			for (const child of childrenOf(running.pid)) {
				process.kill(child, 'SIGCONT');
				forget(child);
			}
			process.kill(running.pid, 'SIGCONT');
		},
		async remove() {
			if (running.exit === undefined) server.resume();
			await running.kill();
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

/** Each session of PostgreSQL is a separate process in its own group. */
function childrenOf(parent: number): number[] {
	return execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' })
		.split('\n')
		.map((line) => line.trim().split(/\s+/))
		.filter(([, ppid, state = '']) => ppid === String(parent) && !state.startsWith('Z'))
		.map(([pid]) => Number(pid));
}

/** PostgreSQL refuses to run as root; Debian's package creates a user for it. */
function unprivilegedUser(): { uid: number; gid: number } | undefined {
	if (process.getuid?.() !== 0) return undefined;
	const id = (what: '-u' | '-g'): number =>
		Number(execFileSync('id', [what, 'postgres'], { encoding: 'utf8' }));
	return { uid: id('-u'), gid: id('-g') };
}
