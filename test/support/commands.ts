/** Scripts of the repository in a folder of their own, with other commands in place of those that they call. */
import { spawnSync } from 'node:child_process';
import {
	chmodSync,
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';

export const ROOT = resolve(__dirname, '..', '..');

export interface Scene {
	readonly folder: string;
	/** Writes a file, with the folders that it needs. */
	readonly write: (file: string, text: string) => void;
	/** Copies files of the repository. */
	readonly copy: (...files: string[]) => void;
	/** Puts a command in place of the one with this name; `calls` lists each call. */
	readonly replace: (name: string, script?: string) => void;
	readonly run: (
		command: string,
		args?: readonly string[],
		environment?: Readonly<Record<string, string>>,
	) => { readonly status: number | null; readonly output: string };
	/** The calls of the replaced commands, in order. */
	readonly calls: () => string[];
}

const scenes: string[] = [];

/** Call `removeScenes` after each test. */
export function makeScene(): Scene {
	const folder = mkdtempSync(join(tmpdir(), 'asset-service-scene-'));
	const commands = mkdtempSync(join(tmpdir(), 'asset-service-commands-'));
	scenes.push(folder, commands);
	const log = join(commands, 'calls');
	const write = (file: string, text: string) => {
		mkdirSync(dirname(join(folder, file)), { recursive: true });
		writeFileSync(join(folder, file), text);
	};
	return {
		folder,
		write,
		copy: (...files) => {
			for (const file of files) cpSync(join(ROOT, file), join(folder, file), { recursive: true });
		},
		replace: (name, script = '') => {
			const file = join(commands, name);
			writeFileSync(file, `#!/bin/sh\necho "${name} $*" >> '${log}'\n${script}\n`);
			chmodSync(file, 0o755);
		},
		run: (command, args = [], environment = {}) => {
			const { status, stdout, stderr } = spawnSync(command, args, {
				cwd: folder,
				encoding: 'utf8',
				env: {
					...{ ...process.env, ...environment },
					PATH: [commands, process.env['PATH']].join(delimiter),
				},
			});
			return { status, output: stdout + stderr };
		},
		calls: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []),
	};
}

export function removeScenes(): void {
	for (const folder of scenes.splice(0)) rmSync(folder, { recursive: true, force: true });
}
