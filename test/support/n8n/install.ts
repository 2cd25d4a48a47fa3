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

/** Written once npm has installed all packages: what follows needs other hosts and can be repeated by itself. */
const PACKAGES = '.packages-installed';

/** Installs into a sibling folder that is renamed when complete, so a killed installation never looks complete. */
async function install(folder: string, installation: Installation): Promise<void> {
	const { title, log } = installation;
	const partial = `${folder}.partial`;
	const step = async (what: string, args: readonly string[]): Promise<void> => {
		log(`${what} ...`);
		await npm([...args, '--loglevel=error'], {
			cwd: partial,
			onProgress: (seconds) => {
				log(`${what}: ${seconds} s so far`);
			},
		});
	};
	rmSync(folder, { recursive: true, force: true });
	if (existsSync(join(partial, PACKAGES))) {
		log(`Continuing in ${partial}, where the packages of n8n are installed ...`);
	} else {
		rmSync(partial, { recursive: true, force: true });
		mkdirSync(partial, { recursive: true });
		installation.prepare(partial);
		try {
			await step(`Installing n8n into ${folder} (${title})`, installation.install);
		} catch (error) {
			rmSync(partial, { recursive: true, force: true });
			throw failure(
				'n8n could not be installed. Check the connection to the npm registry and the free disk space (3 GB), then run this again.',
				error,
			);
		}
		writeFileSync(join(partial, PACKAGES), '');
	}
	try {
		await step('Installing n8n’s SQLite driver', ['rebuild', 'sqlite3', '--ignore-scripts=false']);
	} catch (error) {
		throw failure(NO_DRIVER, error);
	}
	writeFileSync(join(partial, MARKER), '');
	renameSync(partial, folder);
	log('n8n is installed.');
}

const NO_DRIVER = `The packages of n8n are installed and kept, but its SQLite driver is missing: the npm registry has only its sources.
It could neither be downloaded (from github.com and *.githubusercontent.com) nor built (with headers from nodejs.org, Python 3 and a C++ compiler).
Make one of these possible, then run this again: it continues from there. For a proxy, set HTTPS_PROXY. For a mirror of the driver, set npm_config_sqlite3_binary_host. For a mirror or a folder of the headers, set npm_config_disturl or npm_config_nodedir.`;

/** What to do comes last: it is what a terminal still shows after npm's output. */
function failure(advice: string, cause: unknown): Error {
	const reason = cause instanceof Error ? cause.message : String(cause);
	return new Error(`${reason}\n\n${advice}`, { cause });
}
