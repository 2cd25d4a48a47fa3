/** Runs npm in a folder, quietly. If it fails, the error contains the end of its output. */
import { spawn } from 'node:child_process';

const TAIL_LINES = 30;

interface NpmOptions {
	readonly cwd: string;
	/** For a command that is a script on Windows, as npm is: only a shell starts those. */
	readonly isScript?: boolean;
	/** Called about every 15 seconds with the elapsed seconds. */
	readonly onProgress?: (seconds: number) => void;
}

/** Runs a program and returns its standard output. If it fails, throws an Error with the end of its output. */
export async function run(
	command: string,
	args: readonly string[],
	{ cwd, isScript = false, onProgress }: NpmOptions,
): Promise<string> {
	const shell = isScript && process.platform === 'win32';
	const started = performance.now();
	const timer = setInterval(() => {
		onProgress?.(Math.round((performance.now() - started) / 1000));
	}, 15_000);
	try {
		return await new Promise((resolve, reject) => {
			// A shell gets the arguments as one text.
			const child = spawn(command, shell ? args.map((arg) => `"${arg}"`) : args, {
				cwd,
				shell,
				env: npmEnvironment(process.env),
				stdio: ['ignore', 'pipe', 'pipe'],
			});
			let stdout = '';
			let all = '';
			child.stdout.setEncoding('utf8').on('data', (text: string) => {
				stdout += text;
				all += text;
			});
			child.stderr.setEncoding('utf8').on('data', (text: string) => {
				all += text;
			});
			child.once('error', reject);
			child.once('close', (code) => {
				if (code === 0) {
					resolve(stdout);
					return;
				}
				const tail = all.trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
				const call = [command, ...args].join(' ');
				reject(new Error(`\`${call}\` in ${cwd} failed with code ${String(code)}:\n${tail}`));
			});
		});
	} finally {
		clearInterval(timer);
	}
}

export async function npm(args: readonly string[], options: NpmOptions): Promise<string> {
	const quiet = ['--no-audit', '--no-fund', '--no-update-notifier'];
	return await run('npm', [...args, ...quiet], { ...options, isScript: true });
}

/**
 * npm may run this process, and then sets variables about its own folder and command; a second npm would take them for
 * its own settings. The user's configuration (registry, cache, proxies) stays.
 */
export function npmEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	const own =
		/^(npm_(package|lifecycle|command|execpath|node_execpath)|npm_config_(local_prefix|ignore_scripts|omit|include|loglevel)$|NODE_ENV$|INIT_CWD$)/;
	return Object.fromEntries(Object.entries(env).filter(([name]) => !own.test(name)));
}
