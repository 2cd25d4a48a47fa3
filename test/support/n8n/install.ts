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

/** The install set: n8n and the matching versions. */
const SERVER = join(__dirname, 'server');
const MARKER = '.installed';

/** Returns n8n's start file, to be run with Node 24: at once if n8n is installed; otherwise it takes some minutes, with progress lines. Throws with the end of npm's output. */
export async function ensureN8n({ log }: { readonly log: Log }): Promise<string> {
	const lockFile = readFileSync(join(SERVER, 'package-lock.json'));
	return await installOnce({
		name: `n8n-${createHash('sha256').update(lockFile).digest('hex').slice(0, 12)}`,
		title: 'about 2,400 packages, once',
		prepare(folder) {
			for (const file of ['package.json', 'package-lock.json']) {
				copyFileSync(join(SERVER, file), join(folder, file));
			}
		},
		install: ['ci', '--ignore-scripts'],
		log,
	});
}

interface Installation {
	/** Name of its folder in the cache folder. */
	readonly name: string;
	readonly title: string;
	/** Writes the files that npm needs to the folder. */
	readonly prepare: (folder: string) => void;
	readonly install: readonly string[];
	readonly log: Log;
}

/** Returns the start file of an n8n in the cache folder, after installing it if it is missing. */
export async function installOnce(installation: Installation): Promise<string> {
	const folder = join(cacheFolder(), installation.name);
	const isInstalled = (): boolean => existsSync(join(folder, MARKER));
	if (!isInstalled()) {
		await withLock(
			`${folder}.lock`,
			async () => {
				if (!isInstalled()) await install(folder, installation);
			},
			{
				onWait: () => {
					installation.log('Another process is installing n8n; waiting for it ...');
				},
			},
		);
	}
	return join(folder, 'node_modules', 'n8n', 'bin', 'n8n');
}

/** Installs into a sibling folder that is renamed when complete, so a killed installation never looks complete. */
async function install(folder: string, installation: Installation): Promise<void> {
	const { title, log } = installation;
	const partial = `${folder}.partial`;
	for (const leftover of [partial, folder]) rmSync(leftover, { recursive: true, force: true });
	mkdirSync(partial, { recursive: true });
	installation.prepare(partial);
	const step = async (what: string, args: readonly string[]): Promise<void> => {
		log(`${what} ...`);
		await npm([...args, '--loglevel=error'], {
			cwd: partial,
			onProgress: (seconds) => {
				log(`${what}: ${seconds} s so far`);
			},
		});
	};
	try {
		await step(`Installing n8n into ${folder} (${title})`, installation.install);
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
