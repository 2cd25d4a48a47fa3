/** Installs the n8n that the end-to-end tests and the demo run, once per lock file, into the cache folder. */
import { createHash } from 'node:crypto';
import {
	copyFileSync,
	existsSync,
	mkdirSync,
	readFileSync,
	renameSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../cache';
import { withLock } from '../lock';
import type { Log } from '../log';
import { npm } from './npm';

/** The install set: n8n and the versions that go with it. */
const SERVER = join(__dirname, 'server');
const MARKER = '.installed';

/** Answers n8n's start file, to be run with Node 24: at once when n8n is installed; else takes some minutes, with progress lines. Throws with the end of npm's output. */
export async function ensureN8n({ log }: { readonly log: Log }): Promise<string> {
	const lockFile = readFileSync(join(SERVER, 'package-lock.json'));
	const name = `n8n-${createHash('sha256').update(lockFile).digest('hex').slice(0, 12)}`;
	const folder = join(cacheFolder(), name);
	const isInstalled = (): boolean => existsSync(join(folder, MARKER));
	if (!isInstalled()) {
		await withLock(
			join(cacheFolder(), `${name}.lock`),
			async () => {
				if (!isInstalled()) await install(folder, log);
			},
			{
				onWait: () => {
					log('Another process is installing n8n; waiting for it ...');
				},
			},
		);
	}
	return join(folder, 'node_modules', 'n8n', 'bin', 'n8n');
}

/** Into a sibling that is renamed when complete, so that a killed installation leaves nothing that looks whole. */
async function install(folder: string, log: Log): Promise<void> {
	const partial = `${folder}.partial`;
	for (const leftover of [partial, folder]) rmSync(leftover, { recursive: true, force: true });
	mkdirSync(partial, { recursive: true });
	for (const file of ['package.json', 'package-lock.json']) {
		copyFileSync(join(SERVER, file), join(partial, file));
	}
	const step = async (title: string, args: readonly string[]): Promise<void> => {
		log(`${title} ...`);
		await npm([...args, '--loglevel=error'], {
			cwd: partial,
			onProgress: (seconds) => {
				log(`${title}: ${seconds} s so far`);
			},
		});
	};
	try {
		await step(`Installing n8n into ${folder} (about 2,400 packages, once)`, [
			'ci',
			'--ignore-scripts',
		]);
		await step('Building n8n’s SQLite driver', ['rebuild', 'sqlite3', '--ignore-scripts=false']);
	} catch (error) {
		rmSync(partial, { recursive: true, force: true });
		const reason = error instanceof Error ? error.message : String(error);
		throw new Error(
			`n8n could not be installed. Check the connection to the npm registry and the free disk space (3 GB), then run this again.\n${reason}`,
			{ cause: error },
		);
	}
	writeFileSync(join(partial, MARKER), '');
	renameSync(partial, folder);
	log('n8n is installed.');
}
