/** Installs any version of n8n into the cache folder, once, without a lock file. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod/v4';
import { cacheFolder } from '../../test/support/cache';
import { withLock } from '../../test/support/lock';
import type { Log } from '../../test/support/log';
import { ensureN8n } from '../../test/support/n8n/install';
import { npm } from '../../test/support/n8n/npm';

const SERVER = join(__dirname, '..', '..', 'test', 'support', 'n8n', 'server', 'package.json');
const MARKER = '.installed';

const Server = z.object({
	dependencies: z.object({ n8n: z.string() }),
	overrides: z.record(z.string(), z.string()),
});

/** Older versions take this one from a host that is no npm registry. */
const FURTHER_OVERRIDES = { xlsx: 'npm:@e965/xlsx@0.20.3' };

/**
 * Answers n8n's start file. The version of the end-to-end tests is theirs, with its lock file. Throws with the end of
 * npm's output for a version that cannot be installed, such as one of which the registry lacks a part.
 */
export async function installVersion(version: string, log: Log): Promise<string> {
	const { dependencies, overrides } = Server.parse(JSON.parse(readFileSync(SERVER, 'utf8')));
	if (version === dependencies.n8n) return await ensureN8n({ log });

	const folder = join(cacheFolder(), `n8n-${version}`);
	await withLock(`${folder}.lock`, async () => {
		if (existsSync(join(folder, MARKER))) return;
		const manifest = {
			private: true,
			dependencies: { n8n: version },
			overrides: { ...overrides, ...FURTHER_OVERRIDES },
		};
		await install(folder, manifest, log);
	});
	return join(folder, 'node_modules', 'n8n', 'bin', 'n8n');
}

/** Into a sibling that is renamed when complete, so that a killed installation leaves nothing that looks whole. */
async function install(folder: string, manifest: object, log: Log): Promise<void> {
	const partial = `${folder}.partial`;
	for (const leftover of [partial, folder]) rmSync(leftover, { recursive: true, force: true });
	mkdirSync(partial, { recursive: true });
	writeFileSync(join(partial, 'package.json'), JSON.stringify(manifest));
	const step = async (title: string, args: readonly string[]): Promise<void> => {
		log(`${title} ...`);
		await npm([...args, '--loglevel=error'], {
			cwd: partial,
			onProgress: (seconds) => {
				if (seconds % 60 < 15) log(`${title}: ${seconds} s so far`);
			},
		});
	};
	try {
		await step(`Installing n8n into ${folder} (once, 2.5 GB)`, [
			'install',
			'--ignore-scripts',
			'--no-package-lock',
		]);
		await step('Building its SQLite driver', ['rebuild', 'sqlite3', '--ignore-scripts=false']);
		writeFileSync(join(partial, MARKER), '');
		renameSync(partial, folder);
	} catch (error) {
		rmSync(partial, { recursive: true, force: true });
		throw error;
	}
}
