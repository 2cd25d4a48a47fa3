/** Runs a server program as a child in its own process group, with its output in a file, and makes sure that it ends. */
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { forget, watch } from './watchdog';

/** Size of the end of the output that `output()` reads, in bytes. */
const OUTPUT_BYTES = 1024 * 1024;

interface ProcessOptions {
	readonly command: string;
	readonly args: readonly string[];
	readonly cwd: string;
	/** The complete environment: nothing is inherited, so a developer's shell cannot change a result. */
	readonly env: Readonly<Record<string, string>>;
	/** Both outputs are appended to this file. */
	readonly outputFile: string;
	/** Runs the program as this user; requires root. */
	readonly user?: { readonly uid: number; readonly gid: number };
}

export interface Exit {
	readonly code: number | null;
	readonly signal: NodeJS.Signals | null;
}

export interface RunningProcess {
	readonly pid: number;
	/** Undefined while the program runs. */
	readonly exit: Exit | undefined;
	/** The last mebibyte of the program's output, including earlier runs with the same file. */
	output(): string;
	/** Sends `signal` (SIGTERM) and kills the whole group after `graceMs` (10,000). Does nothing if it has ended. */
	stop(options?: { readonly signal?: NodeJS.Signals; readonly graceMs?: number }): Promise<Exit>;
	/** Kills the whole group at once, as a crash of the machine would. */
	kill(): Promise<Exit>;
}

/** Variables that every child inherits; all others are passed explicitly. */
export function baseEnvironment(home: string): Record<string, string> {
	const { PATH = '/usr/local/bin:/usr/bin:/bin', TMPDIR } = process.env;
	return { PATH, HOME: home, LANG: 'C.UTF-8', TZ: 'UTC', ...(TMPDIR && { TMPDIR }) };
}

/** Resolves once the program runs; rejects if it cannot be started. It ends with this process, however that ends. */
export async function startProcess(options: ProcessOptions): Promise<RunningProcess> {
	mkdirSync(dirname(options.outputFile), { recursive: true });
	const output = openSync(options.outputFile, 'a');
	const child = spawn(options.command, options.args, {
		cwd: options.cwd,
		env: options.env,
		// Its own group: a Ctrl-C in the terminal reaches only this process, which then ends its children in order.
		detached: true,
		stdio: ['ignore', output, output],
		...options.user,
	});
	closeSync(output);
	await new Promise<void>((resolve, reject) => {
		child.once('spawn', resolve);
		child.once('error', reject);
	});
	const pid = child.pid;
	if (pid === undefined) throw new Error(`${options.command} was started but has no process id.`);
	child.unref();
	watch(pid);

	let exit: Exit | undefined;
	const exited = new Promise<Exit>((resolve) => {
		child.once('exit', (code, signal) => {
			// Also ends processes that the program started and left behind.
			signalGroup(pid, 'SIGKILL');
			forget(pid);
			exit = { code, signal };
			resolve(exit);
		});
	});
	const untilExit = async (): Promise<Exit> => {
		child.ref();
		return await exited;
	};

	return {
		pid,
		get exit() {
			return exit;
		},
		output: () => readEnd(options.outputFile),
		async stop({ signal = 'SIGTERM', graceMs = 10_000 } = {}) {
			if (exit) return exit;
			// Only to the program, which ends its own children in the order it needs.
			child.kill(signal);
			const force = setTimeout(() => {
				signalGroup(pid, 'SIGKILL');
			}, graceMs);
			return await untilExit().finally(() => {
				clearTimeout(force);
			});
		},
		async kill() {
			if (exit) return exit;
			signalGroup(pid, 'SIGKILL');
			return await untilExit();
		},
	};
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
	try {
		process.kill(-pid, signal);
	} catch (error) {
		// No such group: all of it has ended already.
		if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
	}
}

function readEnd(file: string): string {
	const { size } = statSync(file);
	const length = Math.min(size, OUTPUT_BYTES);
	const buffer = Buffer.alloc(length);
	const handle = openSync(file, 'r');
	try {
		return buffer.toString('utf8', 0, readSync(handle, buffer, 0, length, size - length));
	} finally {
		closeSync(handle);
	}
}
